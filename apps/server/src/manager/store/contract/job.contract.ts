/**
 * Goal    one report changes one attempt as api.md §4 says, and what it leaves out stays.
 */
import { expect, test } from "vitest";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import {
  covered,
  factsOf,
  failed,
  hour,
  noon,
  notCovered,
  pending,
  report,
  s,
  settleDecisions,
  shown,
  undecided,
  type Open,
} from "../testing/world.ts";

export function jobContract(open: Open): void {
  test("the first report makes the record, under the name that everybody computes", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { nodes: ["n1"], gpuCountPerNode: 8 }), noon);
    expect(job).toMatchObject({
      heimdallJobId: attemptUuid({ jobId: "1", attemptIndex: 0 }),
      incarnation: 0,
      nodes: ["n1"],
    });
    expect(job).toMatchObject({ createdAt: noon, startedAt: noon, lastSeenAt: noon, coverage: covered });
    expect(job).not.toHaveProperty("endedAt");
    expect(await store.getJobByUuid(job.heimdallJobId.toUpperCase())).toEqual(job);
    expect(await store.getJobByAttempt("default", "1", 0)).toEqual(job);
    expect(await store.getJobByAttempt("default", "1", 1)).toBeUndefined();
    expect(await store.getJobByAttempt("other", "1", 0)).toBeUndefined();
  });

  test("a cancelled attempt that nobody saw running has run if it had nodes, and never began if it had none", async () => {
    const { store } = await open();
    const cancelled = { status: "CANCELLED", jmState: "CANCELLED" } as const;
    const ran = await store.upsertJob(report("1", 0, { ...cancelled, nodes: ["n1"] }), noon);
    const waited = await store.upsertJob(report("2", 0, { ...cancelled, nodes: [] }), noon);
    expect(ran).toMatchObject({ startedAt: noon, endedAt: noon });
    expect(waited).not.toHaveProperty("startedAt");
  });

  test("what a report leaves out, or gives as an empty list, is kept", async () => {
    const { store } = await open();
    const full = report("1", 0, {
      nodes: ["n1", "n2"],
      nodeConstraints: { exclusions: ["n9"], inclusions: ["n1"] },
      additionalProperties: { maxRequeueTimes: 2 },
      schedulerMetadata: { slurm: { user: "ada" } },
    });
    const first = await store.upsertJob(full, noon);
    const bare = { cluster: "default", jobId: "1", attemptIndex: 0, workflowId: "wf-1", coverage: notCovered };
    const empty = {
      nodes: [],
      nodeConstraints: { exclusions: [], inclusions: [] },
      schedulerMetadata: { slurm: { account: "a1" }, theirs: 1 },
    };
    const second = await store.upsertJob({ ...bare, ...empty, additionalProperties: { enableNvrx: true } }, noon + s);
    expect(second).toEqual({
      ...first,
      schedulerMetadata: { slurm: { user: "ada", account: "a1" }, theirs: 1 },
      additionalProperties: { maxRequeueTimes: 2, enableNvrx: true },
      updatedAt: noon + s,
      lastSeenAt: noon + s,
    });
  });

  test("the same report again, however its keys are ordered, changes nothing but when it was last seen, and nobody decides again", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { schedulerMetadata: { slurm: { b: 1, a: [1, null] } } }), noon);
    const { factsSeq } = await factsOf(store, job);
    const again = await store.upsertJob(
      report("1", 0, { schedulerMetadata: { slurm: { b: 1, a: [1, null] } } }),
      noon + s,
    );
    expect(again).toEqual({ ...job, lastSeenAt: noon + s });
    expect((await factsOf(store, job)).factsSeq).toBe(factsSeq);
  });

  test("a final state does not go back to a live one for a late report", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("1", 0, failed), noon + s);
    const { submitAt: _, ...late } = report("1");
    await store.upsertJob(late, noon + 2 * s);
    expect(await shown(store, job)).toBe("1-0 FAILED/FAILED started ended");
    await store.upsertJob(report("1", 0, { status: "CANCELLED", jmState: "CANCELLED" }), noon + 3 * s);
    const ended = await store.getJobByUuid(job.heimdallJobId);
    expect(ended).toMatchObject({ status: "CANCELLED", endedAt: noon + s });
  });

  test("after a rollback of the controller the same attempt with the same submit time lives again", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("1", 0, failed), noon + s);
    await store.upsertJob(report("1"), noon + 2 * s);
    expect(await shown(store, job)).toBe("1-0 RUNNING/RUNNING started");
  });

  test("an attempt that was never seen running has started all the same when its end says so", async () => {
    const { store } = await open();
    const ran = await store.upsertJob(report("1", 0, failed), noon);
    const never = await store.upsertJob(report("2", 0, { status: "CANCELLED", jmState: "CANCELLED" }), noon);
    const boot = await store.upsertJob(report("3", 0, { status: "FAILED", jmState: "BOOT_FAIL" }), noon);
    expect(await shown(store, ran)).toBe("1-0 FAILED/FAILED started ended");
    expect(await shown(store, never)).toBe("2-0 CANCELLED/CANCELLED ended");
    expect(await shown(store, boot)).toBe("3-0 FAILED/BOOT_FAIL ended");
  });

  test("a state that nobody knows keeps the status, and no state at all keeps both", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const { status: _, ...unlisted } = report("1", 0, { jmState: "UNKNOWN" });
    await store.upsertJob(unlisted, noon + s);
    expect(await shown(store, job)).toBe("1-0 RUNNING/UNKNOWN started");
    const { jmState: __, ...silent } = unlisted;
    await store.upsertJob(silent, noon + s);
    expect(await shown(store, job)).toBe("1-0 RUNNING/UNKNOWN started");
  });

  test("coverage is fixed by the first report that speaks of recovery: an edited comment counts from the next attempt", async () => {
    const { store } = await open();
    const { recoveryConfig: _, ...silent } = report("1", 0, { coverage: notCovered });
    await store.upsertJob(silent, noon);
    expect((await store.upsertJob(report("1"), noon + s)).coverage).toEqual(covered);
    expect((await store.upsertJob(report("1", 0, { coverage: notCovered }), noon + 2 * s)).coverage).toEqual(covered);
  });

  test("once attempt 1 is seen attempt 0 is requeued: stopped, or as it was last seen when that was final", async () => {
    const { store } = await open();
    const [running, ended] = [await store.upsertJob(report("1"), noon), await store.upsertJob(report("2"), noon)];
    await store.upsertJob(report("2", 0, { status: "FAILED", jmState: "NODE_FAIL" }), noon + s);
    await store.upsertJob(report("1", 1, pending), noon + 2 * s);
    await store.upsertJob(report("2", 1, pending), noon + 2 * s);
    expect(await shown(store, running)).toBe("1-0 STOPPED/REQUEUED started ended");
    expect(await shown(store, ended)).toBe("2-0 FAILED/REQUEUED started ended");
    await store.upsertJob(report("1", 0, { status: "FAILED", jmState: "TIMEOUT" }), noon + 3 * s);
    expect(await shown(store, running)).toBe("1-0 FAILED/REQUEUED started ended");
  });

  test("what was requeued while nobody looked has ended by the submit time of the next attempt", async () => {
    const { store } = await open();
    const ended = async (jobId: string, submitAt: Instant) => {
      const job = await store.upsertJob(report(jobId, 0, { submitAt: noon - hour }), noon);
      await store.upsertJob(report(jobId, 1, { ...pending, submitAt }), noon + 60 * s);
      return (await store.getJobByUuid(job.heimdallJobId))?.endedAt;
    };
    expect(await ended("1", noon + 5 * s)).toBe(noon + 5 * s);
    expect(await ended("2", noon + 90 * s)).toBe(noon + 60 * s); // Slurm's clock is ahead.
    expect(await ended("3", noon - 5 * s)).toBe(noon); // It is behind: not before the start.
    expect(await ended("4", noon - hour)).toBe(noon + 60 * s); // COMPLETING still.
  });

  test("what happens to attempt 1 makes attempt 0 undecided again", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    await settleDecisions(store, noon);
    expect(await undecided(store, noon)).toEqual([]);
    await store.upsertJob(report("1", 1, pending), noon + s);
    expect(await undecided(store, noon + s)).toEqual(["1-0", "1-1"]);
    await settleDecisions(store, noon + 2 * s);
    await store.upsertJob(report("1", 1), noon + 3 * s);
    expect(await undecided(store, noon + 3 * s)).toEqual(["1-0", "1-1"]);
  });

  test("another UUID for a known attempt is refused, and so is another attempt for a known UUID", async () => {
    const { store } = await open();
    const uuid = "11111111-2222-4333-8444-555555555555";
    const job = await store.upsertJob(report("1", 0, { heimdallJobId: uuid.toUpperCase() }), noon);
    expect(job.heimdallJobId).toBe(uuid);
    expect((await store.upsertJob(report("1"), noon)).heimdallJobId).toBe(uuid);
    const other = report("1", 0, { heimdallJobId: "99999999-2222-4333-8444-555555555555" });
    await expect(store.upsertJob(other, noon)).rejects.toMatchObject({ code: "exists" });
    await expect(store.upsertJob(report("2", 0, { heimdallJobId: uuid }), noon)).rejects.toMatchObject({
      code: "exists",
    });
  });

  test("a publisher that knows only a UUID is enough, and the job ID may come later", async () => {
    const { store } = await open();
    const uuid = "11111111-2222-4333-8444-555555555555";
    const { jobId: _, ...anonymous } = report("1", 0, { heimdallJobId: uuid });
    await store.upsertJob(anonymous, noon);
    await store.upsertJob({ ...anonymous, heimdallJobId: "22222222-2222-4333-8444-555555555555" }, noon);
    await store.upsertJob(report("7", 2, { heimdallJobId: uuid }), noon + s);
    expect(await store.getJobByAttempt("default", "7", 2)).toMatchObject({ heimdallJobId: uuid, createdAt: noon });
    const { heimdallJobId: __, ...nameless } = anonymous;
    await expect(store.upsertJob(nameless, noon)).rejects.toMatchObject({ code: "invalid" });
  });

  test("characters that PostgreSQL cannot keep are replaced, not refused", async () => {
    const { store } = await open();
    const strange = { jobName: "a\0b", schedulerMetadata: { "k\0": ["\ud800", "\\u0000"] } };
    const job = await store.upsertJob(report("1", 0, strange), noon);
    expect(job).toMatchObject({ jobName: "a\uFFFDb", schedulerMetadata: { "k\uFFFD": ["\uFFFD", "\\u0000"] } });
    expect(await store.upsertJob(report("1", 0, strange), noon)).toEqual(job);
  });

  test("a hundred first reports at once make a hundred records, and as many of one attempt make one", async () => {
    const { store, replica } = await open();
    const many = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? store : replica).upsertJob(report(`${i}`), noon));
    const same = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? store : replica).upsertJob(report("x"), noon));
    await Promise.all([...many, ...same]);
    const { rows } = await store.listJobs({}, { offset: 0, limit: 250 });
    expect(rows).toHaveLength(101);
  });

  test("of reports that come at once each has its own answer, and those about one attempt are taken in as they came", async () => {
    const { store } = await open();
    const given = [
      report("1"),
      report("2"),
      report("1", 0, { heimdallJobId: "00000000-0000-4000-8000-000000000001" }),
      report("1", 0, { gpuCountPerNode: 4 }),
      report("1", 0, { gpuCountPerNode: 4 }),
      report("1", 0, { gpuCountPerNode: 8 }),
      report("2", 0, { cluster: "other", gpuCountPerNode: 2 }),
    ];
    const answers = await Promise.allSettled(given.map((one) => store.upsertJob(one, noon)));
    expect(answers.map((one) => (one.status === "fulfilled" ? one.value.gpuCountPerNode : one.reason.code))).toEqual([
      undefined,
      undefined,
      "exists",
      4,
      4,
      8,
      2,
    ]);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ gpuCountPerNode: 8 });
    expect((await store.getJobByAttempt("default", "2", 0))?.gpuCountPerNode).toBeUndefined();
  });
}
