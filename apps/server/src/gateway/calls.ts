/**
 * calls: every call that is being answered: until when it may take, and how all of them end.
 *
 * In the loop   call → admit → **begin** → handler → end
 * Gives         an AbortSignal a call: aborted when the caller hangs up (`end`), at its deadline, or when the server stops.
 * Keeps         a call that is cut is told why, once. A stream has no deadline and ends first when the server stops.
 * Bound         `limits.requestDeadlineMs` a unary call; `limits.streamsPerCallerMax` streams a caller.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";

export interface Call {
  readonly signal: AbortSignal;
  /** The answer is out, or the caller went away. Safe to repeat. */
  end(): void;
}

export interface Calls {
  /**
   * @param caller Whose streams are counted together; refuses `busy` beyond `limits.streamsPerCallerMax`.
   * @param onCut Called once when it is cut, with what the caller is to be told. A stream may end without a word.
   */
  begin(kind: "unary" | "stream", caller: string, onCut: (why: Refusal) => void): Call;
  /** Ends all streams, lets the others finish for `graceMs`, and cuts what is left. Resolves when nothing is. */
  drain(graceMs: number): Promise<void>;
}

interface Begun {
  readonly kind: "unary" | "stream";
  cut(why: Refusal): void;
}

/** What was cut has so long to tell its caller. */
const lastWordsMs = 500;

export function createCalls(clock: Clock): Calls {
  const running = new Set<Begun>();
  const streams = new Map<string, number>();
  let onLast: (() => void) | undefined;
  let isDraining = false;

  function countStream(caller: string, change: 1 | -1): void {
    const count = (streams.get(caller) ?? 0) + change;
    if (count > limits.streamsPerCallerMax)
      throw new Refusal("busy", `${caller} has ${limits.streamsPerCallerMax} streams open, which is the most`);
    if (count === 0) streams.delete(caller);
    else streams.set(caller, count);
  }

  function begin(kind: Begun["kind"], caller: string, onCut: (why: Refusal) => void): Call {
    if (kind === "stream") countStream(caller, 1);
    const control = new AbortController();
    const begun: Begun = {
      kind,
      cut(why) {
        if (control.signal.aborted) return;
        control.abort("cut"); // A reason of its own: the default one captures a stack each time.
        onCut(why);
      },
    };
    const end = () => {
      if (!running.delete(begun)) return;
      if (kind === "stream") countStream(caller, -1);
      control.abort("ended");
      if (running.size === 0) onLast?.();
    };
    running.add(begun);
    if (kind === "unary") void clock.sleep(limits.requestDeadlineMs, control.signal).then(() => begun.cut(tooLate));
    else if (isDraining) begun.cut(stopping);
    return { signal: control.signal, end };
  }

  async function untilNoneRuns(waitMs: number): Promise<void> {
    if (running.size === 0) return;
    const enough = new AbortController();
    onLast = () => enough.abort("ended");
    await clock.sleep(waitMs, enough.signal);
  }

  return {
    begin,
    async drain(graceMs) {
      isDraining = true;
      for (const begun of running) if (begun.kind === "stream") begun.cut(stopping);
      await untilNoneRuns(graceMs);
      for (const begun of running) begun.cut(stopping);
      await untilNoneRuns(lastWordsMs);
    },
  };
}

const tooLate = new Refusal("deadline", `there is no answer within ${limits.requestDeadlineMs / 1_000} s`);
const stopping = new Refusal("unavailable", "the server stops; try again, at another one if there is one");
