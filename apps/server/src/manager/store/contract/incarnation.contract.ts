/**
 * Goal    a job ID that Slurm gives again gets records of its own, and an attempt that it repeats does not.
 */
import { expect, test } from "vitest";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JobReport, Store } from "../../store.ts";
import {
  crash,
  decided,
  factsOf,
  failed,
  hour,
  noon,
  pass,
  pending,
  report,
  restart,
  s,
  shown,
  signals,
  type Open,
} from "../testing/world.ts";

export function incarnationContract(open: Open): void {
  const again = (attemptIndex = 0) => report("1", attemptIndex, { submitAt: noon + 9 * hour + attemptIndex * hour });

  test("a reissued job ID begins with nothing of the job before", async () => {
    const { store } = await open();
    const old = await store.upsertJob(report("1"), noon);
    await store.recordSignals(signals(crash(old)), noon);
    await decided(store, old, restart());
    const reissued = await store.upsertJob(again(), noon + 9 * hour);
    expect(reissued).toMatchObject({
      incarnation: 1,
      heimdallJobId: attemptUuid({ jobId: "1", attemptIndex: 0, incarnationSubmitAt: noon + 9 * hour }),
    });
    expect(await factsOf(store, reissued)).toMatchObject({ earlier: [], signals: [] });
    expect(await store.getAdvice(reissued.heimdallJobId)).toBeUndefined();
    expect(await shown(store, old)).toBe("1-0 DELETED/UNKNOWN started ended");
    expect(await store.getJobByAttempt("default", "1", 0)).toEqual(reissued);
    expect((await store.story("default", "1")).map(({ attempt }) => attempt.incarnation)).toEqual([1]);
  });

  test("a record whose job ID is another job's now is not seen any more, though the ID is", async () => {
    const { store } = await open();
    const seen = [{ jobId: "1", attemptIndex: 0 }];
    await store.reportPass(pass(noon, { changed: [report("1", 0, failed)], seen }), noon);
    const old = await store.getJobByAttempt("default", "1", 0);
    await store.reportPass(pass(noon + 9 * hour, { changed: [again()], seen }), noon + 9 * hour);
    await store.reportPass(pass(noon + 10 * hour, { seen }), noon + 10 * hour);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ lastSeenAt: noon + 10 * hour });
    expect(await store.getJobByUuid(old?.heimdallJobId ?? "")).toEqual(old);
  });

  test("its later attempts carry its submit time in their names, and are its successors only", async () => {
    const { store } = await open();
    const old = await store.upsertJob(report("1"), noon);
    const reissued = await store.upsertJob(again(), noon + 9 * hour);
    const second = await store.upsertJob(again(1), noon + 10 * hour);
    expect(second.heimdallJobId).toBe(
      attemptUuid({ jobId: "1", attemptIndex: 1, incarnationSubmitAt: noon + 9 * hour }),
    );
    expect((await factsOf(store, reissued)).successor).toMatchObject({ heimdallJobId: second.heimdallJobId });
    expect(await factsOf(store, old)).not.toHaveProperty("successor");
    const rows = (await store.listJobsBySchedulerId("1", { offset: 0, limit: 10 })).rows;
    expect(rows.map((row) => `${row.incarnation}/${row.attemptIndex}`)).toEqual(["0/0", "1/0", "1/1"]);
  });

  test("a late report about the job before changes its record, not the newest one", async () => {
    const { store } = await open();
    const old = await store.upsertJob(report("1"), noon);
    const reissued = await store.upsertJob(again(), noon + 9 * hour);
    await store.upsertJob(report("1", 0, failed), noon + 9 * hour + s);
    expect(await shown(store, old)).toBe("1-0 FAILED/FAILED started ended");
    expect(await shown(store, reissued)).toBe("1-0 RUNNING/RUNNING started");
  });

  test("a late report about a job that was never recorded is refused", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    const older = report("1", 0, { submitAt: noon - hour });
    await expect(store.upsertJob(older, noon)).rejects.toMatchObject({ code: "conflict" });
  });

  test("a SLUID decides where Slurm shows one: equal, it is the same attempt at another submit time", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { sluid: "sA" }), noon);
    const moved = await store.upsertJob(report("1", 0, { sluid: "sA", submitAt: noon + hour }), noon + s);
    expect(moved.heimdallJobId).toBe(job.heimdallJobId);
    const other = await store.upsertJob(report("1", 0, { sluid: "sB", submitAt: noon + 2 * hour }), noon + s);
    expect(other.incarnation).toBe(1);
  });

  test("an attempt that is repeated after a rollback is the same record, and has not started yet", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    const there = { nodes: ["n1"], nodeConstraints: { exclusions: ["n9"], inclusions: [] } };
    const lost = await store.upsertJob(report("1", 1, there), noon + hour);
    const repeated = report("1", 1, { ...pending, submitAt: noon + 2 * hour });
    expect(await store.upsertJob(repeated, noon + 2 * hour)).toMatchObject({
      heimdallJobId: lost.heimdallJobId,
      nodes: [],
      nodeConstraints: { exclusions: [], inclusions: [] },
    });
    expect(await shown(store, lost)).toBe("1-1 PENDING/PENDING");
    await store.upsertJob(report("1", 1), noon + 3 * hour); // Late: the life that was lost.
    expect(await shown(store, lost)).toBe("1-1 PENDING/PENDING");
  });

  test("a controller that rolled back to attempt 0 undoes attempt 1, and Advice about attempt 0 is possible again", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: view(0) }), noon);
    await store.reportPass(pass(noon + s, { changed: [report("1", 1)], seen: view(1) }), noon + s);
    const [zero, one] = (await store.listJobsBySchedulerId("1", { offset: 0, limit: 2 })).rows;
    expect(await decided(store, zero!, restart())).toEqual({ kind: "stale" });

    await store.reportPass(pass(noon + 2 * s, { changed: [report("1")], seen: view(0) }), noon + 2 * s);
    expect(await shown(store, zero!)).toBe("1-0 RUNNING/RUNNING started");
    expect(await shown(store, one!)).toBe("1-1 DELETED/UNKNOWN ended");
    expect(await decided(store, zero!, restart())).toEqual({ kind: "recorded", generation: 1 });
  });

  const view = (...indices: number[]) => indices.map((attemptIndex) => ({ jobId: "1", attemptIndex }));
  /** Slurm shows these of job 1, and nothing else. */
  const looks = async (store: Store, at: Instant, ...changed: JobReport[]) =>
    await store.reportPass(pass(at, { changed, seen: view(...changed.map((one) => one.attemptIndex)) }), at);
  const attempts = async (store: Store) => (await store.listJobsBySchedulerId("1", { offset: 0, limit: 9 })).rows;
  const allShown = async (store: Store) =>
    await Promise.all((await attempts(store)).map((attempt) => shown(store, attempt)));
  const taken = "1-1 DELETED/UNKNOWN ended";

  test.each([
    ["waited", pending],
    ["ran", {}],
    ["was cancelled", { status: "CANCELLED", jmState: "CANCELLED" } as const],
    ["failed, too", failed],
  ])(
    "a controller that rolled back to a failure: the attempt that was made of it is no more, though it %s",
    async (_, was) => {
      const { store } = await open();
      await looks(store, noon, report("1", 0, failed));
      await looks(store, noon + s, report("1", 1, was));
      expect((await allShown(store))[0]).toBe("1-0 FAILED/REQUEUED started ended");
      await looks(store, noon + 2 * s, report("1", 0, failed));
      expect(await allShown(store)).toEqual(["1-0 FAILED/FAILED started ended", taken]);
      expect((await store.listAuditEvents({ type: "job.rolled-back" }, { order: "asc", limit: 9 })).rows).toHaveLength(
        1,
      );
      expect(await decided(store, (await attempts(store))[0]!, restart())).toEqual({ kind: "recorded", generation: 1 });
      // Nothing has come after it, also not once Slurm has forgotten it.
      await store.reportPass(pass(noon + 3 * s), noon + 3 * s);
      expect(await allShown(store)).toEqual(["1-0 FAILED/FAILED started ended", taken]);
    },
  );

  test("a controller that rolled back to before its start: it has not started, and begins later", async () => {
    const { store } = await open();
    await looks(store, noon, report("1"));
    await looks(store, noon + s, report("1", 0, pending));
    expect(await allShown(store)).toEqual(["1-0 PENDING/PENDING"]);
    await looks(store, noon + hour, report("1"));
    expect((await attempts(store))[0]).toMatchObject({ startedAt: noon + hour });
  });

  test("a controller that rolled back while the requeued attempt was leaving: the next one is no more, however it ended", async () => {
    const { store } = await open();
    await looks(store, noon, report("1"));
    await looks(store, noon + s, report("1"), report("1", 1, { status: "CANCELLED", jmState: "CANCELLED" }));
    await looks(store, noon + 2 * s, report("1"));
    expect(await allShown(store)).toEqual(["1-0 RUNNING/RUNNING started", taken]);
  });

  test("what was rolled back and ran on is gone when it leaves Slurm, and not requeued", async () => {
    const { store } = await open();
    await looks(store, noon, report("1"));
    await looks(store, noon + s, report("1", 1, pending));
    await looks(store, noon + 2 * s, report("1"));
    await store.reportPass(pass(noon + 3 * s), noon + 3 * s);
    expect(await allShown(store)).toEqual(["1-0 DELETED/UNKNOWN started ended", taken]);
  });

  test("a job that leaves Slurm while its requeued attempt still ends was requeued, in whatever order its attempts are missed", async () => {
    const { store } = await open();
    await looks(store, noon, report("1", 1, pending));
    await looks(store, noon + s, report("1", 1, pending), report("1"));
    await store.reportPass(pass(noon + 2 * s), noon + 2 * s);
    expect((await allShown(store)).toSorted()).toEqual(["1-0 STOPPED/REQUEUED started ended", taken]);
  });

  test("an attempt that is repeated leaves none of those that came after it before", async () => {
    const { store } = await open();
    for (const index of [0, 1, 2]) await looks(store, noon + index * s, report("1", index, failed));
    await looks(store, noon + hour, report("1", 1, { ...pending, submitAt: noon + 2 * hour }));
    expect(await allShown(store)).toEqual([
      "1-0 FAILED/REQUEUED started ended",
      "1-1 PENDING/PENDING",
      "1-2 DELETED/UNKNOWN ended",
    ]);
  });

  test("a late word by itself about an attempt takes back nothing of what came after it", async () => {
    const { store } = await open();
    await looks(store, noon, report("1", 0, failed));
    await looks(store, noon + s, report("1", 1, pending));
    await store.upsertJob(report("1", 0, failed), noon + 2 * s);
    expect(await allShown(store)).toEqual(["1-0 FAILED/REQUEUED started ended", "1-1 PENDING/PENDING"]);
  });

  test("in a view of Slurm an earlier submit time is a new job all the same: the controller's clock was set back", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    const older = report("1", 0, { submitAt: noon - hour });
    await store.reportPass(pass(noon + s, { changed: [older], seen: [{ jobId: "1", attemptIndex: 0 }] }), noon + s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ incarnation: 1 });
  });
}
