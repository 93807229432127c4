/**
 * latest-attempt: which attempt of a scheduler job it is now.
 *
 * Takes         the attempts of one incarnation, oldest first.
 * Gives         the last one; of a job whose controller was rolled back to an earlier one, that one: what came after it never happened in
 *               the history that survived, and is DELETED. Undefined: there is none.
 * Pure, total
 * Keeps         a job that waited for its restart and has left Slurm is gone: the attempt before stays REQUEUED, and is not the job's again.
 */
import type { AttemptRecord } from "../nouns.ts";

export function latestAttempt<Attempt extends Pick<AttemptRecord, "status" | "jmState">>(
  attempts: readonly Attempt[],
): Attempt | undefined {
  const last = attempts.at(-1);
  if (last?.status !== "DELETED") return last;
  const alive = attempts.findLast(({ status }) => status !== "DELETED");
  return alive === undefined || alive.jmState === "REQUEUED" ? last : alive;
}
