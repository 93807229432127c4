/**
 * Goal    of several SACs on one cluster only the leaseholder carries Advice out and says what became of it: the others do not know whose hold
 *         it is that they see.
 * Method  the world of one job, with somebody else's hold already on its successor, as another SAC would have left it.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { expect, test } from "vitest";
import { recoveryLife } from "@reprise/core/watchdog/stranded.ts";
import { momentOf } from "@reprise/runtime/clock.ts";
import { leaseUntil } from "./lease.ts";
import { pass } from "./sac.ts";
import type { Slurm } from "./slurm/slurm.ts";
import { newState } from "./state.ts";
import type { Server } from "./server.ts";
import { oneJobWorld } from "./testing/one-job-world.ts";

type World = ReturnType<typeof oneJobWorld>;

const isServer = (port: object): port is Server => "acquireLease" in port;
/** The server's port with some of its answers changed; the other ports as they are. */
const answering =
  (change: (server: Server) => Partial<Server>) =>
  <T extends object>(port: T): T =>
    isServer(port) ? { ...port, ...change(port) } : port;
/** The server says that another SAC holds the lease. */
const withoutLease = answering(() => ({
  acquireLease: () => Promise.resolve({ isHeld: false, term: 7, expiresAt: Number.MAX_SAFE_INTEGER }),
}));

function heldByAnotherSac(world: World): void {
  const submitAt = world.job().submitAt + 60_000;
  world.meanwhile({
    state: "PENDING",
    restartCount: 1,
    priority: 0,
    submitAt,
    nodes: [],
    reason: "job requeued in held state",
  });
}

async function passes(world: World, wrap: Parameters<World["start"]>[0], count = 30) {
  const sac = world.start(wrap);
  for (let i = 0; i < count; i++) {
    await pass(sac.parts, sac.state);
    world.advance(2_000);
  }
  return sac;
}

test("without the lease, because another SAC has it, nothing is done and nothing is said about the Advice", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  heldByAnotherSac(world);
  await passes(world, withoutLease);
  expect(world.applied()).toEqual([]);
  expect(world.reports()).toEqual([]);
});

test.each([
  [
    "the server answers, and cannot give the right to act: what is seen is told all the same",
    new Error("internal error"),
    30,
  ],
  ["the server is away: nothing is tried", new Refusal("unavailable", "away"), 0],
  ["the server is too slow: it is not asked for more", new Refusal("deadline", "late"), 0],
])("%s; nothing is done", async (_what, why, told) => {
  const world = oneJobWorld({ lagMs: 0 });
  const passesTold: unknown[] = [];
  const refusing = answering((server) => ({
    acquireLease: () => Promise.reject(why),
    reportPass: (report) => {
      passesTold.push([report.mode, report.seen.length]);
      return server.reportPass(report);
    },
  }));
  await passes(world, refusing);
  expect(passesTold).toEqual(Array.from({ length: told }, () => ["act", 1]));
  expect(world.applied()).toEqual([]);
});

test("a SAC that lost its lease to another one is no living recovery: its watchdog lets go what it still holds", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const { parts } = await passes(world, withoutLease);
  const life = recoveryLife(parts.beside.heartbeat(), parts.clock.now(), {
    failOpenAfterMs: 180_000,
    serverGraceMs: 600_000,
  });
  expect(life.isLiving).toBe(false);
});

test("in observe mode a hold is never said to be somebody else's: it may be that of an acting SAC", async () => {
  const world = oneJobWorld({ lagMs: 0, mode: "observe" });
  heldByAnotherSac(world);
  await passes(world, undefined);
  expect(world.reports().map(({ reason }) => reason)).not.toContain("HELD_BY_OTHERS");
});

test.each(["act", "observe"] as const)(
  "in %s mode an attempt that a look does not show is not gone for Advice that was given since",
  async (mode) => {
    const world = oneJobWorld({ lagMs: 0, mode, work: { attemptIndex: 1 } });
    let asked = 0;
    const slow = answering((server) => ({
      listWork: async (cluster) => {
        // SAC stands still after its look; Slurm requeues the job, and another SAC, which sees that, tells the server.
        if (asked++ === 0) world.advance(10_000);
        if (asked === 1) world.meanwhile({ state: "RUNNING", restartCount: 1 });
        return server.listWork(cluster);
      },
    }));
    await passes(world, slow, 1);
    expect(world.reports()).toEqual([]);
  },
);

