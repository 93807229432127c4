/**
 * Goal    a job is the attempt that Slurm showed last, not the one with the highest index.
 * Method  one table: the attempts of a job, oldest first, and which of them it is.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "../nouns.ts";
import { latestAttempt } from "./latest-attempt.ts";

type Attempt = Pick<AttemptRecord, "status" | "jmState">;

const running: Attempt = { status: "RUNNING", jmState: "RUNNING" };
const failed: Attempt = { status: "FAILED", jmState: "FAILED" };
const requeued: Attempt = { status: "FAILED", jmState: "REQUEUED" };
const deleted: Attempt = { status: "DELETED", jmState: "UNKNOWN" };

const cases: [situation: string, attempts: readonly Attempt[], latest: number][] = [
  ["never restarted", [failed], 0],
  ["restarted", [requeued, running], 1],
  ["still leaving its nodes, and counted up", [running, { status: "PENDING", jmState: "PENDING" }], 1],
  ["rolled back to its failure", [failed, deleted], 0],
  ["rolled back by two", [running, deleted, deleted], 0],
  ["rolled back to its second attempt", [requeued, failed, deleted], 1],
  ["left Slurm while it waited for its restart", [requeued, deleted], 1],
  ["left Slurm unseen", [deleted], 0],
  ["rolled back, and left Slurm unseen", [deleted, deleted], 1],
];

test.each(cases)("%s", (_situation, attempts, latest) => {
  expect(latestAttempt(attempts)).toBe(attempts[latest]);
});

test("of no attempts there is none", () => {
  expect(latestAttempt([])).toBeUndefined();
});
