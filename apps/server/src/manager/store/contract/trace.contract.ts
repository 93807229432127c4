/**
 * Goal    each recovery is told by one replica at a time, and each of its spans once; what is over is not looked at again.
 */
import { expect, test } from "vitest";
import { sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import {
  cluster,
  converged,
  decided,
  failed,
  hour,
  noon,
  report,
  restart,
  s,
  status,
  type Open,
} from "../testing/world.ts";

const claim = { from: noon, limit: 10, claimMs: 60 * s };

export function traceContract(open: Open): void {
  test("a recovery gets a trace once, is due at once, and belongs for a while to whoever claims it", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    expect(await store.claimTraces(claim, noon)).toEqual([]);
    await decided(store, job, restart(), noon + s);
    const { heimdallJobId } = job;
    const sequenceId = sequenceIdOf(heimdallJobId, "RESTART");
    const trace = { sequenceId, operation: "RESTART", startedAt: noon + s, heimdallJobId, cluster, jobId: "1" };
    expect(await store.claimTraces(claim, noon + 2 * s)).toEqual([trace]);
    expect(await replica.claimTraces(claim, noon + 61 * s)).toEqual([]);
    expect(await replica.claimTraces(claim, noon + 62 * s)).toEqual([trace]);
  });

  test("a span is told once, by whichever replica comes first; over is over", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, job, restart(), noon);
    const id = sequenceIdOf(job.heimdallJobId, "RESTART");
    expect(await store.tellSpans(id, ["detect"], noon)).toEqual([]);
    await store.claimTraces(claim, noon);
    const both = await Promise.all([
      store.tellSpans(id, ["detect", "decide"], noon + 5 * s),
      replica.tellSpans(id, ["detect", "decide"], noon + 5 * s),
    ]);
    expect(both.flat()).toEqual(["detect", "decide"]);
    expect(await store.claimTraces(claim, noon + 4 * s)).toEqual([]);
    expect(await store.claimTraces(claim, noon + 5 * s)).toHaveLength(1);
    expect(await replica.tellSpans(id, ["detect", "root"])).toEqual(["root"]);
    expect(await store.claimTraces(claim, noon + hour)).toEqual([]);
  });

  test("of what was before nothing is begun; the longest due comes first", async () => {
    const { store } = await open();
    for (const [i, jobId] of ["1", "2", "3"].entries()) {
      const job = await store.upsertJob(report(jobId, 0, failed), noon);
      await decided(store, job, restart(), noon + i * s);
    }
    const namesAt = async (at: number, change = {}) =>
      (await store.claimTraces({ ...claim, ...change }, at)).map(({ jobId }) => jobId).sort();
    expect(await namesAt(noon + 3 * s, { from: noon + s })).toEqual(["2", "3"]);
    expect(await namesAt(noon + 4 * s)).toEqual(["1"]);
    expect(await namesAt(noon + hour, { limit: 2 })).toEqual(["2", "3"]);
  });

  test("a trace goes with the details of its job", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await decided(store, job, restart(), noon);
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    await store.claimTraces(claim, noon);
    await decided(store, job, restart(), noon); // Whatever was still undecided.
    expect((await store.expire({ detailsBefore: noon + hour, limit: 10 })).details).toBe(1);
    expect(await store.claimTraces(claim, noon + hour)).toEqual([]);
    expect(await store.tellSpans(sequenceIdOf(job.heimdallJobId, "RESTART"), ["root"])).toEqual([]);
  });
}
