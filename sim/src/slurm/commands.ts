/**
 * commands: hold, release, requeue, cancel, suspend and resume, as slurmctld carries them out on one record.
 *
 * Gives    `undefined` when it was done (which is not to say that anything changed), else slurmctld's words.
 * Source   slurm.md §2.1, §2.2, §2.8.
 */
import type { Ledger } from "./ledger.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Processes } from "./processes.ts";
import { isActive, isFinal, isLed, type JobRecord } from "./record.ts";
import { maySteer, type Person } from "./rights.ts";
import type { Schedule } from "./schedule.ts";
import { wholeOf } from "./tasks.ts";
import { words } from "./words.ts";

export type Refused = string | undefined;

export interface Parts {
  readonly ledger: Ledger;
  readonly lifecycle: Lifecycle;
  readonly processes: Processes;
  readonly schedule: Schedule;
}

/** Its own record; a het leader's components with it. */
const togetherWith = (ledger: Ledger, job: JobRecord): readonly JobRecord[] =>
  isLed(job) ? [job] : wholeOf(ledger, job);

export interface RequeueFlags {
  readonly holds: boolean;
  /** Only a job that has not ended. */
  readonly incomplete: boolean;
  readonly specialExit: boolean;
}

export function requeue({ lifecycle }: Parts, person: Person, job: JobRecord, flags: RequeueFlags): Refused {
  if (!maySteer(person, job)) return words.denied;
  if (isLed(job)) return words.notLeader;
  if (!job.batch) return words.notBatch;
  if (flags.incomplete && (isFinal(job) || (job.base === "PENDING" && !job.completing))) return undefined;
  if (!job.requeue) return words.disabled;
  if (job.base === "PENDING") return words.pending;
  const description = flags.holds ? { description: "job requeued in held state" } : {};
  const how = { holds: flags.holds || flags.specialExit, specialExit: flags.specialExit };
  lifecycle.requeue(job, person.user, { ...how, ...description });
  return undefined;
}

export function hold({ ledger }: Parts, person: Person, job: JobRecord, asUser: boolean): Refused {
  if (!maySteer(person, job)) return words.wrongUser;
  if (isFinal(job)) return words.finished;
  const kind = person.isOperator && !asUser ? "admin" : "user";
  for (const part of togetherWith(ledger, job)) {
    if (part.hold === "admin" && !person.isOperator) continue; // An owner's hold under an administrator's changes nothing.
    ledger.change(part);
    [part.hold, part.priority, part.reason] = [kind, 0, kind === "user" ? "JobHeldUser" : "JobHeldAdmin"];
    ledger.tell("held", person.user, kind, part);
  }
  return undefined;
}

export function release({ ledger, schedule }: Parts, person: Person, job: JobRecord): Refused {
  if (!maySteer(person, job)) return words.wrongUser;
  if (isFinal(job)) return words.finished;
  if (job.hold === "admin" && !person.isOperator) return words.denied;
  for (const part of togetherWith(ledger, job)) {
    ledger.change(part);
    const wasHeld = part.priority === 0;
    part.priority = ledger.nextPriority--;
    if (wasHeld) {
      [part.reason, part.description, part.hold, part.shownAs] = ["None", "", undefined, undefined];
      if (part.base === "PENDING") [part.exitCode, part.signal] = [0, 0];
    }
    ledger.tell("released", person.user, wasHeld ? (part.completing ? "while COMPLETING" : "") : "was not held", part);
  }
  schedule.request();
  return undefined;
}

/** scancel says nothing of a job that is over, or unknown. */
export function cancel({ ledger, lifecycle }: Parts, person: Person, job: JobRecord): Refused {
  if (!maySteer(person, job)) return words.denied;
  if (isLed(job)) return words.component;
  for (const part of togetherWith(ledger, job)) lifecycle.cancel(part, person.user);
  return undefined;
}

export function suspend({ ledger, processes }: Parts, person: Person, job: JobRecord): Refused {
  if (!person.isOperator) return words.denied;
  if (job.base === "PENDING") return words.pending;
  if (!isActive(job)) return words.completing;
  if (job.base === "SUSPENDED") return undefined;
  ledger.change(job);
  [job.base, job.suspendedPriority, job.priority] = ["SUSPENDED", job.priority, 0];
  processes.suspend(job.run);
  ledger.tell("suspended", person.user, "", job);
  return undefined;
}

export function resume({ ledger, processes }: Parts, person: Person, job: JobRecord): Refused {
  if (!person.isOperator) return words.denied;
  if (job.base !== "SUSPENDED") return words.notSuspended;
  ledger.change(job);
  // A hold is gone with it; its reason stays.
  [job.base, job.priority, job.hold] = ["RUNNING", job.suspendedPriority || ledger.nextPriority--, undefined];
  processes.resume(job.run);
  ledger.tell("resumed", person.user, "", job);
  return undefined;
}
