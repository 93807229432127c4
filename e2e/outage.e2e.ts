/**
 * Goal    whatever of Reprise is away, and at whatever point of a recovery, no hold of ours outlives `fail_open_after`; a SAC that lives keeps the
 *         watchdog quiet; what stood still and comes back does nothing more; and once the server is back it knows what was done.
 * Method  a recovery is kept at each point of its sequence by a `scontrol` that refuses one command; then a part is killed, stopped or cut off,
 *         and the command is allowed again. `up` stands still meanwhile, so that it starts nothing again. The database is a PostgreSQL behind a
 *         line that can be cut. slurmctld's own log and SAC's journal are the judges.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { tryOsLock } from "@reprise/runtime/os-lock.ts";
import { type Postgres, startPostgres } from "@reprise/tools/postgres.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { allow, gatedScontrol, refuse } from "./world/gated-scontrol.ts";
import { readJournal, stepsIn } from "./world/journal.ts";
import { type Line, openLine } from "./world/line.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { acting, disposition, failsOnce, reason, startWorld, stuckOnce, type World } from "./world/world.ts";

const failOpenAfterMs = 12_000;
const pollMs = 1_000;
/** What one look at Slurm and one command take on a busy machine, and more. */
const slackMs = 4_000;

let world: World;
let postgres: Postgres;
let line: Line;
let stateDir: string;
beforeAll(async () => {
  postgres = await startPostgres();
  const database = new URL(postgres.url);
  line = await openLine(Number(database.port));
  database.port = String(line.port);
  const flags = [...acting, "--fail-open-after", "12s", "--watchdog-poll", "1s"];
  world = await startWorld({ flags, path: gatedScontrol, env: { DATABASE_URL: database.href } });
  stateDir = join(world.dataDir, "sac");
  await world.until("SAC's first heartbeat", () => existsSync(join(stateDir, "sac.json")));
});
afterEach(() => {
  line.mend();
  signal("SIGCONT", "up", "sac");
});
afterAll(async () => {
  await world?.stop();
  line?.close();
  await postgres?.stop();
});

type Part = Parameters<World["pidsOf"]>[0];
function signal(name: NodeJS.Signals, ...parts: Part[]): void {
  for (const part of parts) {
    for (const pid of world.pidsOf(part)) process.kill(pid, name);
  }
}

const steps = (id: string, action?: Parameters<typeof stepsIn>[2]) => stepsIn(readJournal(stateDir), id, action);
const isDone = (id: string, action: Parameters<typeof stepsIn>[2]) =>
  steps(id, action).some(({ end }) => end?.outcome === "done");
const eventsOf = (id: string) => slurmEvents(world.lab.dir, id).filter((event) => event !== "exited");
const completed = (id: string) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", 90_000);
const over = (id: string) =>
  world.until(
    `the Advice of job ${id} to be over`,
    async () => {
      const found = await world.advice(id);
      return found !== undefined && disposition(found) !== "PENDING" && found;
    },
    90_000,
  );
const restartedOnce = ["started", "requeued", "released", "started", "exited 0"];

/** A job at each point of its recovery. */
interface Points {
  /** Its exclusion is refused. */
  readonly held: string;
  /** Its release is refused, and was tried. */
  readonly constrained: string;
  /** SAC has let it go. */
  readonly released: string;
}

async function atEachPoint(): Promise<Points> {
  const [held, constrained] = [await world.submit(stuckOnce()), await world.submit(stuckOnce())];
  refuse(world.lab, "ExcNodeList", held);
  refuse(world.lab, "release", constrained);
  const released = await world.submit(failsOnce("sleep 15"));
  const all = [held, constrained, released];
  const isThere = () =>
    isDone(held, "requeue-hold") &&
    steps(held, "update-constraints").length > 0 &&
    isDone(constrained, "update-constraints") &&
    steps(constrained, "release").length > 0 &&
    isDone(released, "release") &&
    // No command is on its way, which a SAC that is killed would leave behind it.
    all.every((id) => steps(id).every(({ end }) => end !== undefined));
  await world.until("a job at each point of its recovery", isThere, 60_000);
  return { held, constrained, released };
}

function allowAll({ held, constrained }: Points): void {
  allow(world.lab, "ExcNodeList", held);
  allow(world.lab, "release", constrained);
}

