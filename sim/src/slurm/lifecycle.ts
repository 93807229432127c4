/**
 * lifecycle: how a job starts, ends and is requeued.
 *
 *   PENDING ──start──► RUNNING ──its script ends──► (final, COMPLETING) ──epilog──► final ──MinJobAge──► forgotten
 *      ▲                  │ requeue: count + 1           │ requeue: count + 1        │ requeue: count + 1
 *      └── its end ──── (PENDING, COMPLETING) ◄──────────┴───────────────────────────┘ (not COMPLETING: PENDING at once)
 *
 * Keeps    the restart count grows at the requeue, not at the start.
 * Source   slurm.md §2.1, §2.4, §2.8; `_job_requeue_op` of slurmctld.
 */
import type { Leaving } from "./leaving.ts";
import type { Ledger } from "./ledger.ts";
import type { Processes } from "./processes.ts";
import { type BaseState, hasAllocation, isActive, isFinal, type JobRecord, wholeSecond } from "./record.ts";
import type { Schedule } from "./schedule.ts";
import type { ReleaseTraits } from "./releases.ts";
import type { Exit } from "./sim-slurm.ts";
import { scriptOf, wholeOf } from "./tasks.ts";

export interface Lifecycle {
  start(job: JobRecord, nodes: readonly string[], partition: string): void;
  /** The controller hears that the batch script of this start is over. */
  scriptEnded(run: number, exit: Exit): void;
  /** Ends an attempt that runs: SIGTERM, COMPLETING. `exit`: what shows when its script says nothing better. */
  end(job: JobRecord, base: BaseState, reason: string, exit: Exit): void;
  requeue(job: JobRecord, by: string, how: Requeue): void;
  cancel(job: JobRecord, by: string): void;
  /** Its deadline cannot be kept any more. */
  giveUp(job: JobRecord): void;
  /** Its processes are gone and nobody will say so. */
  missing(job: JobRecord): void;
  armTimeLimit(job: JobRecord): void;
}

export interface Requeue {
  readonly holds: boolean;
  readonly specialExit?: boolean;
  /** Whether it starts at once or is held is seen when its epilogs have ended. */
  readonly expedites?: boolean;
  /** Text of the reason, when it is held. */
  readonly description?: string;
}

export interface LifecycleDeps {
  readonly ledger: Ledger;
  readonly processes: Processes;
  readonly leaving: Leaving;
  readonly schedule: Schedule;
  readonly nextRun: () => number;
  readonly prologFailed: (job: JobRecord, node: string) => void;
}

/** slurmctld looks for jobs over their limit now and then. */
const timeLimitLateMs = 4_500;

export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  const { ledger, processes, leaving, schedule } = deps;
  const lifecycle: Lifecycle = {
    start: (job, nodes, partition) => start(deps, lifecycle, job, nodes, partition),
    scriptEnded: (run, exit) => scriptEnded(deps, lifecycle, run, exit),
    end(job, base, reason, exit) {
      end(deps, lifecycle, job, base, reason, exit);
      for (const part of wholeOf(ledger, job)) if (isActive(part)) end(deps, lifecycle, part, base, reason, exit);
    },
    requeue(job, by, how) {
      for (const part of wholeOf(ledger, job))
        if (part === job || part.base !== "PENDING") requeue(deps, part, by, how);
    },
    cancel(job, by) {
      if (isFinal(job)) return;
      ledger.change(job);
      ledger.tell("cancelled", by, job.completing ? "COMPLETING" : job.base, job);
      if (isActive(job)) return lifecycle.end(job, "CANCELLED", job.reason, { signal: 15 });
      [job.base, job.shownAs, job.endAt] = ["CANCELLED", undefined, wholeSecond(ledger.now())];
      if (job.completing) return;
      job.startAt = job.endAt;
      leaving.ended(job);
      schedule.request();
    },
    giveUp(job) {
      ledger.change(job);
      [job.base, job.reason, job.signal] = ["DEADLINE", "DeadLine", 1];
      job.startAt = job.endAt = wholeSecond(ledger.now());
      leaving.ended(job);
      schedule.request();
    },
    missing(stale) {
      const job = ledger.jobs.get(stale.recordId);
      if (job === undefined || job.run !== stale.run || !isActive(job)) return;
      if (processes.lives(scriptOf(ledger, job).run)) return;
      if (job.requeue && job.batch) lifecycle.requeue(job, "slurm", { holds: false });
      else lifecycle.end(job, "NODE_FAIL", "NodeDown", { signal: 15 });
    },
    armTimeLimit({ recordId, run, startAt, timeLimitMs }) {
      if (timeLimitMs === undefined) return;
      ledger.timetable.at(startAt + timeLimitMs + timeLimitLateMs, "controller", () => {
        const late = ledger.jobs.get(recordId);
        if (late?.run === run && late.base === "RUNNING") lifecycle.end(late, "TIMEOUT", "TimeLimit", { signal: 15 });
      });
    },
  };
  return lifecycle;
}

