/**
 * Goal    what needs a person is told once and when it is due; what is over within a minute is not; a receiver that is away loses nothing.
 * Method  the store in memory, two handles on it; the sending is a list of what was sent, and fails when the test says so.
 */
import { expect, test } from "vitest";
import type { Log } from "@reprise/runtime/life.ts";
import { said } from "../store/contract/evidence.contract.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import {
  decided,
  factsOf,
  failed,
  hour,
  noon,
  none,
  pass,
  report,
  restart,
  s,
  status,
  terminate,
} from "../store/testing/world.ts";
import { noticeKinds, type Receiver } from "./notice.ts";
import { againAfterMs, tellOnce } from "./tell-once.ts";

const quiet: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const ops: Receiver = {
  name: "ops",
  url: { text: "https://hook.test/" },
  form: "json",
  kinds: noticeKinds,
  groupForMs: 0,
  always: ["blind"],
};

/** A server that was never told anything before `noon`, with SAC's last look right then. */
async function world(receivers: readonly Receiver[] = [ops]) {
  const store = createMemoryStore();
  const state = { now: noon, why: undefined as string | undefined };
  const clock = { now: () => state.now, elapsed: () => state.now, sleep: () => Promise.resolve() };
  const sent: string[] = [];
  const handles = [store, store.replica()];
  const look = (change = {}) => store.reportPass(pass(state.now, change), state.now);
  /** Both replicas look, `afterMs` later. @returns What was sent. */
  const tell = async (afterMs = 0) => {
    state.now += afterMs;
    const before = sent.length;
    for (const handle of handles) {
      const manager = { store: handle, clock, site: { cluster: "default" } };
      await tellOnce(
        manager,
        receivers,
        async ({ name }, notices) => {
          sent.push(`${name}: ${notices.map(({ key }) => key.split("/").slice(0, 3).join("/")).join(" ")}`);
          return state.why;
        },
        quiet,
      );
    }
    return sent.slice(before);
  };
  await look();
  await tell();
  return { store, state, look, tell };
}

test("a job that recovery has given up is told once, after Slurm has settled", async () => {
  const { store, state, look, tell } = await world();
  state.now += s;
  const job = await store.upsertJob(report("7", 0, { ...failed }), state.now);
  await decided(store, job, none({ because: "never" }), state.now);
  expect(await tell()).toEqual([]);
  state.now += 30 * s;
  await look();
  expect(await tell(31 * s)).toEqual([`ops: recovery-stopped/${job.heimdallJobId}`]);
  await look();
  expect(await tell(50 * s)).toEqual([]);
});

test("nobody is called for a job that is being brought back, nor for a restart that observe mode only notes", async () => {
  const { store, state, look, tell } = await world();
  const job = await store.upsertJob(report("7", 0, { ...failed }), state.now);
  await decided(store, job, restart(), state.now);
  state.now += 50 * s;
  await look();
  expect(await tell(50 * s)).toEqual([]);
  await store.observeStatus(job.heimdallJobId, status(1, { reason: "OBSERVE_MODE" }), state.now);
  await look();
  expect(await tell(50 * s)).toEqual([]);
});

test("what recovery ends for good is told, with what there is to do", async () => {
  const { store, state, look, tell } = await world();
  state.now += s;
  const job = await store.upsertJob(report("7", 0, { ...failed }), state.now);
  await decided(store, job, terminate(), state.now);
  await store.observeStatus(
    job.heimdallJobId,
    status(1, { disposition: "ABANDONED", reason: "ACTION_REFUSED" }),
    state.now,
  );
  await decided(store, job, terminate(), state.now);
  state.now += 50 * s;
  await look();
  expect(await tell(20 * s)).toEqual([`ops: recovery-stopped/${job.heimdallJobId}`]);
});

