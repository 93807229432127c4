/**
 * rows: what slurm.md says that Slurm does, row by row, and why a row has no story.
 *
 * Keeps    every row is told by a story of this folder, or stands in `exemptions` with its reason (tested): nothing is relied on that nobody
 *          has seen on the real Slurm.
 */
import type { Story } from "./story.ts";

export const rows = {
  "2.1 failed": "exit 7: FAILED NonZeroExitCode 7:0, its nodes still named",
  "2.1 requeued": "requeuehold: PENDING, held, counted at the requeue; new submit time, start after cred_expire + 1",
  "2.1 updated": "ExcNodeList and Comment of the held job",
  "2.1 released": "release: None, then BeginTime; the old exit code is gone",
  "2.1 again": "runs with SLURM_RESTART_COUNT=1, not on the excluded node",
  "2.1 delay": "no start before cred_expire + 1 s after the requeue, held or not",
  "2.1 skip": "StartTime skips the delay",
  "2.1 requeue running": "COMPLETING with the count already raised, then PENDING",
  "2.1 requeue suspended": "the same from SUSPENDED",
  "2.1 release twice": "rc 0 each time",
  "2.1 hold by root": "JobHeldAdmin: the owner cannot release it",
  "2.1 hold by owner": "requeuehold and uhold: JobHeldUser, the owner can release it",
  "2.1 hold suspended": "a suspended job has priority 0, held or not: only JSON's reason tells",
  "2.1 hold running": "accepted: priority 0, keeps running",
  "2.1 hold finished": "Job has already finished",
  "2.2 running": "requeuehold of RUNNING, SUSPENDED, COMPLETING is accepted",
  "2.2 failed": "of FAILED, TIMEOUT, PREEMPTED is accepted",
  "2.2 completed": "of COMPLETED and CANCELLED too",
  "2.2 pending": "of PENDING: Job is pending execution; twice at once is once",
  "2.2 no requeue": "of --no-requeue: Requested operation is presently disabled; Requeue=1 only before the end",
  "2.2 not batch": "of srun: Only batch jobs are accepted or processed",
  "2.2 unknown": "of a job that is not there: Invalid job id specified",
  "2.2 stranger": "by a stranger: Access/permission denied; update: Invalid user id",
  "2.2 het": "only the leader of a heterogeneous job, and all components go",
  "2.2 array": "one task alone; the array with an answer for each",
  "2.2 purged": "after MinJobAge: Invalid job id specified",
  "2.2 out of memory": "of OUT_OF_MEMORY is accepted",
  "2.2 node fail": "of NODE_FAIL of --no-requeue: disabled",
  "2.3 pending only": "ExcNodeList only while PENDING; replaced, cleared, unknown nodes refused",
  "2.3 owner": "the owner may clear an exclusion and overwrite a comment",
  "2.3 bad constraints": "too few nodes left: BadConstraints, priority 0, until the list is mended",
  "2.3 comment": "1024 bytes, kept byte for byte, not after the end",
  "2.3 admin comment": "root only, 65 000 bytes, not after the end",
  "2.3 system comment": "cannot be set",
  "2.3 not atomic": "a refused key leaves the others applied",
  "2.3 split off": "an update of an unstarted task gives it a record",
  "2.4 signal": "killed by a signal: FAILED JobLaunchFailure 0:9",
  "2.4 output": "output folder missing: FAILED JobLaunchFailure 0:53",
  "2.4 workdir": "work folder missing: runs elsewhere",
  "2.4 time limit": "TIMEOUT TimeLimit 0:15",
  "2.4 out of memory": "OUT_OF_MEMORY 0:125",
  "2.4 scancel": "CANCELLED 0:15; of a held job the reason stays",
  "2.4 preempt requeue": "PENDING BeginTime, counted",
  "2.4 preempt cancel": "PREEMPTED 0:15",
  "2.4 node down": "--requeue: Slurm requeues it itself",
  "2.4 node down for good": "--no-requeue: NODE_FAIL NodeDown",
  "2.4 node down completing": "what is COMPLETING on it is over at once",
  "2.4 prolog": "node drained, job held: launch failed requeued held",
  "2.4 prolog no hold": "with nohold_on_prolog_fail: not held",
  "2.4 requeue exit": "RequeueExit: PENDING, counted",
  "2.4 requeue exit hold": "RequeueExitHold, State=SpecialExit: SPECIAL_EXIT, held; release makes it PENDING",
  "2.4 drain": "a job on a drained node goes on",
  "2.4 credential revoked": "a start in the second of its end: FAILED 1:0",
  "2.4 deadline": "it can no longer end before its deadline: DEADLINE 0:1",
  "2.4 boot fail": "BOOT_FAIL",
  "2.4 hold in the window": "after a lost node, hold, ExcNodeList, release inside the delay",
  "2.5 rolled back": "a crash right after requeuehold and update: as before both",
  "2.5 reissued": "a crash right after sbatch: gone, and the next gets its ID",
  "2.5 kept": "a crash 6 s later: kept",
  "2.5 in order": "stop and start: all kept, running jobs adopted, an end in between reported",
  "2.7 operator": "adminlevel=Operator: all but AdminComment",
  "2.8 resurrected": "scancel, COMPLETING, requeuehold: PENDING again",
  "2.8 incomplete": "Incomplete leaves what has ended alone",
  "2.8 tasks": "a held task is its own row with -r",
  "2.8 duplicate": "a second requeuehold inside the delay is refused",
  "2.8 start in completing": "StartTime=now in COMPLETING is overwritten; a later one is kept",
  "2.8 start of others": "ours overwrites the owner's",
  "2.8 relabelled": "an administrator's hold of a running job becomes JobHeldUser by our requeuehold",
  "2.8 hidden holds": "root's hold over ours shows only in JSON; the owner's nowhere",
  "2.8 lost hold": "release in COMPLETING: rc 0, and the hold is lost",
  "2.8 completing takes": "ExcNodeList and AdminComment are accepted in COMPLETING",
  "2.8 dependents": "afterok fails for good, kill-on-invalid-dep cancels, afternotok and afterany run",
  "2.8 held dependents":
    "what is held is looked at once a minute: fulfilled is shown no more, failed makes of its hold an administrator's",
  "2.8 array dependents": "aftercorr goes task by task; for a whole array one failed task has failed for good",
  "2.8 unnoticed": "a requeue while RUNNING is not noticed by dependents",
  "2.8 special exit fires": "SPECIAL_EXIT fires afternotok",
  "2.8 singleton": "a sibling starts beside the requeued one, whose own dependency is gone",
  "2.8 repair": "Dependency= is taken again while the parent is held",
  "2.8 lost node": "ExcNodeList inside the delay works without a hold",
  "2.8 partitions": "one is shown once started, all again after the requeue",
  "2.8 own exclusions": "the owner's own ExcNodeList stays over a requeue, and ours is added to it",
  "2.8 begin": "--begin that is over delays no restart",
  "2.8 license": "a requeued job has given its license back, and waits for it like any other",
  "2.8 reservation":
    "a job stays in its reservation: too few nodes left in it are BadConstraints, until the list is mended",
  "2.8 mark": "AdminComment: refused when FAILED, taken when RUNNING, survives the requeue",
  "2.8 priority": "a requeue loses a Priority that was set",
  "2.8 many requeues": "requeuehold does not use up MaxBatchRequeue",
  "2.8 cancel wins": "scancel in our COMPLETING wins",
  "2.8 sigterm": "SIGTERM reaches the script, which ends in its own time up to KillWait",
  "6 lost answer": "a command whose answer is lost may have been carried out, or not",
  "6 down": "a controller that does not answer: unavailable, nothing is sent",
  "6 paused": "a command to a paused controller is carried out when it goes on",
} as const;

