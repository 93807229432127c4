/**
 * A program that runs and has not failed is never requeued, nor ended for the next of its chain: not for a line after which it went on, not
 * because nobody was looking.
 *
 * Excuses   what the policy itself takes for an end: a line that looks fatal, and then silence for three of the program's own step times;
 *           or for five seconds, before two steps have been seen and anybody can know how long one takes; and nothing printed but
 *           errors for as long as its author allows in the loop, or before its first step. A step that was printed
 *           while the command was on its way, so that nobody can have told of it yet. A restart that a person ordered.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";
import { policyOf } from "./never-more-than-max-requeue-times.ts";

/** A watcher reads a line a moment after it was printed. */
const readLateShare = 0.9;

/** A line is read, told and taken into account within this. */
const tellMs = 3_000;

export const healthyIsLeftAlone: Checker = {
  name: "healthy-is-left-alone",
  watch({ world, chronicle, holds }) {
    const failed = new Set<string>();
    const ordered = new Set<string>();
    /** The last two times. */
    const printedAt = new Map<string, { readonly at: number; readonly before?: number }>();
    const alarmedAt = new Map<string, number>();
    const steps = new Map<string, Step>();
    return {
      // A watcher that starts knows no step times yet.
      started: (role) => void (role.startsWith("watcher") && steps.clear()),
      ordered: (jobId, action) => void (action === "restart" && ordered.add(jobId)),
      failed: ({ jobId, restartCount }) => void failed.add(`${jobId}#${restartCount}`),
      printed({ jobId, restartCount }, lines, is) {
        const name = `${jobId}#${restartCount}`;
        const before = printedAt.get(name)?.at;
        if (is === "root") alarmedAt.set(name, world.clock.now());
        else printedAt.set(name, { at: world.clock.now(), ...(before === undefined ? {} : { before }) });
        if (!lines.some((line) => line.startsWith(" iteration "))) return;
        const [now, last] = [world.clock.now(), steps.get(name)];
        steps.set(name, {
          at: now,
          spacingMs: last === undefined ? undefined : now - last.at,
          before: last && { ...last, before: undefined },
        });
      },
      slurm(event) {
        const isOfChain = event.kind === "cancelled" && chronicle.workOf(event.jobId!)?.isOfChain === true;
        if ((event.kind !== "requeued" && !isOfChain) || !isOurs(event)) return;
        const [from = ""] = event.detail.split(",");
        if (from !== "RUNNING" && from !== "SUSPENDED") return;
        const attempt = event.restartCount! - (isOfChain ? 0 : 1);
        const name = `${event.jobId}#${attempt}`;
        const last = steps.get(name);
        const { at = 0, spacingMs = 0 } =
          (last !== undefined && event.at - last.at < tellMs ? last.before : last) ?? {};
        const graceMs = Math.max(limits.fatalGraceMs, limits.fatalGraceSteps * spacingMs);
        const silentSince = Math.max(at, alarmedAt.get(name) ?? event.at);
        const isSilent = event.at - silentSince >= graceMs * readLateShare;
        const allowed = authorAllows(world.specOf(event.jobId!)?.comment);
        const startedAt = chronicle.lifeOf(event.jobId!).findLast((e) => e.kind === "started")?.at ?? event.at;
        const printed = printedAt.get(name);
        const heardAt = printed !== undefined && event.at - printed.at < tellMs ? printed.before : printed?.at;
        const isMuted =
          event.at - (heardAt ?? startedAt) >= (heardAt === undefined ? allowed.beforeMs : allowed.inLoopMs);
        // After a crash of slurmctld a program that has ended may be shown as running.
        const hasEnded = chronicle.everEnded(event.jobId!, attempt);
        holds(
          failed.has(name) || ordered.has(event.jobId!) || hasEnded || isSilent || isMuted,
          () => `${name} was ${event.kind} while it ran and nothing was wrong with it`,
        );
      },
    };
  },
};

interface Step {
  readonly at: number;
  /** Since the one before it. */
  readonly spacingMs: number | undefined;
  readonly before: Step | undefined;
}

/** Silence: half an hour in the loop, and an hour before it, where the author wrote nothing. */
function authorAllows(comment: string | undefined): { readonly inLoopMs: number; readonly beforeMs: number } {
  const { anomaly_detection: own } = policyOf(comment) as {
    readonly anomaly_detection?: {
      readonly log_based_timeout_trainingloop?: number;
      readonly log_based_timeout_pretraining?: number;
    };
  };
  const inLoopMs = (own?.log_based_timeout_trainingloop ?? 1_800) * 1_000;
  return { inLoopMs, beforeMs: (own?.log_based_timeout_pretraining ?? 3_600) * 1_000 };
}
