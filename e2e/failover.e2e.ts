/**
 * Goal    a second slurmctld that takes over, having forgotten what the first one had not saved, and a first one that comes back and takes over
 *         again: nothing is done twice, and each job recovers.
 * Method  a lab with a backup controller; SAC's own journal tells the moment. Slurm's surviving history and the logs of both
 *         controllers are the judges. Needs the right to make namespaces, as root has outside a container that takes it away.
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onStep, readJournal, stepsIn } from "./world/journal.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { disposition, startWorld, stuckOnce, type World } from "./world/world.ts";

let world: World;
let stateDir: string;
beforeAll(async () => {
  world = await startWorld({ lab: { backup: true } });
  stateDir = join(world.dataDir, "sac");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
});
afterAll(async () => await world?.stop());

/** Calls once, at the moment at which SAC's journal says that the requeue of a job is done. */
function atRequeue(call: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = onStep(stateDir, "done", "requeue-hold", () => {
      stop();
      call().then(resolve, reject);
    });
  });
}

/** slurmctld saves late, so a takeover may forget that a job has begun: its first attempt is waited for on the disk. */
async function submitSaved(script: string): Promise<string> {
  const id = await world.submit(script);
  const state = join(world.lab.dir, "state", "job_state");
  const begun = await world.until(
    `job ${id} to run`,
    async () => (await world.slurm(id))?.state === "RUNNING" && statSync(state).mtimeMs,
  );
  await world.until(`Slurm to have saved that job ${id} runs`, () => statSync(state).mtimeMs > begun);
  return id;
}

/**
 * Released, and seen so; then completed. A 22.05 that has taken over may never begin to schedule (3 of 36 takeovers: `sdiag` shows no cycle, jobs
 * wait with `Reason=None`): its operator's `scontrol reconfigure` wakes it.
 */
async function recovered(id: string): Promise<void> {
  const isOver = async () => disposition(await world.advice(id)) === "CONVERGED";
  await world.until(`the Advice of job ${id} to be finished`, isOver, 120_000);
  await world.lab.run("scontrol", ["reconfigure"]);
  await world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", 60_000);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1, excluded: (await world.jobs(id))[0]?.nodes?.[0] });
}
const requeues = (id: string) => stepsIn(readJournal(stateDir), id, "requeue-hold").length;
/** A requeue that was forgotten is in the first controller's log, if it had come so far. */
const history = (id: string) => slurmEvents(world.lab.dir, id).filter((event, i, all) => event !== all[i - 1]);
const restartedOnce = ["started", "requeued", "released", "started", "exited 0"];
/** The requeue had reached the node before it was forgotten: the controller that took over sees the program end by a signal. */
const endedByTheFirst = restartedOnce.toSpliced(1, 0, "exited");

/**
 * @param happen    What happens to the controllers once the requeue is done.
 * @param histories What Slurm may then have seen.
 * @returns         How often the journal has the requeue.
 */
async function restarted(happen: () => Promise<void>, histories: readonly string[][]): Promise<number> {
  const happened = atRequeue(happen);
  const id = await submitSaved(`sleep 12; ${stuckOnce()}`);
  await happened;
  await recovered(id);
  expect(histories).toContainEqual(history(id));
  return requeues(id);
}

test("the controller dies right after our requeue, and its backup takes over: restarted once, without its node", async () => {
  // What was forgotten is done once more.
  const histories = [restartedOnce, endedByTheFirst];
  expect(await restarted(() => world.lab.controllerKill("primary"), histories)).toBeLessThanOrEqual(2);
});

test("the controller comes back while a job is held, and takes over from its backup: restarted once, without its node", async () => {
  expect(await restarted(() => world.lab.controllerUp("primary"), [restartedOnce])).toBe(1);
});
