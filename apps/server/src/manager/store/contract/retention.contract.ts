/**
 * Goal    what is too old goes, in batches and from the oldest on: first the details, later whole jobs; what a live job, an open Advice,
 *         a budget, a gate or evidence needs stays, and so do the places in listings.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobFilter, Store } from "../../store.ts";
import {
  cluster,
  converged,
  covered,
  crash,
  decided,
  factsOf,
  failed,
  hour,
  noon,
  pending,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  status,
  step,
  type Open,
} from "../testing/world.ts";

/** Failed, restarted, told, and over. */
async function restarted(store: Store, jobId: string, at = noon): Promise<AttemptRecord> {
  const job = await store.upsertJob(report(jobId, 0, failed), at);
  await store.recordSignals(signals(crash(job)), at);
  await decided(store, job, restart(), at);
  await store.observeStatus(job.heimdallJobId, status(1, converged), at);
  return job;
}

const details = (before: number, limit = 100) => ({ detailsBefore: before, limit });
const attempts = (before: number, limit = 100) => ({ attemptsBefore: before, limit });
const none = { details: 0, attempts: 0, auditEvents: 0 };

async function left(store: Store, { jobId }: AttemptRecord): Promise<string> {
  const [attempt] = await store.story(cluster, jobId);
  return `${attempt?.signals.length} signals, ${attempt?.decision === undefined ? "no" : "a"} decision, ${attempt?.advice.length} Advice`;
}

