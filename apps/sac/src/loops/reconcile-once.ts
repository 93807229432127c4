/**
 * reconcileOnce: one pass of the controller over the open Advice. All of its thinking is in plan().
 *
 * In the loop   view → plan → gate → **begin → apply → end** → the next view
 * Writes        the journal; and, where the gate allows it, Slurm; status reports to the server.
 * Keeps         a step is durable before its effect. A crash leaves it begun; plan() waits and looks again. Look, journal,
 *               command and journal happen under the one lock that the watchdog takes too.
 * Fails         an error ends the pass; the loop logs it once and tries again after its interval.
 * Bound         one step an Advice a pass, `commandBatchMax` of them in one child.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Seen } from "@reprise/core/nouns.ts";
import { awaitedJobs } from "@reprise/core/plan/dependents.ts";
import type { Act, Plan } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { traceOf } from "@reprise/core/sequence/sequence.ts";
import { atMostMs, momentOf } from "@reprise/runtime/clock.ts";
import { beginsRecovery } from "../gate.ts";
import { createOrdersCheck } from "../orders.ts";
import { adviceKey, lookBegins, type Parts, type State } from "../state.ts";
import type { Pass } from "../slurm/slurm.ts";
import { passGate } from "./pass-gate.ts";
import { planAll } from "./plan-all.ts";
import { reportStatus } from "./report-status.ts";
import { Steps } from "./take-steps.ts";

export interface ReconcileResult {
  /** Something is under way: look again soon. */
  readonly isBusy: boolean;
  /** A step was taken: look again at once. */
  readonly acted: boolean;
}

export async function reconcileOnce(
  parts: Parts,
  state: State,
  items: readonly Work[],
  view: Seen<Pass>,
): Promise<ReconcileResult> {
  const wanted: Work[] = [];
  let isBusy = false;
  for (const { work, next } of await planAll(parts, state, inTurn(parts, items, view), view)) {
    if (next.kind === "act") {
      if (isStale(parts, state, work, next)) isBusy = true;
      else if (await passGate(parts, state, work, next, view)) wanted.push(work);
    } else if (next.kind === "finish") {
      if (!isKnown(parts, next)) continue;
      await finish(parts, state, work, next);
    } else {
      isBusy = true;
    }
  }
  const acted = wanted.length > 0 && (await actUnderLock(parts, state, wanted));
  return { isBusy: isBusy || wanted.length > 0, acted };
}

/**
 * Whose last step is longest ago comes first, so that none waits for another's next one; and before all others whom jobs wait for by
 * Slurm's own `--dependency`: Slurm gives up on those within seconds.
 */
function inTurn({ journal }: Parts, items: readonly Work[], view: Seen<Pass>): readonly Work[] {
  if (view.kind !== "seen" || items.length < 2) return items;
  const awaited = awaitedJobs(view.value);
  const isAwaited = ({ jobId }: Work) => awaited.has(jobId) || awaited.has(jobId.split("_")[0] ?? "");
  const turns = items.map((work) => ({
    work,
    rank: isAwaited(work) ? 0 : 1,
    lastAt: journal.stepsOf(work.heimdallJobId).at(-1)?.begunAt ?? 0,
  }));
  return turns.sort((a, b) => a.rank - b.rank || a.lastAt - b.lastAt).map(({ work }) => work);
}

/** The lock, a fresh look, the same plan again, and only then the steps. */
async function actUnderLock(parts: Parts, state: State, wanted: readonly Work[]): Promise<boolean> {
  const lock = await parts.lock();
  if (lock === undefined) {
    parts.log.warn({}, "the lock is taken by the watchdog; this pass takes no step");
    return false;
  }
  try {
    parts.journal.refresh();
    state.holdReasons = new Map();
    lookBegins(state, parts.clock);
    const view = await parts.slurm.look();
    if (view.kind === "seen") state.slurm = view.value.settings;
    const areOrdersFresh = createOrdersCheck(parts, state);
    const steps = new Steps(parts, state);
    for (const { work, next } of await planAll(parts, state, wanted, view)) {
      if (next.kind !== "act") continue;
      if (!steps.hasRoomFor(next)) await steps.send();
      if (steps.isDoubtful) break;
      if (isStale(parts, state, work, next, "fresh")) continue;
      if (beginsRecovery(next.step, work) && !(await areOrdersFresh())) continue;
      if (await passGate(parts, state, work, next, view)) steps.begin(work, next);
    }
    await steps.send();
    return steps.taken > 0;
  } finally {
    lock.release();
  }
}

/**
 * Slurm was slow, or SAC was stopped, or the server is thinking: the Advice may be withdrawn by now, and the job another attempt. The
 * next pass knows.
 */
function isStale(
  { clock }: Parts,
  { workAsked, lookAsked }: State,
  work: Work,
  { step }: Act,
  look: "any" | "fresh" = "any",
): boolean {
  if (!beginsRecovery(step, work)) return false;
  const now = momentOf(clock);
  const isOldLook = look === "fresh" && atMostMs(lookAsked, now) > limits.lookAgeMaxMs;
  return work.isUndecided === true || isOldLook || atMostMs(workAsked, now) > limits.workAgeMaxMs;
}

/** An observer keeps no journal: a hold that it does not know may be that of the SAC that acts. */
const isKnown = ({ config }: Parts, { reason }: Finish) => config.mode === "act" || reason !== "HELD_BY_OTHERS";

type Finish = Plan & { kind: "finish" };

async function finish(parts: Parts, state: State, work: Work, next: Finish): Promise<void> {
  const { disposition, reason, why: message } = next;
  const key = adviceKey(work);
  if (!state.finished.has(key)) {
    parts.journal.finish(work, parts.clock.now());
    state.finished.add(key);
    const what = { job: work.jobId, attempt: work.attemptIndex, trace: traceOf(work) };
    parts.log.info({ ...what, disposition, reason }, message);
  }
  await reportStatus(parts, work, { disposition, reason, message });
}
