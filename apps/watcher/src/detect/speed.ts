/**
 * speed: what each step line says of how long a step takes, and the change of it.
 *
 * In the loop   step lines → **one measure each** → slowdown
 * Takes         the time of a step as the line prints it; where it prints none, the distance to the line before, of at least
 *               `spacingMinMs`: a look at a file comes a quarter of a second late or early.
 * Keeps         what passed during an evaluation, a save or another pause is no time of a step.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { LinePlace } from "./pulse.ts";
import { type Change, Slowdown, type SlowdownState } from "./slowdown.ts";
import { StepWork, type StepWorkState } from "./step-work.ts";
import { elapsedMs } from "./steps.ts";

const spacingMinMs = 5_000;
/** An epoch whose length nobody prints leaps; a leap measures nothing. */
const leap = 50;

export interface StepSeen {
  readonly step: number;
  readonly at: Instant;
  readonly text: string;
  readonly captures: Readonly<Record<string, string>>;
  readonly place: LinePlace;
  /** There was a pause before it. */
  readonly isAfterPause: boolean;
}

export interface SpeedState {
  readonly last?: { readonly step: number; readonly at: Instant };
  /** Between two lines. */
  readonly usualSteps?: number;
  readonly work: StepWorkState;
  readonly slowdown: SlowdownState;
}

export class Speed {
  private readonly slowdown: Slowdown;
  private readonly work: StepWork;
  private last: SpeedState["last"] | undefined;
  private usualSteps: number | undefined;

  constructor(lastsMs: number, state: SpeedState | undefined) {
    this.slowdown = new Slowdown(lastsMs, state?.slowdown);
    this.work = new StepWork(state?.work);
    this.last = state?.last;
    this.usualSteps = state?.usualSteps;
  }

  get state(): SpeedState {
    const { last, usualSteps, work, slowdown } = this;
    return {
      ...(last === undefined ? {} : { last }),
      ...(usualSteps === undefined ? {} : { usualSteps }),
      work: work.state,
      slowdown: slowdown.state,
    };
  }

  /** What one step usually takes (ms). Undefined: it is not known yet. */
  get baselineStepMs(): number | undefined {
    const { baseline } = this.slowdown.state;
    return baseline && Math.exp(baseline.middle);
  }

  restart(): void {
    this.last = undefined;
    this.slowdown.restart();
  }

  stepped({ step, at, text, captures, place, isAfterPause }: StepSeen): Change | undefined {
    const last = this.last;
    const steps = step - (last?.step ?? step - (this.usualSteps ?? 1));
    if (steps <= 0) return undefined;
    const work = this.work.of(text, steps);
    const isLeap = this.usualSteps !== undefined && steps > leap * this.usualSteps;
    if (last === undefined || isAfterPause || isLeap) {
      this.last = { step, at };
      return undefined;
    }
    const printed = printedMs(captures);
    if (printed === undefined && at - last.at < spacingMinMs) return undefined;
    this.last = { step, at };
    this.usualSteps = steps;
    return this.slowdown.measure({ step, steps, stepMs: printed ?? (at - last.at) / steps, work, place });
  }
}

/** Of one step; undefined where the line does not say, or rounds it to nothing. */
export function printedMs(captures: Readonly<Record<string, string>>): number | undefined {
  const ms = elapsedMs(captures);
  return ms !== undefined && ms > 0 ? ms : undefined;
}
