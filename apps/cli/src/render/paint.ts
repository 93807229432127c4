/** paint: colours by meaning, or none at all. */
import picocolors from "picocolors";

export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  busy(text: string): string;
  faint(text: string): string;
  strong(text: string): string;
}

export function createPaint(hasColour: boolean): Paint {
  const { green, red, yellow, dim, bold } = picocolors.createColors(hasColour);
  return { good: green, bad: red, busy: yellow, faint: dim, strong: bold };
}

/** The meaning of a state, whichever list it comes from. */
export function paintState(paint: Paint, state: string): string {
  if (/^(RUNNING|COMPLETED|CONVERGED|ok)$/.test(state)) return paint.good(state);
  if (/^(FAILED|NODE_FAIL|OUT_OF_MEMORY|TIMEOUT|BOOT_FAIL|DEADLINE|TERMINATED|ABANDONED|fail)$/.test(state))
    return paint.bad(state);
  return /^(PENDING|STOPPED|REQUEUED|warn)$/.test(state) ? paint.busy(state) : state;
}
