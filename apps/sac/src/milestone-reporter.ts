/**
 * milestone-reporter: tells the server which scheduler steps were completed, for tracing and timing.
 *
 * In the loop   journal → **report**; nothing waits for it
 * Takes         the journal as SAC's own passes keep it: what is in it and was not reported is reported, whoever made the step,
 *               the watchdog too, and after a restart once more (the server knows it by its key).
 * Keeps         invariant 13: a loop of its own, whose failures end nothing but its round. No step is ever taken from a milestone.
 * Fails         a server that is away gets them later, as long as the journal has them (a day). What it refuses for good is
 *               logged and not sent again.
 * Bound         one call at a time, at most `perRoundMax` a round, a round every `everyMs`.
 */
import { Refusal, type RefusalCode } from "@reprise/core/refusal.ts";
import {
  actionOf,
  operationOf,
  type RecoveryOperation,
  type SchedulerAction,
  sequenceIdOf,
} from "@reprise/core/sequence/sequence.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import type { Journal, StepWithKey } from "./journal.ts";

const everyMs = 5_000;
const perRoundMax = 50;

export interface MilestoneReport {
  readonly sequenceId: string;
  readonly idempotencyKey: string;
  readonly operation: RecoveryOperation;
  readonly action: SchedulerAction;
  readonly completedAt: Instant;
  readonly outcome: string;
}

export interface MilestoneServer {
  /** Safe to repeat. */
  recordMilestone(milestone: MilestoneReport): Promise<void>;
}

/** @returns Resolves when the life has ended and the last round is over. */
export function startMilestoneReporter(
  journal: Pick<Journal, "all">,
  server: MilestoneServer,
  life: Life,
): Promise<void> {
  const reported = new Set<string>();
  return startLoop(life, "milestones", everyMs, () => reportOnce(journal, server, reported, life)).ended;
}

async function reportOnce(
  journal: Pick<Journal, "all">,
  server: MilestoneServer,
  reported: Set<string>,
  { log, signal }: Life,
): Promise<number> {
  const due = journal.all().flatMap((step) => (reported.has(step.key) ? [] : (milestoneOf(step) ?? [])));
  for (const milestone of due.slice(0, perRoundMax)) {
    if (signal.aborted) break;
    try {
      await server.recordMilestone(milestone);
    } catch (error) {
      if (!isForGood(error)) {
        log.debug({ error: String(error) }, "a milestone could not be reported; it is reported again");
        return everyMs;
      }
      log.warn({ ...milestone, error: String(error) }, "the server does not take a milestone; it is not sent again");
    }
    reported.add(milestone.idempotencyKey);
  }
  return due.length > perRoundMax ? 0 : everyMs;
}

/** Undefined: not over, not done, or nothing that the wire has a word for. */
function milestoneOf({ key, action: step, outcome, endedAt, work }: StepWithKey): MilestoneReport | undefined {
  const action = actionOf(step);
  if (action === undefined || outcome !== "done" || endedAt === undefined) return undefined;
  const operation = operationOf(work.desired);
  return {
    sequenceId: sequenceIdOf(work.heimdallJobId, operation),
    idempotencyKey: key,
    operation,
    action,
    completedAt: endedAt,
    outcome: step === "watchdog-release" ? "done by the watchdog" : "done",
  };
}

/** A sequence that the server does not know, a milestone that it cannot read: the same again is refused again. */
const forGood: ReadonlySet<RefusalCode> = new Set(["not-found", "invalid", "exists", "unimplemented", "precondition"]);
const isForGood = (error: unknown): boolean => error instanceof Refusal && forGood.has(error.code);