function start(deps: LifecycleDeps, lifecycle: Lifecycle, job: JobRecord, nodes: readonly string[], partition: string) {
  const { ledger, processes } = deps;
  const soon = (act: () => void) => void ledger.timetable.at(ledger.now(), "controller", act);
  ledger.change(job);
  [job.base, job.shownAs] = ["RUNNING", undefined];
  job.run = deps.nextRun();
  job.startAt = wholeSecond(ledger.now());
  [job.endAt, job.exitCode, job.signal, job.reason, job.nodes, job.partition] = [0, 0, 0, "None", nodes, partition];
  ledger.tell("started", "slurm", nodes.join(","), job);
  const { run } = job;
  const failing = nodes.find((name) => (ledger.nodes.get(name)?.prologFailures ?? 0) > 0);
  if (failing !== undefined) return soon(() => deps.prologFailed(job, failing));
  lifecycle.armTimeLimit(job);
  if (!nodes.every((name) => ledger.nodes.get(name)?.isAlive)) return; // Found out when the node is.
  if (scriptOf(ledger, job) !== job) return; // Its steps are the leader's.
  if (!processes.isRevoked(job)) return processes.launch(job);
  // "Job credential revoked": killed as non-startable.
  soon(() => lifecycle.scriptEnded(run, { exitCode: 1 }));
}

function scriptEnded({ ledger, leaving }: LifecycleDeps, lifecycle: Lifecycle, run: number, exit: Exit): void {
  const job = [...ledger.jobs.values()].find((one) => one.run === run && hasAllocation(one));
  if (job === undefined) return; // Forgotten by a crash.
  if (isActive(job)) {
    const { base, reason } = meaning(exit, ledger.release);
    lifecycle.end(job, base, reason, exit);
    return;
  }
  if (job.base === "CANCELLED") ledger.change(job).exitCode = exit.exitCode ?? 0;
  leaving.clear(job, ledger.settings.epilogMs);
}

function end(
  { ledger, processes, leaving, schedule }: LifecycleDeps,
  lifecycle: Lifecycle,
  job: JobRecord,
  base: BaseState,
  reason: string,
  exit: Exit,
): void {
  ledger.change(job);
  [job.base, job.completing, job.endAt] = [base, true, wholeSecond(ledger.now())];
  [job.reason, job.description, job.exitCode, job.signal] = [reason, "", exit.exitCode ?? 0, exit.signal ?? 0];
  if (base !== "COMPLETED") job.hasEverFailed = true;
  ledger.tell("completing", "slurm", base, job);
  processes.terminate(job);
  if (!processes.lives(job.run)) {
    if (base === "FAILED" && scriptOf(ledger, job) === job && requeuesItself(ledger, lifecycle, job)) return;
    leaving.clear(job, ledger.settings.epilogMs);
  }
  schedule.request();
}

/** RequeueExit and RequeueExitHold; --no-requeue does not keep 22.05 from either. */
function requeuesItself({ settings, release }: Ledger, lifecycle: Lifecycle, job: JobRecord): boolean {
  if (release.heedsNoRequeue && !job.requeue) return false;
  if (job.expedited && job.exitCode !== 0) {
    lifecycle.requeue(job, "slurm", { holds: false, expedites: true });
    return true;
  }
  const holds = settings.requeueExitHold.includes(job.exitCode);
  if (!holds && !settings.requeueExit.includes(job.exitCode)) return false;
  lifecycle.requeue(job, "slurm", { holds, specialExit: holds });
  return true;
}

function requeue(
  { ledger, processes, leaving, schedule }: LifecycleDeps,
  job: JobRecord,
  by: string,
  how: Requeue,
): void {
  const { holds, specialExit = false, expedites = false, description = "" } = how;
  ledger.change(job);
  const [from, wasActive, lingersMs] = [job.base, isActive(job), lingersFor(ledger, job)];
  job.restartCount++;
  [job.base, job.shownAs] = ["PENDING", specialExit ? "SPECIAL_EXIT" : expedites ? "EXPEDITING" : undefined];
  if (job.hold === undefined || holds) job.reason = holds ? "JobHeldUser" : "None";
  if (holds) [job.priority, job.hold, job.description] = [0, "user", description];
  else if (from === "SUSPENDED" && job.hold === undefined) job.priority = job.suspendedPriority;
  ledger.tell("requeued", by, `${from}${holds ? ", held" : ""}`, job);
  if (wasActive) {
    [job.completing, job.endAt] = [true, wholeSecond(ledger.now())];
    processes.terminate(job);
  }
  if (lingersMs !== undefined) {
    job.completing = true;
    leaving.clear(job, lingersMs);
  } else if (!job.completing) leaving.becomePending(job);
  else if (!processes.lives(job.run)) leaving.clear(job, ledger.settings.epilogMs);
  schedule.request();
}

/** It had ended before this slurmctld started, which does not know any more that its nodes are free of it. */
function lingersFor({ release, lives }: Ledger, job: JobRecord): number | undefined {
  return isFinal(job) && !job.completing && job.endedIn < lives ? release.lingersMs : undefined;
}

const signalNames: Readonly<Record<number, string>> = {
  6: "Aborted",
  9: "Killed",
  11: "Segmentation fault",
  15: "Terminated",
};

function meaning(
  { exitCode = 0, signal = 0, outOfMemory = false }: Exit,
  { namesSignals }: ReleaseTraits,
): { base: BaseState; reason: string } {
  if (outOfMemory) return { base: "OUT_OF_MEMORY", reason: "OutOfMemory" };
  if (signal !== 0)
    return {
      base: "FAILED",
      reason: namesSignals ? `RaisedSignal:${signal}(${signalNames[signal] ?? ""})` : "JobLaunchFailure",
    };
  return exitCode === 0 ? { base: "COMPLETED", reason: "None" } : { base: "FAILED", reason: "NonZeroExitCode" };
}
