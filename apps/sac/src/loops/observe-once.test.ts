/**
 * Goal    leaving out what has not changed tells the server the same as looking at everything.
 * Method  random listings, one after the other, some of them the very same object as the one before; published once as they are, and
 *         once as copies in which nothing is the same object: every report must be equal. Some reports do not arrive, or are not taken;
 *         what the server has in the end is compared with what it has from a SAC all of whose reports were taken.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { AttemptReport, PassReport } from "../server.ts";
import { blank } from "../testing/one-job-world.ts";
import type { Pass } from "../slurm/slurm.ts";
import { limits } from "@reprise/core/limits.ts";
import { named } from "../report-name.ts";
import { publish } from "./observe-once.ts";
import { nothingPublished, rememberPartitions, settleDoubt } from "./published.ts";

const force = { mode: "act", partitions: ["gpu"] } as const;
const said = { allowed: force, ordersGeneration: 0, openHolds: 0, brakes: [] };
const context = {
  cluster: "default",
  leaseTerm: 1,
  force,
  sac: said,
  partitions: force.partitions,
  slurmReleases: [],
  steps: [],
};

/**
 * What becomes of a report. `late`: taken, and its answer is lost. `failed`: taken, and its answer is an error. `older`: the server is away, and
 * comes back with a database that has lost the last reports.
 */
type Fate = "taken" | "lost" | "late" | "ignored" | "away" | "failed" | "older";
const fates: readonly Fate[] = ["taken", "lost", "late", "ignored", "away", "failed", "older"];
const lostReports = 2;

const row = fc.record({
  jobId: fc.constantFrom("1", "2", "3_0", "4"),
  state: fc.constantFrom("PENDING", "RUNNING", "COMPLETING", "FAILED", "COMPLETED"),
  restartCount: fc.nat(2),
  submitAt: fc.constantFrom(1_000, 2_000),
  partition: fc.constantFrom("gpu", "private"),
  comment: fc.constantFrom("", '{"recovery": {"auto_resume_mode": "requeue"}}'),
});

/** What a row says of its current attempt depends on nothing that was seen before. */
const settledRow = row.filter(({ state }) => state !== "COMPLETING");

const lastRows = fc.uniqueArray(settledRow, { selector: ({ jobId }) => jobId });

/** `again`: Slurm lists what it listed before. */
const lookAt = (listed: fc.Arbitrary<Row>) =>
  fc.record({
    again: fc.boolean(),
    rows: fc.uniqueArray(listed, { selector: ({ jobId }) => jobId }),
    unreadable: fc.constantFrom([], [], ["2"], ["9"]),
    fate: fc.constantFrom(...fates, "taken", "taken", "older"),
  });
const look = lookAt(row);
/** What is told of a job that asks for several partitions depends on what was seen before. */
const lookAtSeveral = lookAt(
  fc.tuple(row, fc.boolean()).map(([one, asksForAll]) => (asksForAll ? { ...one, partition: "gpu,private" } : one)),
);

type Row = Pick<SlurmJob, "jobId" | "state" | "submitAt"> & Partial<SlurmJob>;

const passOf = (rows: readonly Row[], unreadable: readonly string[]): Pass => ({
  cluster: "default",
  jobs: new Map(
    rows
      .filter(({ jobId }) => !unreadable.includes(jobId))
      .map((given) => [given.jobId, { ...blank, ...given, recordId: given.jobId }]),
  ),
  unreadable: new Map(unreadable.map((jobId) => [jobId, { why: "State is ?" }])),
  nodes: new Map(),
});

/** A SAC that keeps what it is told to keep, what was told by it, and what of that the server has: by attempt. */
function sac() {
  const told: PassReport[] = [];
  const has = new Map<string, AttemptReport>();
  const published = nothingPublished();
  let [names, lastReportId]: [number, string | undefined] = [0, undefined];
  const before: { readonly has: ReadonlyMap<string, AttemptReport>; readonly lastReportId: string | undefined }[] = [];
  const takes = ({ changed, reportId }: PassReport) => {
    before.push({ has: new Map(has), lastReportId });
    for (const report of changed) has.set(`${report.jobId} ${report.attemptIndex}`, report);
    lastReportId = reportId;
  };
  const losesReports = () => {
    const older = before.splice(-lostReports)[0];
    if (older === undefined) return;
    has.clear();
    for (const [name, report] of older.has) has.set(name, report);
    lastReportId = older.lastReportId;
  };
  return {
    told,
    has,
    /** @param seen Once what is remembered of any look has been. */
    async look(value: Pass, at: number, fate: Fate, seen: () => void = () => undefined) {
      const reportPass = (report: PassReport) => {
        told.push(report);
        if (fate === "taken" || fate === "late" || fate === "failed") takes(report);
        if (fate === "older") losesReports();
        if (fate === "failed") return Promise.reject(new Error("internal error"));
        if (fate === "away" || fate === "older")
          return Promise.reject(new Refusal("unavailable", "the server is away"));
        if (fate === "lost" || fate === "late") return Promise.reject(new Refusal("deadline", "it took too long"));
        return Promise.resolve({ confirmedStepKeys: [], isTaken: fate === "taken" });
      };
      const server = named({ reportPass }, published, () => `r${names++}`);
      if (published.isInDoubt) settleDoubt(published, lastReportId);
      rememberPartitions(published, value);
      seen();
      await publish({ kind: "seen", value, at }, published, context, server).catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === "deadline")) published.isInDoubt = true;
      });
    },
  };
}