test("…and is gone when the next look does not show it either", async () => {
  const world = oneJobWorld({ lagMs: 0, work: { attemptIndex: 1 } });
  await passes(world, undefined, 1);
  expect(world.reports()).toEqual([]);
  await passes(world, undefined, 2);
  expect(world.reports()).toMatchObject([{ disposition: "ABANDONED", reason: "TARGET_GONE" }]);
});

test("after a restart the newest steps are reported first: the next decision counts them", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const reported: string[][] = [];
  const listening = answering((server) => ({
    reportPass: (report) => {
      reported.push(report.steps.map((s) => s.key));
      return server.reportPass(report);
    },
  }));
  const { parts, state } = world.start(listening);
  const work = { heimdallJobId: "old", jobId: "7", attemptIndex: 0, generation: 1 } as Parameters<
    typeof parts.journal.begin
  >[0]["work"];
  const keys = Array.from({ length: 500 }, () => parts.journal.begin({ action: "mark", work }, 0));
  await pass(parts, state);
  expect(reported[0]).toContain(keys.at(-1));
  for (let i = 0; i < 5; i++) await pass(parts, state);
  expect(new Set(reported.flat()).size).toBeGreaterThanOrEqual(500);
});

test("after a long silence of Slurm a pass only reports: what was decided before it is decided again first", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const sac = world.start();
  world.advance(limits.passAgeMaxMs + 1);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual([]);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["requeue-hold"]);
});

test("while the server has not decided about what it knows, nothing is begun", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  let isUndecided = true;
  const thinking = answering((server) => ({
    listWork: async (cluster) => (await server.listWork(cluster)).map((work) => ({ ...work, isUndecided })),
  }));
  const sac = world.start(thinking);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual([]);
  isUndecided = false;
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["requeue-hold"]);
});

test("without the server's word a running source is not requeued, though the intent stands in it: it may have gone on", async () => {
  const world = oneJobWorld({ state: "RUNNING", lagMs: 0 });
  let isAway = false;
  const leaving = answering((server) => ({
    listWork: (cluster) =>
      isAway ? Promise.reject(new Refusal("unavailable", "the server is away")) : server.listWork(cluster),
  }));
  const sac = world.start(leaving);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["mark"]);
  isAway = true;
  world.advance(5_000);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["mark"]);
  isAway = false;
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["mark", "requeue-hold"]);
});

test("work that was listed too long ago begins nothing new", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const sac = world.start();
  const slowly = async () => {
    world.advance(limits.workAgeMaxMs + 1);
    return sac.parts.lock();
  };
  await pass({ ...sac.parts, lock: slowly }, sac.state);
  expect(world.applied()).toEqual([]);
  await pass(sac.parts, sac.state);
  expect(world.applied()).toEqual(["requeue-hold"]);
});

test.each([
  ["set back by five minutes", -300_000, 10_000],
  ["set forward by five minutes", 300_000, 10_000],
  ["right, and the host slept for five minutes", 300_000, 0],
])("a lease gets no more time from a clock that is %s", (_name, aheadMs, ranMs) => {
  const at = { wall: 1_000_000, ran: 500 };
  const clock = { now: () => at.wall, elapsed: () => at.ran, sleep: () => Promise.resolve() };
  const state = { ...newState(0, clock), lease: { term: 1, asked: momentOf(clock) } };
  at.wall += aheadMs + ranMs;
  at.ran += ranMs;
  expect(leaseUntil(state, clock)! - at.wall).toBeLessThanOrEqual(limits.leaseMs - ranMs);
  expect(leaseUntil(state, clock)! <= at.wall).toBe(aheadMs > 0);
});

test.each([
  ["that is only late is told nothing again", new Refusal("deadline", "listWork took too long"), 0],
  ["that was away may be another one, and is told everything again", new Refusal("unavailable", "away"), 1],
])("a server %s", async (_name, error, toldAgain) => {
  const world = oneJobWorld({ lagMs: 0, mode: "observe" });
  const told: number[] = [];
  let fails = false;
  const sac = world.start(
    answering((server) => ({
      reportPass: (report) => {
        told.push(report.changed.length);
        return server.reportPass(report);
      },
      listWork: (cluster) => (fails ? Promise.reject(error) : server.listWork(cluster)),
    })),
  );
  for (let i = 0; i < 5; i++) {
    fails = i === 3;
    await pass(sac.parts, sac.state);
    world.advance(2_000);
  }
  expect(told.slice(3)).toEqual([0, toldAgain]);
});

