/**
 * Goal    whatever is done to the clock of the watcher's host, lines are told as soon as ever, silence is as long as it was, and no
 *         lease ends or lasts longer for it.
 * Method  stories in a world in memory whose clock is set while the watcher runs. `elapsed` goes on as it did.
 */
import { describe, expect, test } from "vitest";
import { eccLine, stepLine, World } from "./world.ts";

const path = "/logs/slurm-128.out";
const minute = 60_000;
const fatal = "cuda-ecc-uncorrectable";

/** Attempt 0 has printed a step and nothing for ten minutes; then the clock is set. */
async function silentWorld(setByMs: number, change = {}): Promise<World> {
  const world = new World();
  world.target({ heimdallJobId: "a0", ...change });
  world.log.append(path, stepLine(1));
  await world.run(10 * minute);
  world.clockAheadMs = setByMs;
  return world;
}

const causes = (world: World) => world.of("a0", "crash").map((signal) => signal.cause);

describe.each([-5 * minute, 5 * minute])("when the clock is set by %i ms", (byMs) => {
  test("a fatal line after a long silence is told within a second", async () => {
    const world = await silentWorld(byMs);
    world.log.append(path, eccLine);
    await world.run(1_000);
    expect(causes(world)).toEqual([fatal]);
  });

  test("what is written on is told at its pace", async () => {
    const world = await silentWorld(byMs);
    for (let step = 2; step <= 11; step++) {
      world.log.append(path, stepLine(step));
      await world.run(1_000);
    }
    expect(world.of("a0", "progress").length).toBeGreaterThanOrEqual(5);
  });

  test("positions go on, and the time up to which was read is never before what was told", async () => {
    const world = await silentWorld(byMs);
    const before = world.reports.length;
    for (let line = 0; line < 5; line++) {
      world.log.append(path, "still here\n");
      await world.run(2_000);
    }
    expect(world.reports.length - before).toBeGreaterThanOrEqual(4);
    world.log.append(path, eccLine);
    await world.run(1_000);
    const { at } = world.of("a0", "crash")[0]!;
    await world.run(10_000);
    const readForMs = world.position("a0")!.readAt! - at;
    expect(readForMs).toBeGreaterThanOrEqual(9_000);
    expect(readForMs).toBeLessThanOrEqual(11_500);
  });

  test("a log that rotates is followed", async () => {
    const world = await silentWorld(byMs);
    world.log.rename(path, `${path}.1`);
    world.log.append(path, eccLine);
    await world.run(3_000);
    expect(causes(world)).toEqual([fatal]);
  });

  test("a file that appears is found", async () => {
    const world = await silentWorld(byMs, { logPaths: ["/logs/*.out"] });
    world.log.append("/logs/rank-3.out", eccLine);
    await world.run(3_000);
    expect(causes(world)).toEqual([fatal]);
  });

  test("the end of an attempt is said", async () => {
    const world = await silentWorld(byMs);
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(3_000);
    expect(world.released).toEqual(["a0"]);
  });

  test("a lease that is renewed goes on: nothing is opened anew", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0" });
    world.log.append(path, stepLine(1));
    await world.run(2_000);
    const opened = world.opened;
    world.clockAheadMs = byMs;
    await world.run(10_000);
    expect(world.opened).toBe(opened);
  });

  test("a lease that nobody renews ends when it would have ended", async () => {
    const world = await silentWorld(byMs);
    world.faults.push(...Array.from({ length: 1_000 }, () => "before" as const));
    await world.run(6_000);
    world.log.append(path, eccLine);
    const opened = world.opened;
    world.faults.length = 0;
    await world.run(3_000);
    expect([world.opened > opened, causes(world)]).toEqual([true, [fatal]]);
  });

  test("with its lease a watcher loses what it knows: the next claim brings its targets whole", async () => {
    const world = await silentWorld(byMs);
    world.faults.push(...Array.from({ length: 1_000 }, () => "before" as const));
    await world.run(6_000);
    world.log.append(path, eccLine);
    world.faults.length = 0;
    await world.run(1_000); // One claim.
    expect(causes(world)).toEqual([fatal]);
  });
});

test.each([-5 * minute, 5 * minute])(
  "a clock that is set by %i ms after a fatal line makes no silence of it",
  async (byMs) => {
    const world = await silentWorld(0);
    world.log.append(path, eccLine);
    await world.run(1_000);
    world.clockAheadMs = byMs;
    await world.run(2_000);
    const readForMs = world.position("a0")!.readAt! - world.of("a0", "crash")[0]!.at;
    expect(readForMs).toBeGreaterThanOrEqual(1_500);
    expect(readForMs).toBeLessThanOrEqual(3_000);
  },
);

test("what is told while nothing waits for silence has the time of a clock that was set forward", async () => {
  const world = await silentWorld(5 * minute);
  world.log.append(path, stepLine(2));
  await world.run(1_000);
  const late = world.now + world.clockAheadMs - world.of("a0", "progress").at(-1)!.at;
  expect(late).toBeLessThanOrEqual(1_000);
});

test("what is told after a clock was set back is never before what was told before", async () => {
  const world = await silentWorld(0);
  world.log.append(path, eccLine);
  await world.run(1_000);
  world.clockAheadMs = -5 * minute;
  world.log.append(path, stepLine(2));
  await world.run(1_000);
  const [crash, step] = [world.of("a0", "crash").at(-1)!, world.of("a0", "progress").at(-1)!];
  expect(step.at).toBeGreaterThan(crash.at);
});
