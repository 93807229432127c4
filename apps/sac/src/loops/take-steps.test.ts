/**
 * Goal    a batch is written down before it is sent, has one step of a job at most, and ends when nobody knows what became of one.
 * Method  a Slurm that only notes what it is given, and a journal in memory.
 */
import { slurmJob } from "@reprise/core/fact/slurm-job.example.ts";
import { limits } from "@reprise/core/limits.ts";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Act } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { expect, test } from "vitest";
import { createJournal } from "../journal.ts";
import { oneJobWorld } from "../testing/one-job-world.ts";
import { memoryDisk } from "../testing/memory.ts";
import type { Order, Outcome } from "../slurm/slurm.ts";
import { Steps } from "./take-steps.ts";

function world(become: (order: Order) => Outcome = () => ({ kind: "done" })) {
  const { parts, state } = oneJobWorld().start();
  const disk: string[] = [];
  const batches: { readonly jobs: readonly string[]; readonly begun: number }[] = [];
  let keys = 0;
  const journal = createJournal(memoryDisk(disk), () => `k${keys++}`);
  const applyAll = async (orders: readonly Order[]) => {
    const begun = journal.all().filter(({ endedAt }) => endedAt === undefined).length;
    batches.push({ jobs: orders.map(({ fence }) => fence.expected.jobId), begun });
    return orders.map(become);
  };
  return { steps: new Steps({ ...parts, journal, slurm: { ...parts.slurm, applyAll } }, state), batches, journal };
}

const stepOf = (job: Partial<SlurmJob>): Act => ({
  kind: "act",
  step: { kind: "requeue-hold", isRunning: false },
  job: slurmJob(job),
  why: "",
});
const workOf = (jobId: string) => ({ heimdallJobId: `id-${jobId}`, jobId, attemptIndex: 0, generation: 1 }) as Work;

test("all of a batch stand in the journal before any is sent, and end there", async () => {
  const { steps, batches, journal } = world();
  for (const jobId of ["1", "2", "3"]) steps.begin(workOf(jobId), stepOf({ jobId }));
  await steps.send();
  expect(batches).toEqual([{ jobs: ["1", "2", "3"], begun: 3 }]);
  expect(journal.all().map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
  expect([steps.taken, steps.isDoubtful]).toEqual([3, false]);
  await steps.send();
  expect(batches).toHaveLength(1);
});

test("there is room for so many, and for one step of a job, whose components are one", async () => {
  const { steps } = world();
  steps.begin(workOf("1"), stepOf({ jobId: "1", hetJobId: "1" }));
  steps.begin(workOf("95_1"), stepOf({ jobId: "95_1" }));
  const room = ["1", "2", "95_1", "95_2"].map((jobId) =>
    steps.hasRoomFor(stepOf({ jobId, ...(jobId === "2" ? { hetJobId: "1" } : {}) })),
  );
  expect(room).toEqual([false, false, false, true]);
  for (let i = 2; i < limits.commandBatchMax; i++)
    steps.begin(workOf(`${1_000 + i}`), stepOf({ jobId: `${1_000 + i}` }));
  expect(steps.hasRoomFor(stepOf({ jobId: "7" }))).toBe(false);
});

test("one of unknown outcome makes all that comes after it doubtful", async () => {
  const unknown: Outcome = { kind: "unknown", detail: "no answer within the limit" };
  const { steps } = world(({ fence }) => (fence.expected.jobId === "2" ? unknown : { kind: "done" }));
  for (const jobId of ["1", "2"]) steps.begin(workOf(jobId), stepOf({ jobId }));
  await steps.send();
  expect([steps.taken, steps.isDoubtful]).toEqual([2, true]);
});
