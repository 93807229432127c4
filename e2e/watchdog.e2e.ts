/**
 * Goal    a hold of ours never outlives `fail_open_after` without a living recovery; and the watchdog touches nothing else, and nothing
 *         while SAC lives.
 * Method  Reprise is killed between hold and release, as its journal shows it; or releases are refused (`world/gated-scontrol.ts`).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allowReleases as allow, gatedScontrol, refuseReleases as refuse } from "./world/gated-scontrol.ts";
import { onStep, readJournal, stepsIn } from "./world/journal.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { acting, disposition, failsOnce, reason, startWorld, stuckOnce, type World } from "./world/world.ts";

const failOpenAfterMs = 12_000;
const pollMs = 1_000;
/** What one look at Slurm and one command take on a busy machine, and more. */
const slackMs = 4_000;
const flags = [...acting, "--fail-open-after", "12s", "--watchdog-poll", "1s"];

let world: World;
let stateDir: string;
beforeAll(async () => {
  world = await startWorld({ flags, path: gatedScontrol });
  stateDir = join(world.dataDir, "sac");
  await world.until("SAC's first heartbeat", () => existsSync(join(stateDir, "sac.json")));
});
afterAll(async () => await world?.stop());

const refuseReleases = () => refuse(world.lab);
const allowReleases = () => allow(world.lab);
const steps = (id: string, action: Parameters<typeof stepsIn>[2]) => stepsIn(readJournal(stateDir), id, action);
/** When Slurm took our hold, by the journal. */
const heldAt = (id: string) => steps(id, "requeue-hold").find(({ end }) => end?.outcome === "done")?.end?.at;
const isHeld = (id: string) =>
  world.until(`job ${id} to be held by us`, async () => {
    const job = await world.slurm(id);
    return heldAt(id) !== undefined && job?.state === "PENDING" && job.held;
  });
const completed = (id: string) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", 90_000);
const restartedOnce = ["started", "requeued", "released", "started", "exited 0"];
const eventsOf = (id: string) => slurmEvents(world.lab.dir, id).filter((event) => event !== "exited");

/** `up` first, so that it starts nothing again. The watcher ends with it. */
const allOfRecovery = () => [world.reprise().pid, ...world.pidsOf("sac"), ...world.pidsOf("server")];
function killNow(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, "SIGKILL");
}

/** Submits, and kills them as soon as the hold on the job is in the journal: its release cannot have been begun. */
async function killBetweenHoldAndRelease(script: string, pids: readonly number[]): Promise<string> {
  const killed = Promise.withResolvers<string>();
  const stop = onStep(stateDir, "done", "requeue-hold", (id) => {
    killNow(pids);
    killed.resolve(id);
  });
  const id = await world.submit(script);
  expect(await killed.promise).toBe(id);
  stop();
  return id;
}

function expectReleasedInTime(id: string): void {
  const [release, ...more] = steps(id, "watchdog-release");
  expect([release?.end?.outcome, more], `releases of job ${id} by the watchdog`).toEqual(["done", []]);
  const heartbeat = JSON.parse(readFileSync(join(stateDir, "sac.json"), "utf8")) as { at: number };
  const releasedAt = release?.begin.at ?? 0;
  expect(releasedAt - (heldAt(id) ?? 0)).toBeGreaterThanOrEqual(failOpenAfterMs);
  expect(releasedAt - Math.max(heldAt(id) ?? 0, heartbeat.at)).toBeLessThanOrEqual(failOpenAfterMs + pollMs + slackMs);
  expect(eventsOf(id)).toEqual(restartedOnce);
}

test("while SAC lives the watchdog releases nothing, however long SAC holds it", async () => {
  refuseReleases();
  const id = await world.submit(failsOnce());
  await isHeld(id);
  const since = heldAt(id) ?? 0;
  await world.until(
    "the hold to be older than fail_open_after",
    () => Date.now() - since > failOpenAfterMs + 3 * pollMs,
  );
  expect(await world.slurm(id)).toMatchObject({ state: "PENDING", held: true });
  expect(steps(id, "release").length).toBeGreaterThan(0);
  allowReleases();
  await completed(id);
  expect(steps(id, "watchdog-release")).toEqual([]);
  expect(eventsOf(id)).toEqual(restartedOnce);
});

test("SAC alone killed between hold and release: its successor releases, and the watchdog has nothing to do", async () => {
  const id = await killBetweenHoldAndRelease(failsOnce(), world.pidsOf("sac"));
  await completed(id);
  expect(steps(id, "watchdog-release")).toEqual([]);
  expect(steps(id, "release").map(({ end }) => end?.outcome)).toEqual(["done"]);
  expect(eventsOf(id)).toEqual(restartedOnce);
});

test("everything killed between hold and release: the watchdog releases in time, and a restarted Reprise says so", async () => {
  const watchdogs = world.pidsOf("watchdog");
  const id = await killBetweenHoldAndRelease(stuckOnce(), allOfRecovery());
  expect(world.pidsOf("watchdog")).toEqual(watchdogs);
  await completed(id);
  expectReleasedInTime(id);
  await world.until("the watchdog to end: nothing is held any more", () => world.pidsOf("watchdog").length === 0);

  await world.startReprise();
  const advice = await world.until("the Advice to be finished", async () => {
    const found = await world.advice(id);
    return disposition(found) === "ABANDONED" && found;
  });
  expect(reason(advice)).toBe("RELEASED_BY_WATCHDOG"); // As it was: the exclusion had not been set yet.
  const told = (await world.attempt(id, 0))?.steps?.filter((s) => s.action === "watchdog-release");
  expect(told?.map(({ outcome }) => outcome)).toEqual(["done"]);
});

test("an administrator's hold over ours, and a hold that is not ours, stay", async () => {
  const killSwitch = join(stateDir, "kill-switch");
  writeFileSync(killSwitch, "");
  const owners = await world.submit(failsOnce());
  await world.until("the owner's job to fail", async () => (await world.slurm(owners))?.state === "FAILED");
  await world.lab.run("scontrol", ["requeuehold", owners]);
  const submittedHeld = await world.submit("exit 0", { args: ["--hold"] });
  rmSync(killSwitch);

  refuseReleases();
  const ours = await world.submit(failsOnce());
  const overlaid = await world.submit(failsOnce());
  await isHeld(ours);
  await isHeld(overlaid);
  killNow(allOfRecovery());
  await world.lab.run("scontrol", ["hold", overlaid]);
  allowReleases();
  await completed(ours);
  expectReleasedInTime(ours);

  // The watchdog looks at all holds in one pass: it has passed over the others, and goes on doing so.
  for (const id of [overlaid, owners, submittedHeld]) {
    expect(await world.slurm(id), `job ${id}`).toMatchObject({ state: "PENDING", held: true });
    expect(eventsOf(id), `job ${id}`).not.toContain("released");
    expect(steps(id, "watchdog-release")).toEqual([]);
  }
  expect(world.pidsOf("watchdog")).toHaveLength(1); // A hold of ours is still there, under the other one.

  await world.startReprise();
  const advice = await world.until("the overlaid hold to be reported", async () => {
    const found = await world.advice(overlaid);
    return disposition(found) === "ABANDONED" && found;
  });
  expect(reason(advice)).toBe("HELD_BY_OTHERS");
  await world.until(
    "the old watchdog to end: nothing of ours is left to it",
    () => world.pidsOf("watchdog").length === 1,
  );
});