test("what the server is told does not depend on which rows, or listings, are the same objects", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lookAtSeveral, { maxLength: 12 }), async (looks) => {
      const [quick, slow] = [sac(), sac()];
      let pass = passOf([], []);
      for (const [i, { again, rows, unreadable, fate }] of looks.entries()) {
        // A row may become unreadable, or readable, beside rows that stay as they are.
        pass = again
          ? { ...pass, unreadable: new Map(unreadable.map((id) => [`${id}0`, { why: "cut" }])) }
          : passOf(rows, unreadable);
        await quick.look(pass, i, fate);
        await slow.look(structuredClone(pass), i, fate);
      }
      expect(quick.told).toEqual(slow.told);
    }),
  );
});

test("of the same listing no row is looked at", async () => {
  const { told, look } = sac();
  const pass = passOf([{ jobId: "1", state: "RUNNING", submitAt: 1_000 }], []);
  for (const at of [0, 1]) await look(pass, at, "taken"); // What was remembered before the first look is not yet settled.
  await look(pass, 2, "taken", () =>
    Object.assign(pass.jobs, { values: () => expect.unreachable("a row was looked at") }),
  );
  expect(told.at(-1)).toEqual({ ...told[1], takenAt: 2, reportId: told.at(-1)?.reportId });
});

test("of a job that asks for several partitions the server is told all of them, though it takes only a report from when Slurm shows one", async () => {
  const { has, look } = sac();
  const comment = '{"recovery": {"auto_resume_mode": "requeue"}}';
  const row = { jobId: "1", submitAt: 1_000, comment };
  const look1 = (at: number, state: string, partition: string, fate: Fate, more: Partial<Row> = {}) =>
    look(passOf([{ ...row, state, partition, ...more }], []), at, fate);
  const told = (attempt = 0) => has.get(`1 ${attempt}`)?.schedulerMetadata["slurm"];
  await look1(0, "PENDING", "gpu,private", "ignored");
  await look1(1, "RUNNING", "gpu", "lost");
  await look1(2, "RUNNING", "gpu", "taken");
  expect(told()).toMatchObject({ partition: "gpu,private", slurmState: "RUNNING" });
  // The next attempt is asked about anew: its owner may have changed it.
  await look1(3, "RUNNING", "gpu", "taken", { restartCount: 1, submitAt: 2_000 });
  expect(told(1)).toMatchObject({ partition: "gpu" });
});

test("whatever became of earlier reports, with one that is taken the server has every row as Slurm shows it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(look, { maxLength: 8 }), fc.option(lastRows), async (looks, given) => {
      // In the end it is often as it was in the beginning.
      const last = given ?? looks[0]?.rows.filter(({ state }) => state !== "COMPLETING") ?? [];
      const [unlucky, fresh] = [sac(), sac()];
      for (const [i, { rows, unreadable, fate }] of looks.entries())
        await unlucky.look(passOf(rows, unreadable), i, fate);
      const pass = passOf(last, []);
      await unlucky.look(pass, looks.length, "taken");
      await fresh.look(pass, looks.length, "taken");
      for (const { jobId, restartCount } of pass.jobs.values()) {
        const name = `${jobId} ${restartCount}`;
        if (fresh.has.has(name)) expect(unlucky.has.get(name), name).toEqual(fresh.has.get(name));
      }
    }),
    { numRuns: 600 },
  );
});

test("a heterogeneous job of which one row could not be read stays as it was told, and counts as seen", async () => {
  const { told, look } = sac();
  const component = (jobId: string, node: string) =>
    ({ jobId, state: "RUNNING", submitAt: 1_000, hetJobId: "1", nodes: [node], comment: "recovery" }) as const;
  const [leader, led] = [component("1", "n1"), component("2", "n2")];
  for (const at of [0, 1]) await look(passOf([leader, led], []), at, "taken");
  const shown = { user: blank.user, name: blank.name, hetJobId: "1" };
  for (const row of [{ why: "State is ?", shown }, { why: "35 fields instead of 36" }])
    await look({ ...passOf([leader], []), unreadable: new Map([["2", row]]) }, 2, "taken");
  const seen = [{ jobId: "1", attemptIndex: 0 }];
  expect(told[0]?.changed).toMatchObject([{ jobId: "1", nodes: ["n1", "n2"] }]);
  expect(told.slice(2)).toMatchObject([
    { changed: [], seen, complete: true },
    { changed: [], seen, complete: false }, // Nobody knows whose row it is.
  ]);
});

