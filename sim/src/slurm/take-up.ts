/**
 * take-up: a controller that starts takes up what its state says, and what the nodes say of it.
 *
 * Keeps    what it has forgotten but its nodes run is killed; what it believes to run and its nodes do not is found missing late, and
 *          requeued by Slurm itself.
 * Source   slurm.md §2.5; seen on 22.05.8: RUNNING for over half a minute after a rollback, without a process.
 */
import type { Leaving } from "./leaving.ts";
import type { Ledger } from "./ledger.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Processes } from "./processes.ts";
import { hasAllocation, isActive, isFinal } from "./record.ts";
import type { Schedule } from "./schedule.ts";
import { scriptOf } from "./tasks.ts";

export interface TakeUpDeps {
  readonly ledger: Ledger;
  readonly processes: Processes;
  readonly leaving: Leaving;
  readonly lifecycle: Lifecycle;
  readonly schedule: Schedule;
}

/** A controller that starts hears from its nodes within this. */
const registrationMs = 1_000;

export function takeUp({ ledger, processes, leaving, lifecycle, schedule }: TakeUpDeps): void {
  const jobs = [...ledger.jobs.values()];
  processes.killOrphans(new Set(jobs.flatMap((job) => (hasAllocation(job) ? [job.run] : []))));
  for (const job of jobs) {
    if (job.completing) leaving.clear(job, registrationMs);
    else if (isFinal(job)) leaving.armPurge(job);
    else if (!isActive(job)) schedule.atBegin(job);
    else {
      lifecycle.armTimeLimit(job);
      if (processes.lives(scriptOf(ledger, job).run)) continue;
      const missingAt = ledger.now() + ledger.settings.missingAfterSeconds * 1000;
      ledger.timetable.at(missingAt, "controller", () => lifecycle.missing(job));
    }
  }
  schedule.request();
}