test("blindness is told when it has lasted a minute, once an episode", async () => {
  const { state, look, tell } = await world();
  state.now += s;
  await look({ unavailable: "slurmctld is away" });
  expect(await tell()).toEqual([]);
  expect(await tell(59 * s)).toEqual([]);
  state.now += s;
  await look({ unavailable: "slurmctld is away" });
  expect(await tell()).toEqual(["ops: blind/default/scheduler-unreadable"]);
  expect(await tell(30 * s)).toEqual([]);
  await look();
  expect(await tell()).toEqual([]);
  await look({ unavailable: "again" });
  expect(await tell()).toEqual([]);
  state.now += 55 * s;
  await look({ unavailable: "again" });
  expect(await tell(6 * s)).toEqual(["ops: blind/default/scheduler-unreadable"]);
});

test("a SAC that falls silent is told", async () => {
  const { tell } = await world();
  expect(await tell(61 * s)).toEqual([]);
  expect(await tell(60 * s)).toEqual(["ops: blind/default/sac-silent"]);
});

test("a hold that the watchdog has released is told, also when it is reported late", async () => {
  const { store, state, look, tell } = await world();
  const job = await store.upsertJob(report("7", 0), state.now);
  const released = {
    key: "w1",
    heimdallJobId: job.heimdallJobId,
    jobId: "7",
    attemptIndex: 0,
    generation: 1,
    action: "watchdog-release",
    begunAt: noon + s,
    endedAt: noon + 2 * s,
    outcome: "done",
    detail: "",
  };
  state.now = noon + hour;
  await look({ steps: [released] });
  const [first, ...more] = await tell();
  expect(first).toMatch(/^ops: hold-released\/\d+/);
  expect(more).toEqual([]);
  expect((await tell(s)).filter((line) => line.includes("hold-released"))).toEqual([]);
});

test("a node that fails job after job is told once; one failure is no pattern", async () => {
  const { store, state, look, tell } = await world();
  const nodes = Array.from({ length: 200 }, (_, n) => `n${n + 1}`);
  const fail = async (jobId: string) => {
    const job = await store.upsertJob(report(jobId, 0, { nodes, status: "RUNNING" }), state.now);
    const { factsSeq } = await factsOf(store, job);
    const entries = [said("n1", { at: state.now })];
    await store.recordEvidence("default", [{ heimdallJobId: job.heimdallJobId, factsSeq, entries }], state.now);
    state.now += hour;
  };
  const toldOfNodes = async (afterMs: number) => {
    await look();
    return (await tell(afterMs)).filter((line) => line.includes("node-repeats")).map((line) => line.split(" ").at(-1));
  };
  await fail("1");
  expect([await toldOfNodes(0), await toldOfNodes(59 * s), await toldOfNodes(59 * s)].flat()).toEqual([]);
  for (const jobId of ["2", "3", "4"]) await fail(jobId);
  expect([await toldOfNodes(0), await toldOfNodes(59 * s)].flat()).toEqual([]);
  expect(await toldOfNodes(s)).toEqual(["node-repeats/default/n1"]);
  expect(await toldOfNodes(50 * s)).toEqual([]);
});

test("a receiver that is away is asked again, later and later, and then has everything", async () => {
  const { state, tell } = await world();
  state.why = "503";
  await tell(61 * s);
  expect(await tell(60 * s)).toHaveLength(1);
  expect(await tell(9 * s)).toEqual([]);
  expect(await tell(s)).toHaveLength(1);
  expect(await tell(19 * s)).toEqual([]);
  state.why = undefined;
  expect(await tell(s)).toEqual(["ops: blind/default/sac-silent"]);
  expect(await tell(hour)).toEqual([]);
  expect([1, 2, 3, 20, 900].map(againAfterMs)).toEqual([10 * s, 20 * s, 40 * s, hour, hour]);
});

test("in quiet hours only what may always be told is", async () => {
  const night = { ...ops, quiet: { from: 12 * 60, to: 13 * 60, zone: "UTC" } };
  const { tell } = await world([
    { ...night, name: "loud" },
    { ...night, name: "calm", always: ["node-repeats"] },
  ]);
  await tell(61 * s);
  expect(await tell(60 * s)).toEqual(["loud: blind/default/sac-silent"]);
  expect(await tell(hour)).toEqual(["calm: blind/default/sac-silent"]);
});
