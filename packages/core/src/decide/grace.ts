/**
 * grace: whether a running attempt may be acted on: an error line, then silence, and somebody who was looking.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         an error line that does not end a program by itself needs a longer silence than a fatal one, and a step before it.
 *               Numbers that stay broken need none, nor does a launcher that came back to the same end too often.
 *               Silence counts only where it was seen: if nobody has read the log since the line, nothing is known
 *               (a watcher that died must not turn a healthy job into a restart). It must have lasted by the clock of the server
 *               and by that of who read the log: they differ, and the next reader's is a third one.
 * Source        design §6, "acting before the end".
 */
import { limits } from "../limits.ts";
import type { Instant, Policy, Signal } from "../nouns.ts";
import { isHardware } from "../situation/root.ts";
import type { Situation } from "../situation/situation.ts";
import { inJobRestarts } from "./in-job.ts";

export type Grace =
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "running"; readonly root: Signal; readonly until: Instant; readonly why: string }
  | { readonly kind: "passed"; readonly why: string };

export function graceOf(s: Situation, policy: Policy, now: Instant): Grace {
  const root = s.roots.find((r) => r.exitIndependent) ?? s.roots.find((r) => !isOfNode(r)) ?? s.root;
  if (root === undefined) return { kind: "none", why: "The attempt runs; no root line in the log." };
  if (root.kind === "numerics" && root.exitIndependent)
    return { kind: "passed", why: "the numbers have not been finite for many steps, so the state is lost" };
  if (s.silence !== undefined && s.roots.includes(s.silence)) return graceOfSilence(s, s.silence, now);
  const restarts = inJobRestarts(s);
  if (restarts.sameEnds > policy.maxFailuresWithoutProgress)
    return { kind: "passed", why: `${restarts.sameEnds} ends of the same root, each after a restart by its launcher` };
  if (restarts.isUnderWay && !isHardware(root))
    return { kind: "none", why: "The attempt runs; its launcher has started the workers again by itself." };
  if (isOfNode(root) && !root.exitIndependent) {
    const why = `The attempt runs; what its node's own log says may be about something else, and only its end or a long silence confirms it.`;
    return { kind: "none", why };
  }
  const silenceMs = silenceAfter(s, root, policy);
  if (silenceMs === undefined) {
    const why =
      "The attempt runs; its error line does not by itself end a program, and no step tells how long silence may last.";
    return { kind: "none", why };
  }
  // A step that was in flight when the line was printed moves the start of the silence, no more.
  const silentSince = Math.max(root.at, s.progress.lastStepAt ?? root.at, s.progress.checkpointAt ?? root.at);
  const waitMs = silentSince - root.at + silenceMs;
  const until = (root.recordedAt ?? root.at) + waitMs;
  const line = root.exitIndependent ? "A fatal line" : "An error line";
  if (now < until) {
    const why = `${line}; silence is waited for until ${iso(until)}: ${root.evidence.line}`;
    return { kind: "running", root, until, why };
  }
  const readAt = s.progress.logReadAt ?? 0;
  if (!isReadPast(root, readAt, waitMs, now)) {
    const why = `${line}, but the log was last read at ${readAt === 0 ? "no time" : iso(readAt)}: whether the program went on is not known.`;
    return { kind: "running", root, until: now + limits.unreadLogMs, why };
  }
  return { kind: "passed", why: `${line.toLowerCase()} and ${silenceMs / 1000} s without a further step` };
}

/**
 * Whether somebody has read the log so long after the line. Where the reader's clock runs beside ours, its own times are compared;
 * where it does not, it is another reader than who told the line, or a line that was told late: then the later of both counts.
 */
function isReadPast(root: Signal, readAt: Instant, waitMs: number, now: Instant): boolean {
  const recordedAt = root.recordedAt ?? root.at;
  const unreadMs = now - recordedAt - (readAt - root.at);
  const isSameReader = Math.abs(unreadMs) <= limits.clocksApartMs;
  return readAt >= (isSameReader ? root.at : Math.max(root.at, recordedAt)) + waitMs;
}

/**
 * The watcher has waited already. What counts is that it has looked once more since it told, and lately: a step that it found would
 * have come with that look. Its clock is not ours: only what has passed on each is compared.
 */
function graceOfSilence({ attempt, progress }: Situation, silence: Signal, now: Instant): Grace {
  if (attempt.jmState === "SUSPENDED") return { kind: "none", why: "The attempt is suspended; it cannot step." };
  const readMs = (progress.logReadAt ?? Number.NEGATIVE_INFINITY) - silence.at;
  const unreadMs = now - (silence.recordedAt ?? silence.at) - readMs;
  if (readMs <= 0 || unreadMs > limits.silenceReadAgeMs) {
    const why =
      "Silence was told, but the log was not read again since, or not lately: whether the program went on is not known.";
    return { kind: "running", root: silence, until: now + limits.silenceAskMs, why };
  }
  return { kind: "passed", why: silence.detail ?? "no step for longer than is allowed" };
}

/** A node speaks of all that it does: a disk, a card, a process that this attempt may not use. An evaluation is silent, too. */
const isOfNode = ({ evidence }: Signal): boolean => evidence.source === "node-log";

/** How long nothing may come after a line; undefined: its end is waited for. */
function silenceAfter({ progress }: Situation, root: Signal, policy: Policy): number | undefined {
  const spacingMs = progress.stepSpacingMs ?? 0;
  if (root.exitIndependent) return Math.max(limits.fatalGraceMs, limits.fatalGraceSteps * spacingMs);
  // Before the first step a program may load for an hour, and after its own watchdog has spoken it ends by itself.
  if (progress.lastStep === undefined || spacingMs === 0) return undefined;
  // A server or a node that does not answer may come back: only the author knows how long to wait for it.
  const isOfOthers = root.kind === "hang" && (root.causeClass !== "hang" || root.domain === "storage");
  if (isOfOthers) return policy.anomalyDetection.trainingLoopTimeoutSeconds * 1000;
  return Math.max(limits.errorGraceMs, limits.errorGraceSteps * spacingMs);
}

const iso = (at: Instant) => new Date(at).toISOString();
