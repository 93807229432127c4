/**
 * Goal    one acting SAC a cluster: of two, only the one that holds the lease begins anything; when it is gone for good the other
 *         one takes over, and finishes what the first one held, though it has never seen its journal.
 * Method  two controllers with a state folder each beside one server.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { onStep, readJournal, stepsIn } from "./world/journal.ts";
import { type KeptSac, keepSac } from "./world/kept-sac.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { disposition, failsOnce, startWorld, stuckOnce, type World } from "./world/world.ts";

let world: World;
const sacs: KeptSac[] = [];
beforeAll(async () => {
  world = await startWorld({ flags: ["--scheduler", "none"] });
  const first = keepSac(world, { name: "sac-1" });
  const second = keepSac(world, { name: "sac-2" });
  sacs.push(first, second);
});
afterAll(async () => {
  await Promise.all(sacs.map((sac) => sac.stop()));
  await world?.stop();
});

const restartedOnce = ["started", "requeued", "released", "started", "exited 0"];
const eventsOf = (id: string) => slurmEvents(world.lab.dir, id).filter((event) => event !== "exited");
const completed = (id: string, withinMs?: number) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", withinMs);
const converged = (id: string) =>
  world.until(`the Advice of job ${id} to converge`, async () => disposition(await world.advice(id)) === "CONVERGED");
const stepsOf = ({ stateDir }: KeptSac, id: string) => stepsIn(readJournal(stateDir), id);

test("of two SACs only the holder of the lease acts", async () => {
  const ids = [await world.submit(failsOnce()), await world.submit(stuckOnce()), await world.submit(failsOnce())];
  for (const id of ids) {
    await completed(id);
    await converged(id);
    expect(eventsOf(id)).toEqual(restartedOnce);
  }
  const acted = sacs.filter((sac) => ids.some((id) => stepsOf(sac, id).length > 0));
  expect(acted).toHaveLength(1);
});

test("a SAC that is gone for good between hold and release: the other one takes the lease and releases its hold", async () => {
  const acting = sacs.find(({ stateDir }) => readJournal(stateDir).length > 0);
  const other = sacs.find((sac) => sac !== acting);
  if (acting === undefined || other === undefined) throw new Error("the test before this one found no acting SAC");
  // By then the job itself says whose hold it is: the other SAC has no other way to know.
  const stop = onStep(acting.stateDir, "done", "mark", () => acting.killForGood());
  const id = await world.submit(failsOnce());
  await completed(id, 90_000);
  await converged(id);
  stop();
  expect(eventsOf(id)).toEqual(restartedOnce);
  expect(stepsOf(acting, id).map(({ begin }) => begin.action)).toEqual(["requeue-hold", "mark"]);
  expect(stepsOf(other, id).map(({ begin }) => begin.action)).toContain("release");
});
