/**
 * leaving: the end of COMPLETING, and of a record.
 *
 * Keeps    the submit time and the start delay are set when a requeued job becomes PENDING, not when it is requeued. A start time that
 *          was set meanwhile is kept when it is still to come.
 * Source   slurm.md §2.1, §2.2 (MinJobAge), §2.8; `batch_requeue_fini` of slurmctld.
 */
import type { Ledger } from "./ledger.ts";
import type { Processes } from "./processes.ts";
import { isFinal, type JobRecord, wholeSecond } from "./record.ts";
import type { Schedule } from "./schedule.ts";

export interface Leaving {
  /** COMPLETING ends so long from now, if nothing of the job runs any more. */
  clear(job: JobRecord, afterMs: number): void;
  becomePending(job: JobRecord): void;
  /** It has reached a final state and has left its nodes. */
  ended(job: JobRecord): void;
  /** It is forgotten when it is old enough. */
  armPurge(job: JobRecord): void;
}

export interface LeavingDeps {
  readonly ledger: Ledger;
  readonly processes: Processes;
  readonly schedule: Schedule;
}

/** How long Slurm itself keeps a requeued job from starting. */
export function requeueDelayMs({ settings, release }: Ledger): number {
  const given = release.hasRequeueOptions ? settings.requeueDelaySeconds : undefined;
  return ((given ?? settings.credExpireSeconds) + 1) * 1000;
}

export function createLeaving({ ledger, processes, schedule }: LeavingDeps): Leaving {
  const { settings, timetable } = ledger;
  const leaving: Leaving = {
    clear({ recordId, run }, afterMs) {
      timetable.at(ledger.now() + afterMs, "controller", () => {
        const job = ledger.jobs.get(recordId);
        if (job === undefined || job.run !== run || !job.completing || processes.lives(run)) return;
        ledger.change(job).completing = false;
        settleExpedited(ledger, job);
        if (job.base === "PENDING") leaving.becomePending(job);
        else leaving.ended(job);
        schedule.request();
      });
    },
    becomePending(job) {
      const now = wholeSecond(ledger.now());
      job.submitAt = now > job.submitAt ? now : job.submitAt + 1000;
      job.sluid = ledger.newSluid();
      if (job.beginAt <= now) job.beginAt = job.shownAs === "EXPEDITING" ? now : now + requeueDelayMs(ledger);
      [job.startAt, job.endAt, job.nodes] = [0, 0, []];
      job.partition = job.partitionsAsked.join(",");
      schedule.atBegin(job);
    },
    ended(job) {
      job.endedIn = ledger.lives;
      ledger.tell("ended", "slurm", job.base, job);
      schedule.judgeDependents(ledger.release.judgesDependentsAfterMs);
      leaving.armPurge(job);
    },
    armPurge(job) {
      const everyMs = settings.purgeEverySeconds * 1000;
      const due = Math.max(job.endAt, ledger.now()) + settings.minJobAgeSeconds * 1000;
      const { recordId, endAt } = job;
      timetable.at(Math.ceil(due / everyMs) * everyMs, "controller", () => {
        const old = ledger.jobs.get(recordId);
        if (old === undefined || !isFinal(old) || old.completing || old.endAt !== endAt) return;
        ledger.tell("purged", "slurm", old.base, old);
        ledger.remove(old);
      });
    },
  };
  return leaving;
}

/** An expedited job whose epilogs were all good is held: its nodes are not to blame, so it would fail again. */
function settleExpedited(ledger: Ledger, job: JobRecord): void {
  const failing = job.nodes.flatMap((name) => ledger.nodes.get(name) ?? []).filter((node) => node.epilogFailures > 0);
  for (const node of failing) {
    node.epilogFailures--;
    [node.isDrained, node.reason] = [true, "Epilog error"];
    ledger.changed();
    ledger.tell("node", "slurm", `${node.name} drain: Epilog error`);
  }
  if (job.shownAs !== "EXPEDITING" || failing.length > 0) return;
  job.shownAs = "REQUEUE_HOLD";
  [job.priority, job.hold, job.reason, job.description] = [0, "user", "JobHeldUser", "job requeued in held state"];
  ledger.tell("held", "slurm", "REQUEUE_HOLD", job);
}
