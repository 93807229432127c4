/**
 * Goal    what is published of an attempt is its own.
 * Method  a task of an array as Slurm shows it before and after its start.
 */
import { slurmJob } from "@reprise/core/fact/slurm-job.example.ts";
import { attemptsOf } from "@reprise/core/fact/attempts-of.ts";
import type { JsonObject, SlurmJob } from "@reprise/core/nouns.ts";
import { expect, test } from "vitest";
import { reportOf } from "./report.ts";

const task = (change: Partial<SlurmJob>) => slurmJob({ jobId: "95_1", arrayJobId: "95", arrayTaskId: "1", ...change });

function recordOf(job: SlurmJob): unknown {
  const [sight] = attemptsOf(job, undefined);
  const { slurm } = reportOf(sight!, job, { cluster: "c" }).schedulerMetadata as { slurm: JsonObject };
  return slurm["recordId"];
}

test("a task that has not started has no record of its own: the array's number names no log of it", () => {
  expect(recordOf(task({ state: "PENDING", recordId: "95" }))).toBe("");
});

test("a task that runs has one, the last task the array's", () => {
  expect(recordOf(task({ state: "RUNNING", recordId: "96" }))).toBe("96");
  expect(recordOf(task({ state: "RUNNING", recordId: "95" }))).toBe("95");
  expect(recordOf(slurmJob({ state: "PENDING", recordId: "123" }))).toBe("123");
});
