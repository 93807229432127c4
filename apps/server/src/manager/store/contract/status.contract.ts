/**
 * Goal    what SAC observed of one generation finishes that generation, once; work is what it has not finished.
 */
import { expect, test } from "vitest";
import type { Store } from "../../store.ts";
import {
  converged,
  decided,
  factsOf,
  hour,
  none,
  noon,
  position,
  report,
  restart,
  s,
  status,
  step,
  terminate,
  type Open,
} from "../testing/world.ts";

const abandoned = { disposition: "ABANDONED", reason: "JOB_ENDED", message: "it completed" } as const;

async function advised(store: Store, jobId = "1") {
  const job = await store.upsertJob(report(jobId), noon);
  await decided(store, job, restart());
  return job;
}

export function statusContract(open: Open): void {
  test("new Advice is pending, and nobody has looked at it yet", async () => {
    const { store } = await open();
    const job = await advised(store);
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({
      generation: 1,
      status: { observedGeneration: 0, disposition: "PENDING", reason: "UNSPECIFIED" },
      createdAt: noon,
    });
  });

  test("pending becomes converged or abandoned, and the same report twice has the same answer", async () => {
    const { store } = await open();
    const job = await advised(store);
    await store.observeStatus(job.heimdallJobId, status(1, { reason: "OBSERVE_MODE" }), noon + s);
    const first = await store.observeStatus(job.heimdallJobId.toUpperCase(), status(1, converged), noon + 2 * s);
    expect(first).toMatchObject({ status: status(1, converged), updatedAt: noon + 2 * s });
    expect(await store.observeStatus(job.heimdallJobId, status(1, converged), noon + 3 * s)).toEqual(first);
    expect(await store.getAdvice(job.heimdallJobId)).toEqual(first);
  });

  test("what is finished stays finished: neither pending again nor ended otherwise", async () => {
    const { store } = await open();
    const job = await advised(store);
    const done = await store.observeStatus(job.heimdallJobId, status(1, abandoned), noon);
    for (const later of [status(1), status(1, converged), status(1, { ...abandoned, message: "other words" })]) {
      expect(await store.observeStatus(job.heimdallJobId, later, noon + s)).toEqual(done);
    }
  });

  test("a report about an older generation is kept and changes nothing; one above the stored one is refused", async () => {
    const { store } = await open();
    const job = await advised(store);
    await store.observeStatus(job.heimdallJobId, status(1, { reason: "OBSERVE_MODE" }), noon);
    await decided(store, job, terminate(), noon + s);
    const advice = await store.observeStatus(job.heimdallJobId, status(1, converged), noon + 2 * s);
    expect(advice).toMatchObject({ generation: 2, status: { disposition: "PENDING", observedGeneration: 0 } });
    const [story] = await store.story("default", "1");
    expect(story?.advice.map((generation) => generation.status.reason)).toEqual(["OBSERVE_MODE", "UNSPECIFIED"]);
    const above = store.observeStatus(job.heimdallJobId, status(3, converged), noon);
    await expect(above).rejects.toMatchObject({
      code: "precondition",
      message: expect.stringContaining("expected at most 2") as string,
    });
    const unknown = store.observeStatus("11111111-2222-4333-8444-555555555555", status(1), noon);
    await expect(unknown).rejects.toMatchObject({ code: "not-found" });
  });

  test("twenty controllers that disagree at once leave one answer", async () => {
    const { store, replica } = await open();
    const job = await advised(store);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? store : replica).observeStatus(job.heimdallJobId, status(1, i % 3 ? converged : abandoned), noon),
      ),
    );
    expect(new Set(answers.map((advice) => JSON.stringify(advice.status))).size).toBe(1);
  });

  test("work is all Advice that is not finished, also withdrawn and expired, with its source and whether its log was read", async () => {
    const { store } = await open();
    const [open1, withdrawn, done] = [await advised(store, "1"), await advised(store, "2"), await advised(store, "3")];
    await store.upsertJob(report("4", 0, { cluster: "other" }), noon);
    await decided(store, withdrawn, none({ withdraw: true }), noon + s);
    await store.observeStatus(done.heimdallJobId, status(1, converged), noon);
    await store.recordSignals({ reporter: "w", signals: [], positions: [position(open1, 5, { ended: true })] }, noon);
    const work = await store.listWork("default", noon + 48 * hour);
    expect(
      work.map(({ source, logEnded, advice }) => [source.jobId, logEnded, advice.withdrawnAt !== undefined]),
    ).toEqual(
      expect.arrayContaining([
        ["1", true, false],
        ["2", false, true],
      ]),
    );
    expect(work).toHaveLength(2);
    expect(await store.listWork("other", noon)).toEqual([]);
  });

  test("work says whether something was learnt since it was decided, and whether Slurm was seen then", async () => {
    const { store } = await open();
    const job = await advised(store, "1");
    const areDecided = async () => (await store.listWork("default", noon)).map(({ isDecided }) => isDecided);
    expect(await areDecided()).toEqual([true]);
    await store.recordSignals({ reporter: "w", signals: [step(job, 3, noon)], positions: [] }, noon);
    expect(await areDecided()).toEqual([false]);
    await decided(store, job, none({ because: "scheduler-unseen" }), noon + s);
    expect(await areDecided()).toEqual([false]);
    await decided(store, job, restart(), noon + s);
    expect(await areDecided()).toEqual([true]);
  });

  test("work says when a watcher last told how far it had read, by the server's clock", async () => {
    const { store } = await open();
    const job = await advised(store, "1");
    const heard = async (readAt: number, now: number, change: object = {}) => {
      const positions = [position(job, 9, { readAt, ...change })];
      await store.recordSignals({ reporter: "w", signals: [], positions }, now);
      return (await store.listWork("default", now))[0]?.logHeardAt;
    };
    expect((await store.listWork("default", noon))[0]).not.toHaveProperty("logHeardAt");
    expect(await heard(noon - 300 * s, noon)).toBe(noon);
    expect(await heard(noon - 300 * s, noon + s)).toBe(noon); // The answer was lost, and it is told again.
    expect(await heard(noon - 298 * s, noon + 2 * s)).toBe(noon + 2 * s);
    expect(await heard(noon - 296 * s, noon + 4 * s, { unreadable: "permission denied" })).toBe(noon + 2 * s);
  });

  test("active is what somebody should still carry out: pending, not withdrawn, not expired", async () => {
    const { store } = await open();
    await advised(store, "1");
    const active = async (now: number) =>
      (await store.listAdvice({ onlyActive: true }, { limit: 10 }, now)).rows.map(({ jobId }) => jobId);
    expect(await active(noon + 24 * hour - 1)).toEqual(["1"]);
    expect(await active(noon + 24 * hour)).toEqual([]);
    expect((await store.listAdvice({ onlyActive: false }, { limit: 10 }, noon + 24 * hour)).rows).toHaveLength(1);
  });

  test("an end makes the source undecided again, since budgets count it", async () => {
    const { store } = await open();
    const job = await advised(store);
    const before = (await factsOf(store, job)).factsSeq;
    await store.observeStatus(job.heimdallJobId, status(1, { message: "looking" }), noon);
    expect((await factsOf(store, job)).factsSeq).toBe(before);
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    expect((await factsOf(store, job)).factsSeq).toBe(before + 1);
  });
}