test("a report that did not arrive costs what was in it, and not a second telling of everything", async () => {
  const { told, look } = sac();
  const job = (jobId: string, state: string) => ({ jobId, state, submitAt: 1_000 });
  const many = Array.from({ length: 100 }, (_, i) => job(String(i + 1), "RUNNING"));
  for (const at of [0, 1]) await look(passOf(many, []), at, "taken");
  const next = [job("1", "FAILED"), ...many.slice(1)];
  await look(passOf(next, []), 2, "lost");
  await look(passOf(next, []), 3, "ignored");
  await look(passOf(next, []), 4, "taken");
  await look(passOf(next, []), 5, "taken");
  expect(told.slice(2).map(({ changed }) => changed.map(({ jobId }) => jobId))).toEqual([["1"], ["1"], [], ["1"], []]);
});

test("a server that was away and still has what it took is told what is new; one that has lost some of it, everything", async () => {
  const { told, look } = sac();
  const job = (jobId: string, state: string) => ({ jobId, state, submitAt: 1_000 });
  const [old, next] = [
    [job("1", "RUNNING"), job("2", "RUNNING")],
    [job("1", "FAILED"), job("2", "RUNNING")],
  ];
  for (const fate of ["taken", "taken", "away", "taken"] as const) await look(passOf(old, []), told.length, fate);
  await look(passOf(next, []), 4, "older");
  await look(passOf(next, []), 5, "taken");
  const names = told.map(({ changed }) => changed.map(({ jobId }) => jobId));
  expect(names).toEqual([["1", "2"], [], [], [], ["1"], ["1", "2"]]);
});

test("where nobody has asked the server what it still has, it is told everything", async () => {
  const published = nothingPublished();
  const told: PassReport[] = [];
  const reportPass = async (report: PassReport) => (told.push(report), { confirmedStepKeys: [], isTaken: true });
  const view = { kind: "seen", value: passOf([{ jobId: "1", state: "RUNNING", submitAt: 1_000 }], []), at: 0 } as const;
  for (const isInDoubt of [false, false, true]) {
    published.isInDoubt = isInDoubt;
    await publish(view, published, context, { reportPass });
  }
  expect(told.map(({ changed }) => changed.length)).toEqual([1, 0, 1]);
});

test("what Slurm takes back after a report of unknown outcome is told: the server may have that report", async () => {
  const { has, look } = sac();
  const job = (state: string) => [{ jobId: "1", state, submitAt: 1_000, comment: "recovery" }];
  for (const at of [0, 1]) await look(passOf(job("RUNNING"), []), at, "taken");
  await look(passOf(job("FAILED"), []), 2, "late");
  expect(has.get("1 0")?.status).toBe("FAILED");
  await look(passOf(job("RUNNING"), []), 3, "taken");
  expect(has.get("1 0")?.status).toBe("RUNNING");
});

test("a SAC whose passes do not count says nothing more than that it is there, and everything once they count again", async () => {
  const { told, has, look } = sac();
  const pass = passOf([{ jobId: "1", state: "RUNNING", submitAt: 1_000 }], []);
  for (const at of [0, 1, 2]) await look(pass, at, "ignored");
  expect(told.slice(1)).toMatchObject([
    { complete: false, changed: [], seen: [] },
    { complete: false, changed: [], seen: [] },
  ]);
  await look(pass, 3, "taken");
  expect(has.get("1 0")?.status).toBe("RUNNING");
});

test("the first look at a large cluster is told in messages of a bounded size, and only the last one says that it is all", async () => {
  const told: PassReport[] = [];
  const server = {
    reportPass: async (report: PassReport) => (told.push(report), { confirmedStepKeys: [], isTaken: true }),
  };
  const count = 2 * limits.changedPerReportMax + 1;
  const jobs = Array.from({ length: count }, (_, i) => ({
    ...blank,
    state: "PENDING",
    submitAt: 1_000,
    jobId: String(i + 1),
    recordId: String(i + 1),
  }));
  const value = {
    cluster: "c",
    jobs: new Map(jobs.map((job) => [job.jobId, job])),
    nodes: new Map(),
    unreadable: new Map(),
  };
  await publish({ kind: "seen", at: 1, value }, nothingPublished(), context, server);
  expect(told.map(({ changed }) => changed.length)).toEqual([
    limits.changedPerReportMax,
    limits.changedPerReportMax,
    1,
  ]);
  expect(told.map(({ complete, seen }) => [complete, seen.length])).toEqual([
    [false, 0],
    [false, 0],
    [true, count],
  ]);
  expect(new Set(told.flatMap(({ changed }) => changed.map(({ jobId }) => jobId))).size).toBe(count);
});
