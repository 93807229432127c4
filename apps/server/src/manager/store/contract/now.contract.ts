/**
 * Goal    a job stands as its newest attempt and the Advice about it say, and is listed and counted once.
 * Method  one job for each word, then what changes the word; walks by pages. `same-answers.contract.ts` compares the bodies over random
 *         histories.
 */
import { expect, test } from "vitest";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JobReport, Store } from "../../store.ts";
import {
  converged,
  decided,
  failed,
  hour,
  issue,
  none,
  noon,
  notCovered,
  pass,
  pending,
  position,
  report,
  restart,
  s,
  status,
  terminate,
  type Open,
} from "../testing/world.ts";

const advised = restart(["n1"], { issues: [issue] });
const completed = { status: "COMPLETED", jmState: "COMPLETED" } as const;
const cancelled = { status: "CANCELLED", jmState: "CANCELLED" } as const;

const failing = async (store: Store, jobId: string, change: Partial<JobReport> = {}) =>
  await store.upsertJob(report(jobId, 0, { ...failed, ...change }), noon);

/** `job: word` of all jobs, newest first. */
async function words(store: Store, now = noon + s): Promise<readonly string[]> {
  const { rows } = await store.listStandings({ cluster: "default" }, { limit: 100 }, now);
  return rows.map(({ attempt, standing }) => `${attempt.jobId}-${attempt.attemptIndex}: ${standing}`);
}

/** One job for each word. */
async function oneOfEach(store: Store): Promise<void> {
  await store.upsertJob(report("1"), noon);
  await store.upsertJob(report("2", 0, pending), noon);
  await decided(store, await failing(store, "3"), advised);
  await failing(store, "4");
  await decided(store, await failing(store, "5"), none());
  await store.upsertJob(report("6", 0, completed), noon);
  await store.upsertJob(report("7", 0, { coverage: notCovered }), noon);
}

