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
import { actionOf, operationOf, sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import type { Journal, StepWithKey } from "./journal.ts";
import type { MilestoneReport, Server } from "./server.ts";

const everyMs = 5_000;
const perRoundMax = 50;

/** @returns Resolves when the life has ended and the last round is over. */
export function startMilestoneReporter(
  journal: Pick<Journal, "all">,
  server: Pick<Server, "recordMilestone">,
  life: Life,
): Promise<void> {
  const reported = new Set<string>();
  return startLoop(life, "milestones", everyMs, () => reportOnce(journal, server, reported, life)).ended;
}

async function reportOnce(
  journal: Pick<Journal, "all">,
  server: Pick<Server, "recordMilestone">,
  reported: Set<string>,
  { log, signal }: Life,
): Promise<number> {
  const due = dueOf(journal, reported);
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

/** At most one more than a round takes: it tells that another round is due. */
function dueOf(journal: Pick<Journal, "all">, reported: ReadonlySet<string>): readonly MilestoneReport[] {
  const due: MilestoneReport[] = [];
  for (const step of journal.all()) {
    const milestone = reported.has(step.key) ? undefined : milestoneOf(step);
    if (milestone !== undefined) due.push(milestone);
    if (due.length > perRoundMax) break;
  }
  return due;
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
