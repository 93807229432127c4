/**
 * Goal    a silence is told where the log was read past it, and nowhere else; whatever dies.
 * Method  stories in a world in memory, with limits of minutes.
 */
import { describe, expect, test } from "vitest";
import { stepLine, World } from "./world.ts";

const path = "/logs/slurm-128.out";
const minute = 60_000;
const silence = { pretrainingMs: 10 * minute, trainingLoopMs: 5 * minute };

/** Attempt 0 has printed three steps, five seconds apart. */
async function steppingWorld(change = {}): Promise<World> {
  const world = new World();
  world.target({ heimdallJobId: "a0", silence, ...change });
  for (const step of [1, 2, 3]) {
    world.log.append(path, stepLine(step));
    await world.run(5_000);
  }
  return world;
}

const hangs = (world: World) => world.of("a0", "hang");

describe("a running attempt", () => {
  test("that falls silent is told of once, with its last step line, soon after its limit", async () => {
    const world = await steppingWorld();
    const since = world.now - 5_000;
    await world.run(20 * minute);
    expect(hangs(world)).toMatchObject([
      {
        cause: "no-further-step",
        causeClass: "hang",
        root: true,
        step: 3,
        evidence: { line: stepLine(3).trim(), path },
      },
    ]);
    const lateMs = hangs(world)[0]!.at - since - silence.trainingLoopMs;
    expect(Math.abs(lateMs)).toBeLessThanOrEqual(1_500);
  });

  test("whose log only repeats a warning is silent", async () => {
    const world = await steppingWorld();
    for (let n = 0; n < 7; n++) {
      world.log.append(path, "WARNING: cannot reach the store, trying again\n");
      await world.run(minute);
    }
    expect(hangs(world)).toHaveLength(1);
  });

  test("whose log cannot be read is unknown, not hung", async () => {
    const world = await steppingWorld();
    world.kill(); // An open file is still read when its name is gone; the next watcher must open it.
    world.log.refuse(path, "EIO: the mount is gone");
    await world.run(20 * minute);
    expect(hangs(world)).toEqual([]);
    world.log.refuse(path, undefined);
    world.log.append(path, stepLine(900));
    await world.run(4 * minute);
    expect(hangs(world)).toEqual([]);
  });

  test("whose log has vanished is unknown too", async () => {
    const world = await steppingWorld();
    world.kill();
    world.log.remove(path);
    await world.run(20 * minute);
    expect(hangs(world)).toEqual([]);
  });

  test("that is suspended is silent for a reason", async () => {
    const world = await steppingWorld();
    const slurm = { stdout: path, workDir: "/work", startTime: world.now };
    world.target({ heimdallJobId: "a0", slurm: { ...slurm, slurmState: "SUSPENDED" } });
    await world.run(20 * minute);
    world.target({ heimdallJobId: "a0", slurm: { ...slurm, slurmState: "RUNNING" } });
    await world.run(4 * minute);
    expect(hangs(world)).toEqual([]);
    await world.run(2 * minute);
    expect(hangs(world)).toHaveLength(1);
  });

  test("whose log was emptied may have printed a step that nobody could read: its silence counts from then", async () => {
    const world = await steppingWorld();
    await world.run(4 * minute);
    world.log.append(path, stepLine(4));
    world.log.truncate(path);
    await world.run(5 * minute);
    expect(hangs(world)).toEqual([]);
    await world.run(minute);
    expect(hangs(world)).toHaveLength(1);
  });

  test("whose author wants no such detector is left in peace", async () => {
    const world = await steppingWorld({ silence: undefined });
    await world.run(20 * minute);
    expect(hangs(world)).toEqual([]);
  });

  test("that prints before its first step lives; when it stops to, it is told of after the longer limit", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0", silence });
    for (let shard = 1; shard <= 4; shard++) {
      world.log.append(path, `reading shard ${shard} of 400\n`);
      await world.run(6 * minute);
    }
    expect(hangs(world)).toEqual([]);
    await world.run(5 * minute);
    expect(hangs(world)).toMatchObject([{ cause: "no-first-step", evidence: { line: "reading shard 4 of 400" } }]);
  });

  test("that has ended is not silent", async () => {
    const world = await steppingWorld();
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(20 * minute);
    expect(hangs(world)).toEqual([]);
  });
});

test("a watcher that dies again and again tells the same silence, at the same time and once", async () => {
  const alone = await steppingWorld();
  await alone.run(6 * minute);
  const world = await steppingWorld();
  for (let life = 0; life < 12; life++) {
    world.kill();
    await world.run(30_000);
  }
  expect(hangs(world).map((s) => s.key)).toEqual(hangs(alone).map((s) => s.key));
  expect(Math.abs(hangs(world)[0]!.at - hangs(alone)[0]!.at)).toBeLessThanOrEqual(2_500);
});

describe("the time of the watcher's host", () => {
  test.each([5 * minute, 20 * minute, -20 * minute])("may be set by %i ms: that is no silence", async (byMs) => {
    const world = await steppingWorld();
    world.clockAheadMs += byMs;
    await world.run(4.5 * minute);
    expect(hangs(world)).toEqual([]);
    await world.run(minute);
    expect(hangs(world)).toHaveLength(1);
  });

  test.each([5 * minute, -20 * minute])("may be %i ms from that of the watcher before it", async (byMs) => {
    const world = await steppingWorld();
    await world.run(2 * minute);
    world.kill();
    world.clockAheadMs += byMs;
    await world.run(2 * minute);
    expect(hangs(world)).toEqual([]);
    await world.run(1.5 * minute);
    expect(hangs(world)).toHaveLength(1);
  });
});

test("while nobody looked is no silence: it counts on from where it was when somebody looks again", async () => {
  const world = await steppingWorld();
  await world.run(2 * minute);
  world.kill();
  world.now += 20 * minute;
  await world.run(2 * minute);
  expect(hangs(world)).toEqual([]);
  await world.run(1.5 * minute);
  expect(hangs(world)).toHaveLength(1);
});

test("what nobody read while every watcher was dead is read before anything is told of silence", async () => {
  const world = await steppingWorld();
  world.kill();
  world.now += 20 * minute;
  world.log.append(path, stepLine(240));
  await world.run(4 * minute);
  expect(hangs(world)).toEqual([]);
});
