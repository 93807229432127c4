/**
 * Goal    every covered attempt's logs are read to their end by exactly one watcher at a time, whichever watcher dies.
 */
import { expect, test } from "vitest";
import type { Store } from "../../store.ts";
import { failed, noon, notCovered, pending, position, report, s, step, type Open } from "../testing/world.ts";

const leaseMs = 30 * s;
const ask = (watcher: string, limit = 10, renew: string[] = [], release: string[] = []) => ({
  watcher,
  limit,
  renew,
  release,
});
const claim = async (store: Store, now: number, ...which: Parameters<typeof ask>) => {
  const { targets } = await store.claimTargets(ask(...which), leaseMs, now);
  return targets.map(({ attempt }) => `${attempt.jobId}-${attempt.attemptIndex}`).sort();
};

/** A watcher that keeps what it is told; `told` claims and says what has come. */
function knowing(store: Store, watcher: string) {
  const known = new Map<string, string>();
  const told = async () => {
    const { targets, unchanged } = await store.claimTargets(
      { ...ask(watcher, 10, [...known.keys()]), known },
      leaseMs,
      noon,
    );
    for (const { attempt, version } of targets) known.set(attempt.heimdallJobId, version);
    const names = targets.map(({ attempt }) => `${attempt.jobId}-${attempt.attemptIndex}`);
    return [...names, ...unchanged.map((uuid) => `unchanged ${uuid}`)];
  };
  return { known, told };
}

