/**
 * Goal    where nobody waits and nothing is read, an attempt costs a message a minute; whoever waits notices nothing of it.
 * Method  a real watcher in its world; reports are counted.
 */
import { expect, test } from "vitest";
import { eccLine, stepLine, World } from "./world.ts";

const path = "/logs/slurm-128.out";
const minute = 60_000;

async function trainingWorld(): Promise<World> {
  const world = new World();
  world.target({ heimdallJobId: "a0" });
  for (let step = 1; step <= 3; step++) {
    world.log.append(path, stepLine(step));
    await world.run(1_000);
  }
  return world;
}

async function reportsIn(world: World, ms: number): Promise<number> {
  const before = world.reports.length;
  await world.run(ms);
  return world.reports.length - before;
}

test("of a log that says nothing more it is told once a minute how far it was read", async () => {
  const world = await trainingWorld();
  await world.run(3 * minute);
  expect(await reportsIn(world, 10 * minute)).toBe(9); // Passes come every 225 ms: some of the minutes are a little longer.
});

test("as soon as it is written on, that is told within two seconds", async () => {
  const world = await trainingWorld();
  await world.run(3 * minute);
  world.log.append(path, "still here\n");
  await world.run(2_250);
  expect(world.position("a0")!.offset).toBe(3 * stepLine(1).length + "still here\n".length);
});

test("after a line that somebody may wait upon it is told every two seconds, and for as long as it is fatal at every pass", async () => {
  const world = await trainingWorld();
  await world.run(3 * minute);
  world.log.append(path, "[rank1]: ValueError: cannot reshape array\n");
  expect(await reportsIn(world, minute)).toBeGreaterThanOrEqual(25);
  world.log.append(path, eccLine);
  expect(await reportsIn(world, 10_000)).toBeGreaterThanOrEqual(40);
});

test("what an earlier watcher told may be waited upon when the next one begins", async () => {
  const world = await trainingWorld();
  await world.run(3 * minute);
  world.kill();
  expect(await reportsIn(world, minute)).toBeGreaterThanOrEqual(25);
});