export type Row = keyof typeof rows;

/** Rows that cannot be told on one machine, each with what Slurm itself said. */
export const exemptions: Partial<Readonly<Record<Row, string>>> = {
  "2.2 out of memory": "nothing ends OUT_OF_MEMORY without cgroups, see 2.4",
  "2.4 out of memory": "without cgroups nobody looks: `sbatch --mem=10` of a program that takes 300 MB is COMPLETED",
  "2.4 credential revoked":
    '"Job credential revoked" in 10 of 34 tries: its second cannot be chosen; the model\'s rule is in sim/src/slurm/model.test.ts',
  "2.4 boot fail": '`scontrol reboot`: "RebootProgram isn\'t defined"; without one `sbatch --reboot` simply runs',
  "2.7 operator": `sacctmgr: "You are not running a supported accounting_storage plugin": it needs slurmdbd`,
};

/** Rows that are neither told nor exempt, or both. */
export function untold(stories: readonly Story[]): string[] {
  const told = new Set(stories.flatMap((story) => story.rows));
  return (Object.keys(rows) as Row[]).flatMap((row) => {
    if (told.has(row) && exemptions[row] !== undefined) return [`${row}: has a story and an exemption`];
    return told.has(row) || exemptions[row] !== undefined ? [] : [`${row}: ${rows[row]}`];
  });
}
