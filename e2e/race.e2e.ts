/**
 * Goal    the user cancels, or the job ends by itself, at the very moment at which SAC requeues it while it runs: never resurrected; and
 *         a job that takes its time to leave loses neither its hold nor its release.
 * Method  many stuck jobs at once. As soon as SAC's journal says that the requeue of a job has begun, and so many milliseconds later, the
 *         job is cancelled, or told to exit. Once with a Slurm of short times, once with Slurm's defaults. The judge is
 *         the order of the lines in slurmctld's log.
 */
import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFinished, onStep, readJournal } from "./world/journal.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { eccLine, startWorld, type World } from "./world/world.ts";

const delaysMs = [0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200];

type Act = "cancel" | "exit" | "nothing";
interface Racer {
  readonly id: string;
  readonly act: Act;
  readonly afterMs: number;
  readonly what: string;
}

/** Prints a fatal line and is stuck, in its own way; what its successor does is told apart by the restart count. */
const stuck = (how: string, successor: string) =>
  `if [ "\${SLURM_RESTART_COUNT:-0}" != 0 ]; then ${successor}; fi\n${how}\n`;
const fatal = `echo '${eccLine}' >&2`;
/** Until a word comes through its pipe. */
const untilTold = `mkfifo go-$SLURM_JOB_ID; exec 3<>go-$SLURM_JOB_ID; ${fatal}; read word <&3; exit 0`;
const leavesAfter = (seconds: number) => `trap 'sleep ${seconds}; exit 0' TERM; ${fatal}; sleep 600 & wait`;
const neverLeaves = `trap '' TERM; ${fatal}; sleep 600`;
const succeeds = "echo ok; exit 0";
const runsOn = "exec sleep 600";

async function submitRacers(world: World): Promise<readonly Racer[]> {
  const racers: Racer[] = [];
  const add = async (script: string, act: Act, afterMs: number, what: string) =>
    void racers.push({ id: await world.submit(script), act, afterMs, what });
  for (const afterMs of delaysMs) {
    await add(stuck(untilTold, runsOn), "cancel", afterMs, `cancelled ${afterMs} ms after the requeue was begun`);
    await add(stuck(untilTold, succeeds), "exit", afterMs, `ended by itself ${afterMs} ms after the requeue was begun`);
  }
  await add(stuck(leavesAfter(1), succeeds), "nothing", 0, "leaves one second after SIGTERM");
  await add(stuck(leavesAfter(2), succeeds), "nothing", 0, "leaves two seconds after SIGTERM");
  await add(stuck(neverLeaves, succeeds), "nothing", 0, "does not leave before SIGKILL");
  await add(stuck(leavesAfter(2), runsOn), "cancel", 1_000, "cancelled while it leaves");
  return racers;
}

describe.each([
  { name: "a Slurm of short times", lab: { credExpireSeconds: 5, killWaitSeconds: 3 } },
  { name: "a Slurm with its default times", lab: { credExpireSeconds: 120, killWaitSeconds: 30 } },
])("$name", ({ lab }) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ lab });
  });
  afterAll(async () => await world?.stop());

  test("a job that is cancelled or ends while it is being requeued is not resurrected, and no release is lost", async () => {
    const stateDir = join(world.dataDir, "sac");
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const racers = new Map<string, Racer>();
    const acts = new Map<string, Promise<void>>();
    const stop = onStep(stateDir, "begun", "requeue-hold", (id) => {
      const racer = racers.get(id);
      if (racer !== undefined && !acts.has(id)) acts.set(id, act(world, racer));
    });
    for (const racer of await submitRacers(world)) racers.set(racer.id, racer);

    const all = [...racers.values()];
    await world.until(
      "all Advice to be finished",
      () => all.every(({ id }) => isFinished(readJournal(stateDir), id)),
      120_000,
    );
    stop();
    await Promise.all(acts.values());
    for (const racer of all) {
      await world.until(`job ${racer.id}, ${racer.what}, to end`, async () =>
        /^(CANCELLED|COMPLETED)$/.test((await world.slurm(racer.id))?.state ?? ""),
      );
    }
    for (const racer of all) await judge(world, racer);
    expect(acts.size, "requeues that were begun").toBe(all.length);
  });
});

async function act(world: World, { id, act: what, afterMs }: Racer): Promise<void> {
  if (afterMs > 0) await delay(afterMs);
  if (what === "cancel") await world.lab.run("scancel", [id]);
  if (what === "exit") tellToExit(join(world.lab.sharedDir, `go-${id}`));
}

function tellToExit(pipe: string): void {
  try {
    const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(fd, "go\n");
    closeSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error; // Nobody reads: the job has been killed already.
  }
}

async function judge(world: World, { id, act: what, what: name }: Racer): Promise<void> {
  const job = await world.slurm(id);
  const events = slurmEvents(world.lab.dir, id);
  const restarted = ["started", "requeued", "released", "started", "exited 0"];
  const endedFirst = ["started", "exited 0"];
  if (what === "cancel") {
    expect(job?.state, `job ${id}, ${name}`).toBe("CANCELLED");
    expect(events.slice(events.indexOf("cancel-asked")), `job ${id}, ${name}`).not.toContain("started");
    return;
  }
  expect(job?.state, `job ${id}, ${name}`).toBe("COMPLETED");
  expect(
    what === "nothing" ? [restarted] : [restarted, endedFirst],
    `job ${id}, ${name}: ${events.join(", ")}`,
  ).toContainEqual(events);
  expect(job?.restarts, `job ${id}, ${name}`).toBe(events.includes("requeued") ? 1 : 0);
}