test("a SAC that gets the lease from another one tells everything: what it told before may not have counted", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const told: number[] = [];
  let isHeld = false;
  const sac = world.start(
    answering((server) => ({
      reportPass: (report) => {
        told.push(report.changed.length);
        return server.reportPass(report);
      },
      acquireLease: () => Promise.resolve({ isHeld, term: 1, expiresAt: Number.MAX_SAFE_INTEGER }),
      listWork: () => Promise.resolve([]),
    })),
  );
  for (let i = 0; i < 4; i++) {
    isHeld = i === 3;
    await pass(sac.parts, sac.state);
    world.advance(2_000);
  }
  expect(told.slice(2)).toEqual([0, 1]);
});

test("while nothing is under way a look at rest is enough; what there is to do is planned from a whole one", async () => {
  const world = oneJobWorld({ lagMs: 0 });
  const looks: string[] = [];
  let isThere = false;
  const isSlurm = (port: object): port is Slurm => "holdReasons" in port;
  const resting = <T extends object>(port: T): T => {
    if (isServer(port))
      return { ...port, listWork: async (cluster: string) => (isThere ? port.listWork(cluster) : []) };
    if (!isSlurm(port)) return port;
    const look: Slurm["look"] = async (how = "whole") => {
      looks.push(how);
      const seen = await port.look(how);
      return how === "at-rest" && seen.kind === "seen" ? { ...seen, value: { ...seen.value, isAtRest: true } } : seen;
    };
    return { ...port, look };
  };
  const { parts, state } = world.start(resting);
  for (let i = 0; i < 3; i++) await pass(parts, state);
  expect(looks).toEqual(["whole", "at-rest", "at-rest"]); // Whether anything is open is not known before the first answer.
  isThere = true;
  looks.length = 0;
  await pass(parts, state);
  expect(looks).toEqual(["at-rest", "whole", "whole"]); // The last one is the look under the lock.
  expect(world.applied()).toEqual(["requeue-hold"]);
  await pass(parts, state);
  expect(looks.slice(3)).not.toContain("at-rest");
});

/** A server that fails once, in its second pass, and says of itself what it took last; which reports told of the job. */
async function toldAfterAFailure(lastAfterIt: "as it was" | "an older one" | undefined): Promise<readonly boolean[]> {
  const world = oneJobWorld({ lagMs: 0, mode: "observe" });
  const told: boolean[] = [];
  const taken: string[] = ["of another SAC"];
  const failing = answering((server) => ({
    reportPass: async (report) => {
      told.push(report.changed.length > 0);
      if (told.length === 2) throw new Error("internal error");
      taken.push(report.reportId ?? "");
      return server.reportPass(report);
    },
    orders: async (cluster) => {
      const { orders } = await server.orders(cluster);
      const lastReportId = taken.at(lastAfterIt === "an older one" && told.length === 2 ? -2 : -1);
      return { orders, ...(lastAfterIt === undefined || lastReportId === undefined ? {} : { lastReportId }) };
    },
  }));
  await passes(world, failing, 4);
  return told;
}

test("after a failure a server that still has the last report is told nothing again; one that has not, or does not say, everything", async () => {
  expect(await toldAfterAFailure("as it was")).toEqual([true, false, false, false]);
  expect(await toldAfterAFailure("an older one")).toEqual([true, false, true, false]);
  expect(await toldAfterAFailure(undefined)).toEqual([true, false, true, false]);
});

test("everything is told anew now and then: a newer server may keep more of it", async () => {
  const world = oneJobWorld({ lagMs: 0, mode: "observe" });
  const told: number[] = [];
  const listening = answering((server) => ({
    reportPass: (report) => {
      if (report.changed.length > 0) told.push(report.takenAt);
      return server.reportPass(report);
    },
  }));
  const sac = world.start(listening);
  const begun = sac.parts.clock.now();
  for (let i = 0; i < 5; i++) {
    await pass(sac.parts, sac.state);
    world.advance(limits.tellAllEveryMs / 2);
  }
  expect(told.map((at) => (at - begun) / limits.tellAllEveryMs)).toEqual([0, 1, 2]);
});
