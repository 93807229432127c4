/**
 * rest: looks at a Slurm in which nothing happens, for less: only what tells that something has happened is asked, and what was seen
 * last is shown again.
 *
 * In the loop   **look** → view → plan
 * Takes         the whole look, and the *outline* of the rows as text: who is there, in which state, attempt and hold, and where.
 * Keeps         a look at rest was asked of Slurm itself, and failed if that failed. It is never more than the last whole one with the
 *               same outline, that one is at most `wholeLookMs` old, every row of it could be read, and the one before it was the same:
 *               where something happens all the time no look is made twice.
 * Source        docs/decisions/0051.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Seen } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Pass, Slurm } from "./slurm.ts";

/** Equal texts: nothing has happened in between. */
export type Outline = string;

export interface Whole {
  readonly pass: Pass;
  readonly outline: Outline;
}

export interface RestDeps {
  readonly whole: () => Promise<Seen<Whole>>;
  readonly outline: () => Promise<Seen<Outline>>;
  readonly clock: Pick<Clock, "elapsed">;
}

export function createRestfulLook({ whole, outline, clock }: RestDeps): Slurm["look"] {
  let last: (Whole & { readonly after: number; readonly isQuiet: boolean }) | undefined;

  const lookWhole = async (): Promise<Seen<Pass>> => {
    const after = clock.elapsed();
    const seen = await whole();
    if (seen.kind !== "seen") {
      last = undefined;
      return seen;
    }
    const { pass } = seen.value;
    const isQuiet = pass.unreadable.size === 0 && last?.outline === seen.value.outline;
    last = { ...seen.value, after, isQuiet };
    return { ...seen, value: pass };
  };

  return async (how = "whole") => {
    if (how === "whole" || last?.isQuiet !== true || clock.elapsed() - last.after >= limits.wholeLookMs)
      return lookWhole();
    const { pass, outline: before } = last;
    const seen = await outline();
    if (seen.kind === "seen" && seen.value === before) return { ...seen, value: { ...pass, isAtRest: true } };
    if (seen.kind === "seen") return lookWhole();
    last = undefined; // Slurm may be another when it answers again.
    return seen;
  };
}