export function nowContract(open: Open): void {
  test("each job has one word, and the newest comes first", async () => {
    const { store } = await open();
    await oneOfEach(store);
    expect(await words(store)).toEqual([
      "7-0: not-covered",
      "6-0: ended",
      "5-0: stopped",
      "4-0: deciding",
      "3-0: recovering",
      "2-0: waiting",
      "1-0: running",
    ]);
    expect(await store.countJobs("default", noon - hour, noon + s)).toEqual({
      running: 1,
      watched: 0,
      unreadable: 0,
      waiting: 1,
      recovering: 1,
      deciding: 1,
      stopped: 1,
      notCovered: 1,
    });
    expect(await store.countJobs("other", noon, noon)).toMatchObject({ running: 0, stopped: 0 });
  });

  test("a job is recovering until nobody carries its Advice out any more, also when its successor waits already", async () => {
    const { store } = await open();
    const job = await failing(store, "1");
    await decided(store, job, advised);
    await store.upsertJob(report("1", 1, pending), noon + s);
    expect(await words(store)).toEqual(["1-1: recovering"]);
    const { rows } = await store.listStandings({ cluster: "default" }, { limit: 9 }, noon + s);
    expect(rows[0]?.advice).toMatchObject({ attemptIndex: 0, generation: 1 });
    expect(await words(store, noon + 48 * hour)).toEqual(["1-1: waiting"]);
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon + 9 * s);
    expect(await words(store)).toEqual(["1-1: waiting"]);
  });

  test("in observe mode nobody carries anything out: what failed has stopped", async () => {
    const { store } = await open();
    const job = await failing(store, "1");
    await decided(store, job, advised);
    const observed = status(1, { disposition: "PENDING", reason: "OBSERVE_MODE" });
    await store.observeStatus(job.heimdallJobId, observed, noon + s);
    await decided(store, job, advised);
    expect(await words(store)).toEqual(["1-0: stopped"]);
  });

  test("who was cancelled by us has stopped, who was cancelled by somebody else has ended", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, { ...terminate(), issues: [issue] });
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    await store.upsertJob(report("1", 0, cancelled), noon);
    await decided(store, job, none({ because: "cancelled" }));
    await store.upsertJob(report("2", 0, cancelled), noon);
    expect(await words(store)).toEqual(["2-0: ended", "1-0: stopped"]);
  });

  test("a job whose controller was rolled back to a failure stands as that attempt, and once", async () => {
    const { store } = await open();
    const look = async (at: Instant, ...changed: JobReport[]) =>
      await store.reportPass(
        pass(at, { changed, seen: changed.map(({ attemptIndex }) => ({ jobId: "1", attemptIndex })) }),
        at,
      );
    await look(noon, report("1", 0, failed));
    const [zero] = (await store.listJobsBySchedulerId("1", { offset: 0, limit: 1 })).rows;
    await decided(store, zero!, terminate());
    await store.observeStatus(zero!.heimdallJobId, status(1, converged), noon);
    await look(noon + s, report("1", 1, pending));
    const [, one] = (await store.listJobsBySchedulerId("1", { offset: 0, limit: 2 })).rows;
    await decided(store, one!, restart([], { desired: "RELEASED", because: "launch-failed" }), noon + s);
    expect(await words(store)).toEqual(["1-1: recovering"]);

    await look(noon + 2 * s, report("1", 0, failed));
    for (const attempt of [zero!, one!]) await decided(store, attempt, none(), noon + 2 * s);
    const now = noon + 3 * s;
    // Advice about the one that is no more brings nobody back.
    expect(await words(store, now)).toEqual(["1-0: stopped"]);
    const { rows } = await store.listStandings({ cluster: "default", standing: "stopped" }, { limit: 9 }, now);
    expect(rows[0]?.advice).toMatchObject({ attemptIndex: 0, desired: "TERMINATED" });
    expect(await store.countJobs("default", noon - hour, now)).toMatchObject({ stopped: 1, recovering: 0, waiting: 0 });

    await look(noon + 4 * s);
    expect(await words(store, noon + 5 * s)).toEqual(["1-0: stopped"]);
  });

  test("a job that left Slurm while it waited for its restart has ended", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, failed), noon);
    const seen = [{ jobId: "1", attemptIndex: 1 }];
    await store.reportPass(pass(noon + s, { changed: [report("1", 1, pending)], seen }), noon + s);
    await store.reportPass(pass(noon + 2 * s), noon + 2 * s);
    expect(await words(store, noon + 3 * s)).toEqual(["1-1: ended"]);
  });

  test("what ended before the window is not counted, what lives always is", async () => {
    const { store } = await open();
    await oneOfEach(store);
    expect(await store.countJobs("default", noon + hour, noon + s)).toMatchObject({
      running: 1,
      waiting: 1,
      stopped: 0,
      deciding: 0,
    });
  });

  test("a running job is watched while a watcher holds its logs, and unreadable when one of them says so", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const claim = { watcher: "w", limit: 10, renew: [], release: [] };
    await store.claimTargets(claim, 15 * s, noon);
    const unreadable = position(job, 0, { unreadable: "permission denied" });
    await store.recordSignals({ reporter: "w", signals: [], positions: [unreadable] }, noon);
    expect(await store.countJobs("default", noon, noon + s)).toMatchObject({ running: 1, watched: 1, unreadable: 1 });
    expect(await store.countJobs("default", noon, noon + 16 * s)).toMatchObject({ running: 1, watched: 0 });
  });

  test("filters narrow the list, and a walk by pages sees every job once", async () => {
    const { store } = await open();
    await oneOfEach(store);
    await store.upsertJob(report("8", 0, { workflowId: "wf", jobName: "llm-7b" }), noon);
    const ids = async (filter: object, walk: object = {}) =>
      (await store.listStandings({ cluster: "default", ...filter }, { limit: 100, ...walk }, noon + s)).rows.map(
        ({ attempt }) => attempt.jobId,
      );
    expect(await ids({ standing: "stopped" })).toEqual(["5"]);
    expect(await ids({ standing: "recovering" })).toEqual(["3"]);
    expect(await ids({ workflowId: "wf" })).toEqual(["8"]);
    expect(await ids({ search: "llm" })).toEqual(["8"]);
    expect(await ids({ search: "6" })).toEqual(["6"]);
    expect(await ids({ search: "%" })).toEqual([]);
    const seen: string[] = [];
    for (let before: number | undefined; ; ) {
      const walk = { limit: 3, ...(before === undefined ? {} : { before }) };
      const { rows, hasMore } = await store.listStandings({ cluster: "default" }, walk, noon + s);
      seen.push(...rows.map(({ attempt }) => attempt.jobId));
      before = rows.at(-1)?.createdSeq;
      if (!hasMore) break;
    }
    expect(seen).toEqual(["8", "7", "6", "5", "4", "3", "2", "1"]);
  });

  test("the lease says who holds it, and until when", async () => {
    const { store } = await open();
    expect(await store.leaseOf("default")).toBeUndefined();
    await store.acquireLease("default", "sac-1", 30 * s, noon);
    expect(await store.leaseOf("default")).toEqual({ holder: "sac-1", term: 1, expiresAt: noon + 30 * s });
  });

  test("a preview says what an order would do, refuses what it would refuse, and changes nothing", async () => {
    const { store } = await open();
    const job = await failing(store, "1");
    await decided(store, job, advised);
    const order = { action: "never", reason: "wrong data set", by: "lea" } as const;
    const target = { cluster: "default", jobId: "1" };
    const { effect } = await store.previewOverride(target, order, noon + s);
    expect(effect).toBe("Recovery restarts job 1 no more. The restart of attempt 0 is withdrawn.");
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({ generation: 1 });
    expect((await store.story("default", "1"))[0]?.overrides).toEqual([]);
    expect((await store.setOverride(target, order, noon + s)).effect).toBe(effect);
    await expect(store.previewOverride({ cluster: "default", jobId: "9" }, order, noon)).rejects.toThrow("not known");
  });
}
