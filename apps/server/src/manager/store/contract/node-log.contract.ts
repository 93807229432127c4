/**
 * Goal    each node's log is read by one watcher at a time, from where the last one stood; each line reaches exactly the attempts that
 *         it concerns, once taken in, however late, and is never lost between two watchers.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Store } from "../../store.ts";
import { cluster, failed, noon, notCovered, pass, pending, position, report, s, type Open } from "../testing/world.ts";

const leaseMs = 30 * s;
const claim = (store: Store, now: number, watcher = "w1", limit = 100) =>
  store.claimNodeLogs({ watcher, limit }, leaseMs, now);
const names = async (store: Store, now: number, watcher?: string, limit?: number) =>
  (await claim(store, now, watcher, limit)).map(({ node }) => node);

const xid = (node: string, at: number, key = `${at}`) => ({ node, at, line: "NVRM: Xid 79", key });
const told = (store: Store, now: number, ...lines: ReturnType<typeof xid>[]) =>
  store.reportNodeLines({ reporter: "w1", cluster, lines, positions: [] }, now);
const stood = (node: string, offset: number, path = "/logs/messages") => ({
  node,
  path,
  device: "1",
  inode: "7",
  mark: "aa",
  offset,
  readAt: noon,
});

const targets = async (store: Store, now: number, watcher = "w1", renew: readonly string[] = []) =>
  (await store.claimTargets({ watcher, limit: 100, renew, release: [] }, leaseMs, now)).targets;
const concerned = async (store: Store, now: number) =>
  (await targets(store, now)).flatMap(({ attempt, nodeLines }) =>
    nodeLines.map(({ key, isShared }) => `${attempt.jobId}: ${key}${isShared ? " shared" : ""}`),
  );

const on = (nodes: string[], change = {}) => ({ nodes, ...change });
const readToEnd = (store: Store, { heimdallJobId }: AttemptRecord, now: number, number = 0) =>
  store.recordSignals(
    {
      reporter: "w1",
      signals: [],
      positions: [position({ heimdallJobId }, 9, { ended: true })],
      nodeLinesRead: [{ heimdallJobId, number }],
    },
    now,
  );

export function nodeLogContract(open: Open): void {
  test("the nodes of covered attempts that run, or ran a moment ago, are read, and no others", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, on(["n2", "n1"])), noon);
    await store.upsertJob(report("2", 0, on(["n3"], { coverage: notCovered })), noon);
    await store.upsertJob(report("3", 0, on(["n4"], pending)), noon);
    const done = await store.upsertJob(report("4", 0, on(["n1", "n5"])), noon - 60 * s);
    await store.upsertJob(report("4", 0, on(["n1", "n5"], failed)), noon);
    await targets(store, noon);
    await readToEnd(store, done, noon);
    const claimed = await claim(store, noon);
    expect(claimed.map(({ node, since }) => [node, since - noon])).toEqual([
      ["n1", -60 * s],
      ["n2", 0],
      ["n5", -60 * s],
    ]);
    expect(await names(store, noon + limits.nodeLogLateMs + s)).toEqual(["n1", "n2"]);
  });

  test("each node is held by one watcher: it keeps what it claims again, and a silent one loses it after the lease", async () => {
    const { store, replica } = await open();
    await store.upsertJob(report("1", 0, on(["n1", "n2", "n3"])), noon);
    expect(await names(store, noon, "w1", 2)).toEqual(["n1", "n2"]);
    expect(await names(replica, noon, "w2")).toEqual(["n3"]);
    expect(await names(store, noon + 20 * s, "w1", 1)).toEqual(["n1"]);
    expect(await names(replica, noon + 20 * s, "w2")).toEqual(["n2", "n3"]);
    expect(await names(replica, noon + 51 * s, "w2")).toEqual(["n1", "n2", "n3"]);
    expect(await names(replica, noon + 52 * s, "w2", 0)).toEqual([]);
    expect(await names(store, noon + 52 * s, "w1")).toEqual(["n1", "n2", "n3"]);
  });

  test("who takes a node over goes on where the last reader stood; who has lost it moves nothing", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, on(["n1"])), noon);
    await claim(store, noon);
    const files = [stood("n1", 500), stood("n1", 20, "/logs/kern")];
    await store.reportNodeLines({ reporter: "w1", cluster, lines: [], positions: files }, noon);
    const [taken] = await claim(store, noon + leaseMs, "w2");
    expect(taken?.positions).toEqual(files);
    const late = { reporter: "w1", cluster, lines: [xid("n1", noon + 5 * s)], positions: [stood("n1", 900)] };
    expect(await store.reportNodeLines(late, noon + leaseMs)).toEqual({ recorded: 1, repeated: 0 });
    expect((await claim(store, noon + leaseMs, "w2"))[0]?.positions).toEqual(files);
  });

  test("a line concerns those who were on its node at its time, and is taken in once", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, on(["n1", "n2"])), noon);
    await store.upsertJob(report("2", 0, on(["n3"])), noon);
    await store.upsertJob(report("3", 0, on(["n2"], { coverage: notCovered })), noon + 30 * s);
    const lines = [xid("n1", noon + 20 * s, "a"), xid("n2", noon + 40 * s, "b"), xid("n1", noon - s, "c")];
    expect(await told(store, noon + 50 * s, ...lines)).toEqual({ recorded: 3, repeated: 0 });
    expect(await told(store, noon + 51 * s, ...lines, xid("n3", noon + 45 * s, "a"))).toEqual({
      recorded: 1,
      repeated: 3,
    });
    const expected = ["1: a", "1: b shared", "2: a"];
    expect(await concerned(store, noon + 60 * s)).toEqual(expected);
    expect(await concerned(store, noon + 61 * s)).toEqual(expected);
  });

  test("an attempt whose nodes become known after the line is told of it all the same", async () => {
    const { store } = await open();
    await told(store, noon + 6 * s, xid("n1", noon + 5 * s));
    await store.upsertJob(report("1", 0, on(["n1"])), noon);
    expect(await concerned(store, noon + 7 * s)).toEqual([`1: ${noon + 5 * s}`]);
  });

  test("a line that comes after everything was read makes the attempt a target again, and one that was not read keeps it", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, on(["n1"])), noon);
    await targets(store, noon);
    await store.upsertJob(report("1", 0, on(["n1"], failed)), noon + 60 * s);
    await readToEnd(store, job, noon + 61 * s);
    expect(await targets(store, noon + 62 * s)).toEqual([]);

    await told(store, noon + 90 * s, xid("n1", noon + 59 * s, "late"));
    const [again] = await targets(store, noon + 91 * s);
    expect([again?.nodeLines.map(({ key }) => key), again?.nodeLinesNumber]).toEqual([["late"], 1]);
    await told(store, noon + 92 * s, xid("n1", noon + 58 * s, "later"));
    await readToEnd(store, job, noon + 93 * s, 1);
    const [third] = await targets(store, noon + 94 * s, "w1", [job.heimdallJobId]);
    expect([third?.nodeLines.map(({ key }) => key), third?.nodeLinesNumber]).toEqual([["later", "late"], 2]);
    await readToEnd(store, job, noon + 95 * s, 2);
    expect(await targets(store, noon + 96 * s)).toEqual([]);
  });

  test("a line from after the last look at Slurm waits for the next one, and reaches whom that one shows on the node", async () => {
    const { store } = await open();
    const seen = (...ids: string[]) => ids.map((jobId) => ({ jobId, attemptIndex: 0 }));
    const changed = [report("1", 0, on(["n1"])), report("2", 0, on(["n2"]))];
    const { heimdallJobIds } = await store.reportPass(pass(noon, { changed, seen: seen("1", "2") }), noon);
    await told(store, noon + 22 * s, xid("n1", noon + 20 * s, "a"), xid("n2", noon + 20 * s, "b"));
    expect(await concerned(store, noon + 23 * s)).toEqual([]);

    const held = await store.claimTargets(
      { watcher: "w1", limit: 9, renew: heimdallJobIds, release: [] },
      leaseMs,
      noon + 24 * s,
    );
    const known = new Map(held.targets.map(({ attempt, version }) => [attempt.heimdallJobId, version]));
    await store.reportPass(pass(noon + 19 * s, { seen: seen("1", "2") }), noon + 30 * s);
    const renew = { watcher: "w1", limit: 9, renew: heimdallJobIds, release: [], known };
    expect((await store.claimTargets(renew, leaseMs, noon + 31 * s)).targets).toEqual([]);

    const next = [report("1", 0, on(["n1"], failed)), report("3", 0, on(["n1"]))];
    await store.reportPass(pass(noon + 40 * s, { changed: next, seen: seen("1", "2", "3") }), noon + 41 * s);
    const { targets: last, unchanged } = await store.claimTargets(renew, leaseMs, noon + 42 * s);
    const whose = last.map(({ attempt, nodeLines }) => [attempt.jobId, nodeLines.map(({ key }) => key)]);
    expect([whose, unchanged]).toEqual([
      [
        ["1", ["a"]],
        ["2", ["b"]],
        ["3", []],
      ],
      [],
    ]);
  });

  test.each([15, -15])(
    "a line waits for the next look also where the cluster's clocks are %s min from ours",
    async (minutes) => {
      const { store } = await open();
      const there = noon + minutes * 60 * s;
      const job = report("1", 0, on(["n1"], { schedulerMetadata: { slurm: { startTime: there } } }));
      const look = (at: number, change = {}) =>
        store.reportPass(pass(there + at, { ...change, seen: [{ jobId: "1", attemptIndex: 0 }] }), noon + at);
      const { heimdallJobIds: renew } = await look(0, { changed: [job] });
      await told(store, noon + 22 * s, xid("n1", there + 20 * s, "a"));
      const [held] = await targets(store, noon + 23 * s);
      const known = new Map([[renew[0]!, held!.version]]);
      await look(40 * s);
      const ask = { watcher: "w1", limit: 9, renew, release: [], known };
      const { targets: stirred } = await store.claimTargets(ask, leaseMs, noon + 41 * s);
      const keys = (target: typeof held) => target?.nodeLines.map(({ key }) => key);
      expect([keys(held), stirred.map(keys)]).toEqual([[], [["a"]]]);
    },
  );

  test("a line that concerns nobody opens nothing", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, on(["n1"])), noon);
    await targets(store, noon);
    await store.upsertJob(report("1", 0, on(["n1"], failed)), noon + 60 * s);
    await readToEnd(store, job, noon + 61 * s);
    await told(store, noon + 90 * s, xid("n1", noon + 80 * s), xid("n2", noon + 50 * s), xid("n1", noon - 5 * s));
    expect(await targets(store, noon + 91 * s)).toEqual([]);
  });

  test("lines go with their age", async () => {
    const { store } = await open();
    await store.upsertJob(report("1", 0, on(["n1"])), noon);
    await told(store, noon + 6 * s, xid("n1", noon + 5 * s, "old"));
    await told(store, noon + 60 * s, xid("n1", noon + 50 * s, "new"));
    await store.expire({ nodeLinesBefore: noon + 30 * s, limit: 10 });
    expect(await concerned(store, noon + 61 * s)).toEqual(["1: new"]);
  });
}
