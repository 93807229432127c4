/**
 * Goal    reports that come at once share a transaction, and nobody notices but the clock.
 * Method  a write that keeps its batches and waits until it is let go.
 */
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { expect, test } from "vitest";
import type { JobReport } from "../../store.ts";
import { noon } from "../testing/life.ts";
import { report } from "../testing/world.ts";
import { inBatches, type DatedReport, type Taken } from "./report-batch.ts";

const nameOf = ({ jobId = "", jobName = "" }: JobReport) => `${jobId}${jobName === "train" ? "" : jobName}`;
const attemptOf = ({ report: one }: DatedReport) => ({ jobId: one.jobId }) as AttemptRecord;

/** @param judge What becomes of a report. */
function desk(judge: (one: DatedReport) => Taken = attemptOf) {
  const batches: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const put = inBatches(async (reports) => {
    batches.push(reports.map(({ report: one }) => nameOf(one)));
    await gate.promise;
    return reports.map(judge);
  });
  return { batches, open: gate.resolve, put: (one: JobReport) => put(one, noon) };
}

test("the first report waits for nobody, and what comes meanwhile is written together", async () => {
  const { batches, open, put } = desk();
  const answers = ["1", "2", "3"].map((jobId) => put(report(jobId, 0)));
  expect(batches).toEqual([["1"]]);
  open();
  expect((await Promise.all(answers)).map(({ jobId }) => jobId)).toEqual(["1", "2", "3"]);
  expect(batches).toEqual([["1"], ["2", "3"]]);
});

test("different reports about one attempt are never written together, and none overtakes another", async () => {
  const { batches, open, put } = desk();
  const given = [
    report("0", 0),
    report("1", 0, { jobName: "a" }),
    report("1", 0, { jobName: "b" }),
    report("2", 0),
    report("1", 0, { jobName: "b" }),
    report("1", 0, { jobName: "a" }),
  ];
  const answers = given.map(put);
  open();
  await Promise.all(answers);
  expect(batches).toEqual([["0"], ["1a", "2"], ["1b", "1b"], ["1a"]]);
});

test("the same report from many publishers is written once for all", async () => {
  const { batches, open, put } = desk();
  const answers = ["0", "1", "1", "1"].map((jobId) => put(report(jobId, 0)));
  open();
  await Promise.all(answers);
  expect(batches).toEqual([["0"], ["1", "1", "1"]]);
});

test("a report that names only a UUID may be about any attempt, and another cluster has other attempts: both go by themselves", async () => {
  const { batches, open, put } = desk();
  const { jobId: _, ...nameless } = report("", 0, { heimdallJobId: "00000000-0000-4000-8000-000000000001" });
  const answers = [report("0", 0), report("1", 0), nameless, report("2", 0), report("3", 0, { cluster: "other" })].map(
    put,
  );
  open();
  await Promise.all(answers);
  expect(batches).toEqual([["0"], ["1"], [""], ["2"], ["3"]]);
});

test("a refusal is of its report alone", async () => {
  const refused = new Refusal("exists", "known under another name");
  const { open, put } = desk((one) => (one.report.jobId === "2" ? refused : attemptOf(one)));
  const answers = Promise.allSettled(["1", "2", "3"].map((jobId) => put(report(jobId, 0))));
  open();
  expect(await answers).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: refused },
    { status: "fulfilled" },
  ]);
});

test("a batch that fails is tried one by one, and only the broken report fails; one that is refused as a whole is not tried again", async () => {
  for (const [error, tries, failed] of [
    [new Error("too long"), [["0"], ["1", "2", "3"], ["1"], ["2"], ["3"]], ["2"]],
    [new Refusal("unavailable", "the database is away"), [["0"], ["1", "2", "3"]], ["1", "2", "3"]],
  ] as const) {
    const { batches, open, put } = desk((one) => {
      if (one.report.jobId === "2") throw error;
      return attemptOf(one);
    });
    const jobIds = ["0", "1", "2", "3"];
    const answers = Promise.allSettled(jobIds.map((jobId) => put(report(jobId, 0))));
    open();
    const ended = await answers;
    expect(batches).toEqual(tries);
    expect(jobIds.filter((_, i) => ended[i]?.status === "rejected")).toEqual(failed);
  }
});