export function retentionContract(open: Open): void {
  test("an old job at rest loses its details, and keeps its attempts and their Advice", async () => {
    const { store, replica } = await open();
    const job = await restarted(store, "1");
    await settleDecisions(store, noon + s);
    expect(await left(replica, job)).toBe("1 signals, a decision, 1 Advice");
    expect(await store.expire(details(noon))).toEqual(none);
    expect(await store.expire(details(noon + hour))).toEqual({ ...none, details: 1 });
    expect(await left(replica, job)).toBe("0 signals, no decision, 1 Advice");
    expect(await replica.getJobByUuid(job.heimdallJobId)).toMatchObject({ jobId: "1", status: "FAILED" });
    const [story] = await replica.story(job.cluster, "1");
    expect(story?.advice.at(-1)?.status.disposition).toBe("CONVERGED");
    expect(await replica.sequencesOf([job.heimdallJobId])).toEqual([]);
    expect(await store.expire(details(noon + hour))).toEqual(none);
  });

  test("a batch takes the oldest, and the next one what is left", async () => {
    const { store, replica } = await open();
    const jobs = [
      await restarted(store, "2", noon + s),
      await restarted(store, "1"),
      await restarted(store, "3", noon + 2 * s),
    ];
    await settleDecisions(store, noon + 3 * s);
    expect((await store.expire(details(noon + hour, 2))).details).toBe(2);
    expect(await Promise.all(jobs.map((job) => left(store, job).then((text) => text.slice(0, 1))))).toEqual([
      "0",
      "0",
      "1",
    ]);
    expect((await replica.expire(details(noon + hour, 2))).details).toBe(1);
  });

  test("earlier attempts of a job that lives stay whole: its budget is read from them", async () => {
    const { store } = await open();
    const job = await restarted(store, "1");
    await store.upsertJob(report("1", 1), noon + s);
    await settleDecisions(store, noon + 2 * s);
    expect((await store.expire(details(noon + hour))).details).toBe(0);
    expect(await left(store, job)).toBe("1 signals, a decision, 1 Advice");
  });

  test("open Advice stays, and what is still to be decided about", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    expect((await store.expire(details(noon + hour))).details).toBe(0);
    await decided(store, job, restart());
    await settleDecisions(store, noon + s);
    expect((await store.expire(details(noon + hour))).details).toBe(0);
    await store.observeStatus(job.heimdallJobId, status(1, { ...converged, disposition: "ABANDONED" }), noon + s);
    await settleDecisions(store, noon + 2 * s);
    expect((await store.expire(details(noon + hour))).details).toBe(1);
  });

  test("audit events go by their own age; those that come later have later numbers", async () => {
    const { store } = await open();
    const event = (at: number) =>
      ({ producer: "p", type: "note", level: "info", payload: {}, producedAtUs: at * 1000 }) as const;
    await store.recordAuditEvents([event(noon + s), event(noon), event(noon + 2 * s)]);
    expect(await store.expire({ auditBefore: noon + 2 * s, limit: 1 })).toEqual({ ...none, auditEvents: 1 });
    expect(await store.expire({ auditBefore: noon + 2 * s, limit: 9 })).toEqual({ ...none, auditEvents: 1 });
    await store.recordAuditEvents([event(noon + 3 * s)]);
    const { rows } = await store.listAuditEvents({ type: "note" }, { order: "asc", limit: 9 });
    expect(rows.map(({ producedAtUs }) => producedAtUs / 1000)).toEqual([noon + 2 * s, noon + 3 * s]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });

  test("an old job goes whole, with its Advice, its workflow and all that was known of it; its audit events have an age of their own", async () => {
    const { store, replica } = await open();
    const job = await restarted(store, "1");
    await store.recordSignals(signals(step(job, 7, noon)), noon);
    await store.setOverride({ cluster, jobId: "1" }, { action: "never", reason: "words", by: "op" }, noon);
    const young = await restarted(store, "2", noon + hour);
    await settleDecisions(store, noon + hour);
    expect(await store.expire(attempts(noon))).toEqual(none);
    expect(await store.expire(attempts(noon + hour))).toEqual({ ...none, attempts: 1 });
    expect(await replica.getJobByUuid(uuidOf(job))).toBeUndefined();
    expect(await replica.loadFacts([uuidOf(job)], noon + hour)).toEqual([]);
    expect(await replica.getAdvice(uuidOf(job))).toBeUndefined();
    expect(await replica.story(cluster, "1")).toEqual([]);
    expect(await replica.sequencesOf([uuidOf(job)])).toEqual([]);
    expect(await replica.getWorkflow(job.workflowId)).toBeUndefined();
    expect(await replica.getWorkflow(young.workflowId)).toBeDefined();
    expect(await left(replica, young)).toBe("1 signals, a decision, 1 Advice");
    const audit = await replica.listAuditEvents({ heimdallJobId: uuidOf(job) }, { order: "asc", limit: 100 });
    expect(audit.rows.map(({ type }) => type)).toContain("advice.converged");
    expect(await store.expire(attempts(noon + hour))).toEqual(none);
  });

  test("a job that Slurm gives the same ID again inherits nothing from one that has gone", async () => {
    const { store, replica } = await open();
    const before = await restarted(store, "1");
    await store.upsertJob(report("2"), noon);
    await settleDecisions(store, noon + s);
    expect((await store.expire(attempts(noon + hour))).attempts).toBe(1);
    const again = await store.upsertJob(report("1", 0, { submitAt: noon + 2 * hour }), noon + 2 * hour);
    expect(uuidOf(again)).toBe(uuidOf(before));
    const [facts] = await replica.loadFacts([uuidOf(again)], noon + 2 * hour);
    expect(facts).toMatchObject({ factsSeq: 1, signals: [], earlier: [], progress: {} });
    expect(facts).not.toHaveProperty("advice");
    const all = (filter: JobFilter) => replica.listJobs(filter, { offset: 0, limit: 10 });
    for (const filter of [{ jobIds: ["1"] }, { workflowIds: [again.workflowId] }])
      expect((await all(filter)).rows.map(uuidOf)).toEqual([uuidOf(again)]);
  });

  test("a batch takes the oldest jobs, each with all of its attempts, and the next one what is left", async () => {
    const { store, replica } = await open();
    for (const index of [0, 1, 2]) await store.upsertJob(report("1", index, failed), noon + index * s);
    await restarted(store, "2", noon + s);
    await restarted(store, "3", noon + 5 * s);
    await store.upsertJob(report("4"), noon + 6 * s);
    await settleDecisions(store, noon + 10 * s);
    expect(await store.expire(attempts(noon + hour, 1))).toEqual({ ...none, attempts: 3 });
    expect(await replica.expire(attempts(noon + hour, 1))).toEqual({ ...none, attempts: 1 });
    expect(await Promise.all(["1", "2", "3", "4"].map(async (id) => (await store.story(cluster, id)).length))).toEqual([
      0, 0, 1, 1,
    ]);
    expect(await store.expire(attempts(noon + hour, 9))).toEqual({ ...none, attempts: 1 });
  });

  test("whole jobs stay while anything of them lives, is open or is to be decided about", async () => {
    const { store } = await open();
    await restarted(store, "1");
    await store.upsertJob(report("1", 1), noon + s);
    const advised = await store.upsertJob(report("2", 0, failed), noon);
    await decided(store, advised, restart());
    await settleDecisions(store, noon + s);
    await store.upsertJob(report("3", 0, failed), noon);
    await store.upsertJob(report("4"), noon + s);
    expect(await store.expire(attempts(noon + hour))).toEqual(none);
    await settleDecisions(store, noon + 2 * s);
    expect(await store.expire(attempts(noon + hour))).toEqual({ ...none, attempts: 1 });
    expect(await store.story(cluster, "3")).toEqual([]);
  });

  const parents: [how: string, dependency: { jobId?: string; jobName?: string }, jobId: string][] = [
    ["by its ID", { jobId: "1" }, "1"],
    ["by its name", { jobName: "train" }, "1"],
    ["by the ID of its array", { jobId: "1" }, "1_7"],
  ];
  test.each(parents)("a parent that a waiting job names %s stays, however old, until nobody waits", async (...row) => {
    const [, dependency, jobId] = row;
    const { store } = await open();
    await store.upsertJob(report(jobId, 0, { ...failed, workflowId: "w" }), noon);
    if (covered.kind !== "covered") throw new Error("covered: expected a covered job");
    const dagDependencies = [{ ...dependency, trigger: "on_success" as const }];
    const coverage = { ...covered, policy: { ...covered.policy, dagDependencies } };
    await store.upsertJob(report("2", 0, { ...pending, workflowId: "w", jobName: "evaluate", coverage }), noon);
    await store.upsertJob(report("3", 0, { jobName: "other" }), noon);
    await settleDecisions(store, noon + s);
    expect(await store.expire(attempts(noon + 100 * hour))).toEqual(none);
    await store.upsertJob(report("2", 0, { status: "CANCELLED" }), noon + hour);
    await settleDecisions(store, noon + hour);
    expect(await store.expire(attempts(noon + 100 * hour))).toEqual({ ...none, attempts: 2 });
  });

  test("what is evidence against a node stays as long as the evidence counts", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await store.upsertJob(report("2"), noon);
    await settleDecisions(store, noon);
    const { factsSeq } = await factsOf(store, job);
    const evidence = { source: "log", line: "ecc", at: noon } as const;
    const words = { cause: "ecc", causeClass: "hardware-node", domain: "hardware", confidence: 1 } as const;
    const entry = { node: "n1", ...words, counts: true, at: noon, expiresAt: noon + 24 * hour, evidence };
    await store.recordEvidence(cluster, [{ heimdallJobId: uuidOf(job), factsSeq, entries: [entry] }], noon);
    expect(await store.expire(attempts(noon + hour))).toEqual(none);
    expect(await store.loadEvidence(cluster, noon + hour)).toHaveLength(1);
    expect(await store.expire(attempts(noon + 25 * hour))).toEqual({ ...none, attempts: 1 });
    expect(await store.loadEvidence(cluster, noon + hour)).toEqual([]);
  });

  test("who goes leaves his place in the listings of his workflow and his job ID", async () => {
    const { store, replica } = await open();
    const hour1 = { submitAt: noon + hour, workflowId: "w" };
    const one = await store.upsertJob(report("1", 0, { ...failed, workflowId: "w" }), noon);
    const two = await store.upsertJob(report("2", 0, { ...failed, workflowId: "elsewhere" }), noon);
    await store.upsertJob(report("2", 0, { ...failed, workflowId: "w" }), noon); // It has moved, and goes all the same.
    const last = await store.upsertJob(report("1", 0, { ...hour1, user: "bob" }), noon + hour);
    await settleDecisions(store, noon + hour);
    const list = async (filter: JobFilter, offset: number) => {
      const { rows, hasMore } = await replica.listJobs(filter, { offset, limit: 1 });
      return `${rows.map(uuidOf).join()} ${hasMore}`;
    };
    expect(await list({ workflowIds: ["w"] }, 0)).toBe(`${uuidOf(one)} true`);
    expect(await store.expire(attempts(noon + hour))).toEqual({ ...none, attempts: 2 });
    expect(await replica.getJobByUuid(uuidOf(two))).toBeUndefined();
    for (const filter of [{ workflowIds: ["w"] }, { workflowIds: ["elsewhere", "w"] }]) {
      expect(await list(filter, 0)).toBe(" true");
      expect(await list(filter, 1)).toBe(` true`);
      expect(await list(filter, 2)).toBe(`${uuidOf(last)} false`);
    }
    expect(await list({ jobIds: ["1"] }, 0)).toBe(" true");
    expect(await list({ jobIds: ["1"] }, 1)).toBe(`${uuidOf(last)} false`);
  });

  test("the newest attempt and workflow stay, so that no place is given twice; empty places are passed over", async () => {
    const { store, replica } = await open();
    for (const jobId of ["1", "2", "3"]) await store.upsertJob(report(jobId, 0, failed), noon);
    await settleDecisions(store, noon);
    expect(await store.expire(attempts(noon + hour))).toEqual({ ...none, attempts: 2 });
    await store.upsertJob(report("4"), noon + hour);
    const jobs = (offset: number) => replica.listJobs({}, { offset, limit: 1 });
    const workflows = (offset: number) => replica.listWorkflows({ offset, limit: 1 });
    for (const list of [jobs, workflows]) {
      expect(await list(0)).toEqual({ rows: [], hasMore: true, nextOffset: 2 });
      expect(await list(1)).toEqual({ rows: [], hasMore: true });
    }
    expect((await jobs(2)).rows.map(({ jobId }) => jobId)).toEqual(["3"]);
    expect((await jobs(3)).rows.map(({ jobId }) => jobId)).toEqual(["4"]);
    expect((await workflows(3)).rows.map(({ workflowId }) => workflowId)).toEqual(["wf-4"]);
    expect((await jobs(4)).hasMore).toBe(false);
  });
}

const uuidOf = ({ heimdallJobId }: Pick<AttemptRecord, "heimdallJobId">) => heimdallJobId;
