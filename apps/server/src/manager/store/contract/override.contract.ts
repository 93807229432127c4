/**
 * Goal    what a person orders counts at once and on every replica, is told once, and an ordered restart becomes Advice once.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import type { OverrideAction } from "@reprise/core/override/override.ts";
import type { Order } from "../../override-order.ts";
import {
  cluster,
  converged,
  decided,
  factsOf,
  failed,
  none,
  noon,
  notCovered,
  pass,
  pending,
  recorded,
  report,
  restart,
  s,
  status,
  terminate,
  undecided,
  type Open,
} from "../testing/world.ts";

const order = (action: OverrideAction, change: Partial<Order> = {}): Order => ({
  action,
  reason: "the node room is on fire",
  by: "op",
  ...change,
});
const job1 = { cluster, jobId: "1" };
const byOrder = restart([], { because: "override-restart", charged: false });
const events = (type: string) => [{ type }, { order: "asc", limit: 100 }] as const;

export function overrideContract(open: Open): void {
  test("a forbidden restart is withdrawn in the same moment, and says who forbade it and why", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, job, restart());
    const answer = await store.setOverride(job1, order("never"), noon + s);
    expect(answer).toMatchObject({ override: { action: "never", attemptIndex: 0, by: "op", at: noon + s } });
    expect(answer.effect).toBe("Recovery restarts job 1 no more. The restart of attempt 0 is withdrawn.");
    expect(await replica.getAdvice(job.heimdallJobId)).toMatchObject({
      generation: 2,
      desired: "RESTARTED",
      because: "override-never",
      sentence: "op has forbidden further restarts: the node room is on fire",
      withdrawnAt: noon + s,
      exclusions: [{ node: "n1" }],
    });
    expect((await replica.listWork(cluster, noon + s)).map(({ advice }) => advice.generation)).toEqual([2]);
  });

  test("an order is told once in the audit trail, beside the withdrawal that it causes", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, job, restart());
    await store.setOverride(job1, order("never"), noon + s);
    await decided(store, job, none({ because: "override-never", withdraw: true }), noon + 2 * s);
    expect((await store.listAuditEvents(...events("override.set"))).rows).toMatchObject([
      {
        jobId: "1",
        attemptIndex: 0,
        level: "warn",
        payload: { action: "never", reason: "the node room is on fire", by: "op", withdrawnAttempts: [0] },
      },
    ]);
    expect((await store.listAuditEvents(...events("advice.withdrawn"))).rows).toMatchObject([
      { payload: { generation: 2, because: "override-never" } },
    ]);
  });

  test("an order is a fact of whoever waits for others, too: what was decided about him before may hang on it", async () => {
    const { store, replica } = await open();
    await store.upsertJob(report("1", 0, failed), noon);
    const dagDependencies = [{ jobId: "1", trigger: "on_success" as const }];
    const coverage = { kind: "covered" as const, policy: { ...defaultPolicy, dagDependencies }, warnings: [] };
    const child = await store.upsertJob(report("2", 0, { ...pending, coverage }), noon);
    const other = await store.upsertJob(report("3", 0, { ...pending, coverage, cluster: "other" }), noon);
    const before = [await factsOf(store, child), await factsOf(store, other)];
    await replica.setOverride(job1, order("restart"), noon + s);
    expect(await recorded(store, child, before[0]?.factsSeq ?? 0, terminate(), noon + s)).toEqual({ kind: "stale" });
    expect(await recorded(store, other, before[1]?.factsSeq ?? 0, terminate(), noon + s)).not.toEqual({
      kind: "stale",
    });
  });

  test("an order is a fact of every attempt of its job: a decision made before it is stale after it", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1", 0, failed), noon);
    const one = await store.upsertJob(report("1", 1, pending), noon);
    await store.upsertJob(report("2", 0, failed), noon);
    for (const job of [zero, one]) await decided(store, job, none());
    await decided(store, (await store.getJobByAttempt(cluster, "2", 0))!, none());
    const { factsSeq } = await factsOf(store, zero);
    await store.setOverride(job1, order("never"), noon + s);
    expect(await recorded(store, zero, factsSeq, restart(), noon + s)).toEqual({ kind: "stale" });
    expect(await undecided(store, noon + 2 * s)).toEqual(["1-0", "1-1"]);
    for (const job of [zero, one])
      expect((await factsOf(store, job)).overrides).toEqual([
        { action: "never", attemptIndex: 1, reason: "the node room is on fire", by: "op", at: noon + s },
      ]);
  });

  test("an order about a job whose controller was rolled back is about the attempt that it is now", async () => {
    const { store } = await open();
    for (const [i, change] of [failed, pending, failed].entries()) {
      const attemptIndex = i % 2;
      const seen = [{ jobId: "1", attemptIndex }];
      await store.reportPass(pass(noon + i * s, { changed: [report("1", attemptIndex, change)], seen }), noon + i * s);
    }
    const answer = await store.setOverride(job1, order("restart"), noon + 3 * s);
    expect(answer).toMatchObject({ override: { attemptIndex: 0 }, effect: "Attempt 0 is restarted." });
  });

  test("orders are read in the order in which they were given, and clearing forgets the ones before it", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    for (const action of ["never", "restart", "never"] as const) await store.setOverride(job1, order(action), noon + s);
    const actions = async () => (await factsOf(replica, job)).overrides.map(({ action }) => action);
    expect(await actions()).toEqual(["never", "restart", "never"]);
    await store.setOverride(job1, order("clear"), noon + 2 * s);
    expect(await actions()).toEqual(["clear"]);
    expect((await store.story(cluster, "1"))[0]?.overrides).toMatchObject([{ action: "clear" }]);
  });

  test("an ordered restart becomes Advice once, although what was advised before had come to its end", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, job, terminate());
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    expect(await decided(store, job, byOrder, noon)).toEqual({ kind: "unchanged" });
    await store.setOverride(job1, order("restart"), noon + s);
    expect((await factsOf(store, job)).overrides[0]).not.toHaveProperty("generation");
    expect(await decided(store, job, byOrder, noon + s)).toEqual({ kind: "recorded", generation: 2 });
    expect((await factsOf(store, job)).overrides).toMatchObject([{ action: "restart", generation: 2 }]);
    expect(await decided(store, job, byOrder, noon + 2 * s)).toEqual({ kind: "unchanged" });
    await store.observeStatus(
      job.heimdallJobId,
      status(2, { disposition: "ABANDONED", reason: "HELD_BY_OTHERS" }),
      noon + 3 * s,
    );
    expect(await decided(store, job, byOrder, noon + 4 * s)).toEqual({ kind: "unchanged" });
    await store.setOverride(job1, order("restart"), noon + 5 * s);
    expect(await decided(store, job, byOrder, noon + 5 * s)).toEqual({ kind: "recorded", generation: 3 });
  });

  test("Advice is taken back by its attempt, and only the generation that was meant", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    const { heimdallJobId } = job;
    await decided(store, job, restart());
    await expect(
      store.setOverride({ heimdallJobId }, order("withdraw", { generation: 2 }), noon + s),
    ).rejects.toMatchObject({
      code: "precondition",
      message: "attempt 0 of job 1 has Advice of generation 1; expected 2",
    });
    await store.setOverride(
      { heimdallJobId: heimdallJobId.toUpperCase() },
      order("withdraw", { generation: 1 }),
      noon + s,
    );
    expect(await store.getAdvice(heimdallJobId)).toMatchObject({
      generation: 2,
      because: "override-withdrawn",
      withdrawnAt: noon + s,
    });
    await expect(store.setOverride({ heimdallJobId }, order("withdraw"), noon + s)).rejects.toMatchObject({
      code: "precondition",
      message: "attempt 0 of job 1 has Advice that is withdrawn already",
    });
  });

  test("a restart that has happened is not withdrawn any more", async () => {
    const { store } = await open();
    const { heimdallJobId } = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, (await store.getJobByUuid(heimdallJobId))!, restart());
    await store.upsertJob(report("1", 1), noon + s);
    const answer = await store.setOverride(job1, order("never"), noon + 2 * s);
    expect(answer.effect).toBe("Recovery restarts job 1 no more.");
    expect(await store.getAdvice(heimdallJobId)).toMatchObject({ generation: 1 });
    await expect(store.setOverride({ heimdallJobId }, order("withdraw"), noon + s)).rejects.toMatchObject({
      message: "attempt 0 of job 1 is restarted already: the next attempt has started",
    });
  });

  // biome-ignore format: a table is read by columns
  const refused: [what: string, change: Parameters<typeof report>[2], message: string][] = [
    ["has not started", pending, "has not started; there is nothing to restart"],
    ["is over and done", { status: "COMPLETED", jmState: "COMPLETED" }, "is COMPLETED, and such a job is never restarted"],
    ["was cancelled", { status: "CANCELLED", jmState: "CANCELLED" }, "is CANCELLED, and such a job is never restarted"],
    ["is gone", { status: "DELETED", jmState: "UNKNOWN" }, "is gone from Slurm"],
    ["is not covered", { ...failed, coverage: notCovered }, "is not covered: no recovery comment"],
  ];
  test.each(refused)("a job that %s is not restarted by any order", async (_what, change, message) => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, change), noon);
    await expect(store.setOverride(job1, order("restart"), noon)).rejects.toMatchObject({
      code: "precondition",
      message: `attempt 0 of job 1 ${message}`,
    });
    expect((await store.listAuditEvents(...events("override.set"))).rows).toEqual([]);
  });

  test("nobody orders what nobody knows", async () => {
    const { store } = await open();
    const unknown = { code: "not-found" };
    await expect(store.setOverride(job1, order("never"), noon)).rejects.toMatchObject(unknown);
    const heimdallJobId = "11111111-2222-4333-8444-555555555555";
    await expect(store.setOverride({ heimdallJobId }, order("withdraw"), noon)).rejects.toMatchObject(unknown);
  });

  test("orders about one job have their bound, and clearing makes room", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, failed), noon);
    for (let i = 0; i < limits.overridesMax; i++) await store.setOverride(job1, order("never"), noon + i);
    await expect(store.setOverride(job1, order("never"), noon)).rejects.toMatchObject({ code: "precondition" });
    await store.setOverride(job1, order("clear"), noon + s);
    await store.setOverride(job1, order("never"), noon + 2 * s);
  });

  test("however an order and a decision race, a forbidden restart does not stay open", async () => {
    const { store, replica } = await open();
    for (let i = 0; i < 8; i++) {
      const job = await store.upsertJob(report(`${i}`, 0, failed), noon);
      const { factsSeq } = await factsOf(store, job);
      await Promise.all([
        recorded(store, job, factsSeq, restart()),
        replica.setOverride({ cluster, jobId: `${i}` }, order("never"), noon),
      ]);
      const advice = await store.getAdvice(job.heimdallJobId);
      expect(advice === undefined || advice.withdrawnAt !== undefined).toBe(true);
    }
  });
}
