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

const comment = (mode: string) => JSON.stringify({ recovery: { auto_resume_mode: mode } });

test.each<[what: string, change: Partial<SlurmJob>, warnings: unknown]>([
  ["nothing is in the way", { comment: comment("requeue") }, undefined],
  ["--no-requeue", { comment: comment("requeue"), requeueable: false }, [expect.stringContaining("--no-requeue")]],
  ["not a batch job", { comment: comment("requeue"), batch: false }, [expect.stringContaining("not a batch job")]],
  ["of a chain nothing is requeued", { comment: comment("singleton_dependency"), requeueable: false }, undefined],
  ["not opted in", { comment: "", requeueable: false }, undefined],
])(
  "what keeps a restart from being carried out stands on the record from the first sight: %s",
  (_what, change, warnings) => {
    const job = slurmJob({ state: "PENDING", ...change });
    const { recovery } = reportOf(attemptsOf(job)[0]!, job, { cluster: "c" }).schedulerMetadata as {
      recovery: JsonObject;
    };
    expect(recovery["warnings"]).toEqual(warnings);
  },
);
