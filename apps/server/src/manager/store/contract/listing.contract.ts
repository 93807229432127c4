/**
 * Goal    a walk over a listing neither skips nor repeats what was there at its start, even while others write; filters say what they mean.
 */
import { expect, test } from "vitest";
import type { JobFilter, Page, Store } from "../../store.ts";
import { decided, failed, hour, noon, pending, report, restart, s, type Open } from "../testing/world.ts";

async function walk<T>(limit: number, read: (offset: number) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const page = await read(found.length);
    found.push(...page.rows);
    if (!page.hasMore) return found;
    expect(page.rows).toHaveLength(limit);
  }
}

export function listingContract(open: Open): void {
  test("a walk over jobs sees each once, in the order of creation, while two replicas write", async () => {
    const { store, replica } = await open();
    for (let i = 0; i < 23; i++) await store.upsertJob(report(`before-${i}`), noon - i * s); // Clocks may go back.
    let extra = 0;
    const found = await walk(5, async (offset) => {
      const writes = [store, replica, store].map((body) => body.upsertJob(report(`during-${extra++}`), noon - hour));
      const page = await store.listJobs({}, { offset, limit: 5 });
      await Promise.all([...writes, store.upsertJob(report(`before-${offset % 23}`, 0, failed), noon)]);
      return page;
    });
    const before = found.filter(({ jobId }) => jobId.startsWith("before"));
    expect(before.map(({ jobId }) => jobId)).toEqual(Array.from({ length: 23 }, (_, i) => `before-${i}`));
    expect(new Set(found.map(({ heimdallJobId }) => heimdallJobId)).size).toBe(found.length);
    const times = found.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test("filters of jobs say what they mean", async () => {
    const { store } = await open();
    await store.upsertJob(report("run"), noon);
    await store.upsertJob(report("wait", 0, { ...pending, workflowId: "wf-run" }), noon);
    await store.upsertJob(report("fail", 0, failed), noon + s);
    await store.upsertJob(report("done", 0, { status: "COMPLETED", jmState: "COMPLETED" }), noon + 2 * s);
    await store.upsertJob(report("cancel", 0, { status: "CANCELLED", jmState: "CANCELLED" }), noon + 3 * s);
    await store.upsertJob(report("again", 0, failed), noon + 4 * s);
    await store.upsertJob(report("again", 1, pending), noon + 5 * s);
    const ids = async (filter: JobFilter) => {
      const { rows } = await store.listJobs(filter, { offset: 0, limit: 100 });
      return rows.map(({ jobId, attemptIndex }) => (attemptIndex === 0 ? jobId : `${jobId}-${attemptIndex}`)).join(" ");
    };
    expect(await ids({ workflowIds: ["wf-run", "nobody"] })).toBe("run wait");
    expect(await ids({ jobIds: ["again", "done"] })).toBe("done again again-1");
    expect(await ids({ jmState: "REQUEUED" })).toBe("again");
    expect(await ids({ completed: false })).toBe("run wait again-1");
    expect(await ids({ completed: true })).toBe("fail done cancel again");
    expect(await ids({ reconciliationEligible: true })).toBe("run wait fail again-1");
    expect(await ids({ endTimeFrom: noon + 2 * s, endTimeTo: noon + 4 * s })).toBe("done cancel");
    expect(await ids({ jmState: "NO_SUCH" })).toBe("");
  });

  test("attempts of one scheduler job come by attempt index", async () => {
    const { store } = await open();
    for (const index of [0, 2, 1, 10]) await store.upsertJob(report("1", index), noon + index * hour);
    const found = await walk(2, (offset) => store.listJobsBySchedulerId("1", { offset, limit: 2 }));
    expect(found.map(({ attemptIndex }) => attemptIndex)).toEqual([0, 1, 2, 10]);
    expect(await store.listJobsBySchedulerId("2", { offset: 0, limit: 2 })).toEqual({ rows: [], hasMore: false });
  });

  test("a workflow begins with its first start and ends with the last end, once no attempt is live", async () => {
    const { store } = await open();
    const of = { workflowId: "wf" };
    await store.upsertJob(report("1", 0, { ...of, ...pending }), noon);
    expect(await store.getWorkflow("wf")).toEqual({ workflowId: "wf" });
    await store.upsertJob(report("1", 0, of), noon + s);
    await store.upsertJob(report("2", 0, { ...of, ...failed }), noon + 2 * s);
    expect(await store.getWorkflow("wf")).toEqual({ workflowId: "wf", startAt: noon + s });
    await store.upsertJob(report("1", 0, { ...of, ...failed }), noon + 9 * s);
    expect(await store.getWorkflow("wf")).toEqual({ workflowId: "wf", startAt: noon + s, endAt: noon + 9 * s });
    expect(await store.getWorkflow("nobody")).toBeUndefined();
  });

  test("a walk over workflows sees each once, also one that its jobs have left", async () => {
    const { store } = await open();
    for (let i = 0; i < 7; i++) await store.upsertJob(report(`${i}`), noon);
    const found = await walk(3, async (offset) => {
      await store.upsertJob(report("0", 0, { workflowId: `moved-${offset}` }), noon);
      return await store.listWorkflows({ offset, limit: 3 });
    });
    const ids = found.map(({ workflowId }) => workflowId);
    expect(ids.slice(0, 7)).toEqual(["0", "1", "2", "3", "4", "5", "6"].map((id) => `wf-${id}`));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("Advice comes newest first, and a walk sees each once while more is written and changed", async () => {
    const { store } = await open();
    const advise = async (jobId: string, now: number, nodes?: string[]) =>
      await decided(store, await store.upsertJob(report(jobId), noon), restart(nodes), now);
    for (let i = 0; i < 9; i++) await advise(`${i}`, noon + Math.floor(i / 3) * s); // Three have the same time.
    const all = await walkAdvice(store, async (round) => {
      await advise(`during-${round}`, noon + hour);
      await advise("4", noon + hour, ["n1", `m${round}`]); // A new generation keeps its place.
    });
    expect(all.map(({ jobId }) => jobId).toSorted()).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });
}

async function walkAdvice(store: Store, between: (round: number) => Promise<void>) {
  const found = [];
  for (let round = 0; ; round++) {
    const last = found.at(-1);
    const before =
      last === undefined ? {} : { before: { createdAt: last.createdAt, heimdallJobId: last.heimdallJobId } };
    const { rows, hasMore } = await store.listAdvice({ onlyActive: false }, { ...before, limit: 2 }, noon);
    found.push(...rows);
    if (!hasMore) return found;
    await between(round);
  }
}
