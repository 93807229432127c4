/**
 * Goal    however the watchdog dies, a job that recovery left held is let go, by releases only and only of our own hold.
 * Method  SAC holds a job and dies for good. The watchdog runs with a fuse that blows at the nth boundary, before or after each call
 *         to Slurm, the journal, its disk, the heartbeats and the lock; then a new one starts with what is on the disk. For
 *         n = 1, 2, 3 … until a run finishes with the fuse unblown.
 */
import { Fuse, unlessBlown } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import { pass } from "../sac.ts";
import { memoryBeside } from "../testing/memory.ts";
import { oneJobWorld, type WorldOptions } from "../testing/one-job-world.ts";
import { newWatchdogState, watchOnce, type WatchdogParts, type WatchdogState } from "./watch-once.ts";

const failOpenAfterMs = 20_000;
const passMs = 2_000;

type World = ReturnType<typeof oneJobWorld>;

/** SAC has requeued and held the job, and is gone. */
async function strandedWorld(options: WorldOptions): Promise<World> {
  const world = oneJobWorld(options);
  const { parts, state } = world.start();
  while (!world.applied().includes("requeue-hold")) {
    await pass(parts, state);
    world.advance(passMs);
  }
  expect(world.job()).toMatchObject({ state: "PENDING", priority: 0, restartCount: 1 });
  return world;
}

/** Runs the watchdog for two minutes. `meanwhile` is what others do before a pass. */
async function watch(world: World, fuse: Fuse, meanwhile: (i: number) => void = () => undefined): Promise<void> {
  const beside = memoryBeside(); // Files: they outlive every process.
  let lockedBy: object | undefined;
  let process: { parts: WatchdogParts; state: WatchdogState; isSecond: boolean } | undefined;
  const start = () => {
    const isSecond = fuse.blown;
    const self = {};
    const { slurm, journal, clock, log } = world.start(fuse.guard).parts;
    const tryLock = () => {
      if (lockedBy !== undefined) return undefined;
      lockedBy = self;
      return fuse.guard({ release: () => void (lockedBy = undefined) });
    };
    const config = { mode: "act", failOpenAfterMs, serverGraceMs: 600_000 } as const;
    const parts = { config, slurm, journal, beside: fuse.guard(beside), ...fuse.guard({ tryLock }), clock, log };
    return { parts, state: newWatchdogState(clock, parts.beside.watchdogBeat()?.silences), isSecond };
  };
  for (let i = 0; i < 60; i++) {
    meanwhile(i);
    try {
      process ??= start();
      await watchOnce(process.parts, process.state).catch(unlessBlown);
    } catch (error) {
      unlessBlown(error);
    }
    if (fuse.blown && process?.isSecond !== true) {
      process = undefined;
      lockedBy = undefined; // The operating system takes a dead process's lock.
    }
    world.advance(passMs);
  }
}

const afterHold = (world: World) => {
  const applied = world.applied();
  return applied.slice(applied.indexOf("requeue-hold") + 1);
};

test.each<[name: string, options: WorldOptions]>([
  ["a job that had failed", { state: "FAILED" }],
  ["a job that was stopped while it ran", { state: "RUNNING" }],
  ["a job in a Slurm that shows nothing for five seconds", { state: "FAILED", lagMs: 5_000 }],
])(
  "%s: a crash before or after any call still ends in its release, once",
  { timeout: 60_000 },
  async (_name, options) => {
    for (let n = 1; ; n++) {
      const world = await strandedWorld(options);
      const fuse = new Fuse(n);
      await watch(world, fuse);
      const what = `crash at boundary ${n}`;
      expect(afterHold(world), what).toEqual(["release"]);
      expect(world.job(), what).toMatchObject({ state: "PENDING", restartCount: 1, excludedNodes: [] });
      expect(world.job().priority, what).toBeGreaterThan(0);
      if (fuse.blown) continue;
      expect(n).toBeGreaterThan(100);
      return;
    }
  },
);

test("what others did to the job meanwhile is left as it is, wherever the watchdog dies", {
  timeout: 60_000,
}, async () => {
  const others = {
    "a later attempt, held by its owner": { restartCount: 2 },
    "cancelled while it was held": { state: "CANCELLED", priority: 0 },
    "released by its owner, and running": { state: "RUNNING", priority: 9 },
    "a hold for constraints that no node meets": { reason: "BadConstraints" },
  };
  for (const [name, change] of Object.entries(others)) {
    for (let n = 1; ; n += 3) {
      const world = await strandedWorld({ state: "FAILED" });
      const fuse = new Fuse(n);
      await watch(world, fuse, (i) => i === 5 && world.meanwhile(change));
      expect(afterHold(world), `${name}, crash at boundary ${n}`).toEqual([]);
      if (!fuse.blown) break;
    }
  }
});
