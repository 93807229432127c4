/**
 * grace: whether a running attempt may be acted on: a fatal line, then silence, and somebody who was looking.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         silence counts only where it was seen: if nobody has read the log since the line, nothing is known
 *               (a watcher that died must not turn a healthy job into a restart).
 * Source        design §6, "acting before the end".
 */
import { limits } from "../limits.ts";
import type { Instant, Signal } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";

export type Grace =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "running"; readonly root: Signal; readonly until: Instant; readonly why: string }
  | { readonly kind: "passed"; readonly why: string };

export function graceOf(s: Situation, now: Instant): Grace {
  const root = s.roots.find((r) => r.exitIndependent);
  if (root === undefined) {
    const waits =
      s.root === undefined
        ? "no root line in the log"
        : "its error line does not by itself end a program; its end is waited for";
    return { kind: "none", why: `The attempt runs; ${waits}.` };
  }
  const graceMs = Math.max(limits.fatalGraceMs, limits.fatalGraceSteps * (s.progress.stepSpacingMs ?? 0));
  // A step that was in flight when the line was printed moves the start of the silence, no more.
  const silentSince = Math.max(root.at, s.progress.lastStepAt ?? root.at);
  const until = silentSince + graceMs;
  if (now < until) {
    return {
      kind: "running",
      root,
      until,
      why: `A fatal line; silence is waited for until ${iso(until)}: ${root.evidence.line}`,
    };
  }
  const readAt = s.progress.logReadAt ?? 0;
  if (readAt < until) {
    const why = `A fatal line, but the log was last read at ${readAt === 0 ? "no time" : iso(readAt)}: whether the program went on is not known.`;
    return { kind: "running", root, until: now + limits.unreadLogMs, why };
  }
  return { kind: "passed", why: `a fatal line and ${graceMs / 1000} s without a further step` };
}

const iso = (at: Instant) => new Date(at).toISOString();