/** By the watchdog, once, and not before its time, nor late. */
function expectFailOpen(id: string, lockWaitMs: number): void {
  const [release, ...more] = steps(id, "watchdog-release").filter(({ end }) => end?.outcome !== "unknown");
  expect([release?.end?.outcome, more], `releases of job ${id} by the watchdog`).toEqual(["done", []]);
  const heldAt = steps(id, "requeue-hold").find(({ end }) => end?.outcome === "done")?.end?.at ?? 0;
  const heartbeat = JSON.parse(readFileSync(join(stateDir, "sac.json"), "utf8")) as { at: number };
  const releasedAt = release?.begin.at ?? 0;
  expect(releasedAt - heldAt).toBeGreaterThanOrEqual(failOpenAfterMs);
  const sinceMs = releasedAt - Math.max(heldAt, heartbeat.at);
  expect(sinceMs).toBeLessThanOrEqual(failOpenAfterMs + pollMs + slackMs + lockWaitMs);
  expect(eventsOf(id)).toEqual(restartedOnce);
}

/** The record, once everything is back. */
async function expectTold({ held, constrained, released }: Points): Promise<void> {
  expect(reason(await over(held))).toBe("RELEASED_BY_WATCHDOG"); // As it was: without its exclusion.
  expect(reason(await over(constrained))).toBe("DESIRED_STATE_OBSERVED");
  expect(reason(await over(released))).toBe("DESIRED_STATE_OBSERVED");
  for (const id of [held, constrained]) expect(await world.audit(id)).toContain("watchdog.released");
  expect(await world.audit(released)).not.toContain("watchdog.released");
}

async function expectReleasedByWatchdog(points: Points, lockWaitMs = 0): Promise<void> {
  const { held, constrained, released } = points;
  for (const id of [held, constrained, released]) await completed(id);
  for (const id of [held, constrained]) expectFailOpen(id, lockWaitMs);
  expect(steps(released, "watchdog-release")).toEqual([]);
  expect(eventsOf(released)).toEqual(restartedOnce);
}

describe.each([
  {
    what: "the server is dead",
    breaks: () => signal("SIGKILL", "server"),
    mends: () => {},
  },
  { what: "the database is away", breaks: () => line.cut(), mends: () => line.mend() },
])("$what", ({ breaks, mends }) => {
  test("SAC finishes what it holds, begins nothing new, and the watchdog has nothing to do", async () => {
    const points = await atEachPoint();
    const killSwitch = join(stateDir, "kill-switch");
    writeFileSync(killSwitch, "");
    const advised = await world.submit(failsOnce());
    await world.until(
      "Advice that the kill switch holds back",
      async () => reason(await world.advice(advised)) === "OBSERVE_MODE",
    );
    signal("SIGSTOP", "up");
    breaks();
    rmSync(killSwitch);
    allowAll(points);
    for (const id of Object.values(points)) {
      await completed(id);
      expect(steps(id, "watchdog-release")).toEqual([]);
      expect(eventsOf(id)).toEqual(restartedOnce);
    }
    expect((await world.slurm(points.held))?.excluded).not.toBe(""); // The exclusion came before the release.
    expect(steps(advised)).toEqual([]);
    expect(await world.slurm(advised)).toMatchObject({ state: "FAILED", restarts: 0 });

    mends();
    signal("SIGCONT", "up");
    for (const id of [...Object.values(points), advised]) expect(reason(await over(id))).toBe("DESIRED_STATE_OBSERVED");
    expect(eventsOf(advised)).toEqual(restartedOnce);
  });
});

test("SAC is dead: the watchdog lets go what is held, and the one that comes back says so", async () => {
  const points = await atEachPoint();
  signal("SIGSTOP", "up");
  signal("SIGKILL", "sac");
  allowAll(points);
  await expectReleasedByWatchdog(points);
  signal("SIGCONT", "up");
  await expectTold(points);
});

test("SAC hangs: the watchdog lets go what is held, and SAC, going on, does nothing more to it", async () => {
  const points = await atEachPoint();
  signal("SIGSTOP", "sac");
  // It may have been stopped while it had the lock; the watchdog waits for that, and raises the epoch.
  const lock = tryOsLock(join(stateDir, "lock"));
  lock?.release();
  allowAll(points);
  await expectReleasedByWatchdog(points, lock === undefined ? limits.lockWaitMs : 0);
  const acted = () =>
    Object.values(points).map((id) => steps(id).filter(({ begin }) => begin.action !== "mark").length);
  const before = acted();
  signal("SIGCONT", "sac");
  await expectTold(points);
  expect(acted()).toEqual(before);
});

test("everything but the watchdog is dead, the database too", async () => {
  const points = await atEachPoint();
  signal("SIGKILL", "up", "sac", "server");
  line.cut();
  allowAll(points);
  await expectReleasedByWatchdog(points);
  line.mend();
  await world.startReprise();
  await expectTold(points);
});