export function targetContract(open: Open): void {
  test("covered attempts that run or have run are targets; others are not", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("2", 0, pending), noon);
    await store.upsertJob(report("3", 0, { coverage: notCovered }), noon);
    await store.upsertJob(report("4", 0, failed), noon);
    await store.upsertJob(report("5", 0, { status: "CANCELLED", jmState: "CANCELLED" }), noon);
    expect(await claim(store, noon, "w1")).toEqual(["1-0", "4-0"]);
    await store.upsertJob(report("2"), noon + s);
    expect(await claim(store, noon + s, "w2")).toEqual(["2-0"]);
  });

  test("two watchers that ask at once never get the same target", async () => {
    const { store, replica } = await open();
    for (let i = 0; i < 20; i++) await store.upsertJob(report(`${i}`), noon);
    const claimed = await Promise.all(
      Array.from({ length: 8 }, (_, i) => claim(i % 2 ? store : replica, noon, `w${i}`, 4)),
    );
    expect(claimed.flat()).toHaveLength(new Set(claimed.flat()).size);
    const rest = await claim(store, noon, "last", 100);
    expect(new Set([...claimed.flat(), ...rest]).size).toBe(20);
  });

  test("a watcher keeps what it renews; what a silent one held goes to another after the lease", async () => {
    const { store } = await open();
    const one = await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("2"), noon);
    expect(await claim(store, noon, "w1")).toEqual(["1-0", "2-0"]);
    expect(await claim(store, noon + 20 * s, "w1", 1, [one.heimdallJobId])).toEqual(["1-0"]);
    expect(await claim(store, noon + 29 * s, "w2")).toEqual([]);
    expect(await claim(store, noon + 30 * s, "w2")).toEqual(["2-0"]);
    expect(await claim(store, noon + 40 * s, "w1", 10, [one.heimdallJobId])).toEqual(["1-0"]);
  });

  test("a watcher that was restarted under its name gets back what it had, and what it gives back is free", async () => {
    const { store } = await open();
    const one = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    expect(await claim(store, noon + s, "w1")).toEqual(["1-0"]);
    expect(await claim(store, noon + s, "w1", 10, [], [one.heimdallJobId])).toEqual([]);
    expect(await claim(store, noon + s, "w2")).toEqual(["1-0"]);
  });

  test("a target comes with where its last reader stood and where earlier attempts stopped; a restart loses nothing", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    await store.recordSignals({ reporter: "w1", signals: [], positions: [position(zero, 500)] }, noon);
    const one = await store.upsertJob(report("1", 1), noon + s);
    await store.recordSignals({ reporter: "w1", signals: [], positions: [position(one, 700, { start: 500 })] }, noon);
    const { targets } = await store.claimTargets(ask("w2"), leaseMs, noon + leaseMs);
    expect(targets.map(({ ended }) => ended)).toEqual([true, false]);
    expect(targets.map(({ positions }) => positions)).toEqual([
      [position(zero, 500)],
      [position(one, 700, { start: 500 })],
    ]);
    expect(targets.map(({ earlier }) => earlier)).toEqual([[], [position(zero, 500)]]);
  });

  test("what a reader remembers comes with its position, and stays when the next position brings none", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    const tell = (offset: number, more = {}) =>
      store.recordSignals({ reporter: "w1", signals: [], positions: [position(job, offset, more)] }, noon);
    await tell(500, { memory: '{"pulse":1}' });
    await tell(700);
    const [target] = (await store.claimTargets(ask("w2"), leaseMs, noon + leaseMs)).targets;
    expect(target?.positions).toEqual([position(job, 700, { memory: '{"pulse":1}' })]);
  });

  test("only the attempt right before says where this one's lines begin: after an older one another may have written", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    await store.recordSignals({ reporter: "w1", signals: [], positions: [position(zero, 500, { ended: true })] }, noon);
    await store.upsertJob(report("1", 1), noon + s);
    await store.upsertJob(report("1", 2), noon + 2 * s);
    const { targets } = await store.claimTargets(ask("w1"), leaseMs, noon + 2 * s);
    const earlier = new Map(targets.map((t) => [t.attempt.attemptIndex, t.earlier.map(({ ended }) => ended)]));
    expect([earlier.get(1), earlier.get(2)]).toEqual([[true], [false]]);
  });

  test("earlier attempts come in their order, whichever was told of first", async () => {
    const { store } = await open();
    for (const attemptIndex of [2, 1, 0]) {
      const job = await store.upsertJob(report("1", attemptIndex), noon);
      await claim(store, noon, "w1");
      await store.recordSignals({ reporter: "w1", signals: [], positions: [position(job, attemptIndex)] }, noon);
    }
    const { targets } = await store.claimTargets(ask("w1"), leaseMs, noon + s);
    const last = targets.find((t) => t.attempt.attemptIndex === 2);
    expect(last?.earlier.map(({ offset }) => offset)).toEqual([0, 1]);
  });

  test("a watcher that has lost a target moves no position, but what it read is kept", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    await claim(store, noon + leaseMs, "w2");
    await store.recordSignals({ reporter: "w2", signals: [], positions: [position(job, 900)] }, noon + leaseMs);
    const late = { reporter: "w1", signals: [step(job, 3, noon)], positions: [position(job, 400)] };
    expect(await store.recordSignals(late, noon + leaseMs)).toEqual({ recorded: 1, repeated: 0 });
    const [target] = (await store.claimTargets(ask("w2"), leaseMs, noon + leaseMs)).targets;
    expect(target?.positions).toEqual([position(job, 900)]);
  });

  test("what a watcher renews and knows as it is costs its name alone; positions that moved are no news to who moved them", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const { known, told } = knowing(store, "w1");
    expect(await told()).toEqual(["1-0"]);
    expect(await told()).toEqual([`unchanged ${job.heimdallJobId}`]);
    await store.recordSignals({ reporter: "w1", signals: [], positions: [position(job, 500)] }, noon);
    expect(await told()).toEqual([`unchanged ${job.heimdallJobId}`]);
    await store.upsertJob(report("1", 0, { nodes: ["n7"] }), noon + s);
    expect(await told()).toEqual(["1-0"]);
    await store.upsertJob(report("1", 0, failed), noon + s);
    expect(await told()).toEqual(["1-0"]);
    // Its memory is gone, its name is the same.
    known.clear();
    expect(await told()).toEqual(["1-0"]);
  });

  test("a version from another life does not hide a target that this watcher has only just got", async () => {
    const { store } = await open();
    await store.upsertJob(report("1"), noon);
    const [target] = (await store.claimTargets(ask("w1"), leaseMs, noon)).targets;
    await store.claimTargets(ask("w2"), leaseMs, noon + leaseMs);
    const known = new Map([[target!.attempt.heimdallJobId, target!.version]]);
    const again = { ...ask("w1"), known };
    expect(await store.claimTargets(again, leaseMs, noon + leaseMs)).toEqual({ targets: [], unchanged: [] });
    expect((await store.claimTargets(again, leaseMs, noon + 2 * leaseMs)).targets).toHaveLength(1);
  });

  test("that an earlier attempt was read to its end is news to who reads the next", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1", 0, failed), noon);
    await store.upsertJob(report("1", 1), noon);
    const { told } = knowing(store, "w1");
    expect(await told()).toEqual(["1-0", "1-1"]);
    await store.recordSignals({ reporter: "w1", signals: [], positions: [position(zero, 500, { ended: true })] }, noon);
    expect(await told()).toEqual(["1-1"]);
  });

  test("a log that was read to its end is nobody's target any more, until the attempt lives again", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await claim(store, noon, "w1");
    await store.upsertJob(report("1", 0, failed), noon + s);
    await store.recordSignals(
      { reporter: "w1", signals: [], positions: [position(job, 9, { ended: true })] },
      noon + s,
    );
    await store.upsertJob(report("1", 0, { ...failed, nodes: ["n1"] }), noon + s);
    expect(await claim(store, noon + s, "w1", 10, [job.heimdallJobId])).toEqual([]);
    await store.upsertJob(report("1"), noon + 2 * s);
    expect(await claim(store, noon + 2 * s, "w1")).toEqual(["1-0"]);
  });
}
