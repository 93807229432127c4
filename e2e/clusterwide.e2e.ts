/**
 * Goal    one acting SAC a cluster: of two, only the one that holds the lease begins anything, and the other one says that it observes; one
 *         that stood still and comes back does nothing to what the other one has done meanwhile; when one is gone for good the other one takes
 *         over, and finishes what the first one held, though it has never seen its journal.
 * Method  two controllers with a state folder each beside one server. Slurm's own log is the judge.
 */
import { readFileSync } from "node:fs";
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
/** The newest entry in a journal is that of the SAC that acts. */
function whoActs(): { readonly acting: KeptSac; readonly other: KeptSac } {
  const lastAt = ({ stateDir }: KeptSac) => readJournal(stateDir).at(-1)?.at ?? 0;
  const [acting, other] = sacs.toSorted((a, b) => lastAt(b) - lastAt(a));
  if (acting === undefined || other === undefined || lastAt(acting) === 0)
    throw new Error("the tests before this one found no acting SAC");
  return { acting, other };
}
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
  const says = (sac: KeptSac, what: string) => readFileSync(sac.logFile, "utf8").includes(what);
  const observing = sacs.filter((sac) => !acted.includes(sac));
  expect(sacs.filter((sac) => says(sac, "has the lease of this cluster: this one observes"))).toEqual(observing);
  expect(sacs.filter((sac) => says(sac, "this SAC has the lease of the cluster: it acts"))).toEqual(acted);
});

test("a SAC that stood still between hold and release, and comes back when the other one has acted, does nothing more", async () => {
  const { acting: paused, other } = whoActs();
  // By then the job itself says whose hold it is: the other SAC has no other way to know.
  const stop = onStep(paused.stateDir, "done", "mark", () => paused.pause());
  const id = await world.submit(failsOnce("sleep 20"));
  await world.until(
    "the other SAC to release what the one that stands still has held",
    async () => stepsOf(other, id).some(({ begin, end }) => begin.action === "release" && end?.outcome === "done"),
    90_000,
  );
  stop();
  const stepsThen = stepsOf(paused, id).length;
  const logThen = readFileSync(paused.logFile, "utf8").length;
  paused.resume();
  await world.until("the one that comes back to see that it lacks the lease", () =>
    readFileSync(paused.logFile, "utf8").slice(logThen).includes("this one observes"),
  );
  await completed(id);
  await converged(id);
  expect(eventsOf(id)).toEqual(restartedOnce);
  expect(stepsOf(paused, id)).toHaveLength(stepsThen);
});

test("a SAC that is gone for good between hold and release: the other one takes the lease and releases its hold", async () => {
  const { acting, other } = whoActs();
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
