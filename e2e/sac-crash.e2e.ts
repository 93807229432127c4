/**
 * Goal    however SAC dies, one failure makes one requeue and one release on the real Slurm, and nothing is left held.
 * Method  one job a boundary: SAC is killed with SIGKILL just before, or just after, the nth entry about that job reaches the journal's
 *         disk, and is started again; all jobs at once, more of them than there are boundaries. slurmctld's own log is the judge.
 *         Steps of many jobs share a child, and a death leaves those of the others without an end: that is one test. Another takes one
 *         step at a time, so that no job's way is changed by another one's fuse, and every boundary is reached.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fuse } from "./world/dying-sac.ts";
import { isFinished, readJournal } from "./world/journal.ts";
import { type KeptSac, type KeptSacOptions, keepSac } from "./world/kept-sac.ts";
import { slurmEvents } from "./world/slurm-log.ts";
import { disposition, failsOnce, startWorld, stuckOnce, type World } from "./world/world.ts";

/** What a job does, how many entries an undisturbed restart of it makes, and how many fuses are laid. */
const stories = [
  { name: "a failed job", script: failsOnce("echo ok"), entries: 10, fuses: 12 },
  { name: "a stuck job that still runs", script: stuckOnce("echo ok"), entries: 11, fuses: 13 },
] as const;

interface Laid extends Fuse {
  readonly id: string;
  readonly story: (typeof stories)[number];
}

let world: World;
let sac: KeptSac | undefined;
beforeAll(async () => {
  // Slurm's own restart delay, so that SAC always has one to skip.
  world = await startWorld({ lab: { credExpireSeconds: 120, gpus: 16 }, flags: ["--scheduler", "none"] });
});
afterAll(async () => {
  await sac?.stop();
  await world?.stop();
});

async function layFuses(whens: readonly Fuse["when"][]): Promise<readonly Laid[]> {
  const laid: Laid[] = [];
  for (const story of stories) {
    for (let nth = 1; nth <= story.fuses; nth++) {
      for (const when of whens)
        laid.push({ id: await world.submit(`echo started; ${story.script}`), story, nth, when });
    }
  }
  return laid;
}

test("killed before or after any write to its journal, SAC still restarts a job exactly once", {
  timeout: 420_000,
}, async () => {
  const laid = await layFuses(["before", "after"]);
  const blown = await expectRestarts(laid, { name: "sac", stepsTogetherMax: 1 });
  for (const story of stories) {
    const at = (when: Fuse["when"]) =>
      laid.filter((one) => one.story === story && one.when === when && blown.has(one.id)).map(({ nth }) => nth);
    const boundaries = Array.from({ length: story.entries }, (_, i) => i + 1);
    expect([at("before"), at("after")], `boundaries of ${story.name}`).toEqual([boundaries, boundaries]);
  }
});

test("killed amid the steps of many jobs that share a child, it still restarts each exactly once", {
  timeout: 420_000,
}, async () => {
  const blown = await expectRestarts(await layFuses(["after"]), { name: "sac-of-many" });
  expect(blown.size).toBeGreaterThan(stories.length * 4);
});

/** @returns The jobs whose fuse has burnt. */
async function expectRestarts(
  laid: readonly Laid[],
  options: Omit<KeptSacOptions, "fuses">,
): Promise<ReadonlySet<string>> {
  const fuses = Object.fromEntries(laid.map(({ id, nth, when }) => [id, { nth, when }]));
  sac = keepSac(world, { ...options, fuses });
  const { stateDir } = sac;

  const unfinished = () => laid.filter(({ id }) => !isFinished(readJournal(stateDir), id));
  await world.until("all Advice to be finished", () => unfinished().length === 0, 240_000).catch(() => {});
  expect(unfinished().map(describeFuse), "not finished").toEqual([]);
  // Whoever was killed amid a step leaves Slurm's delay alone; nobody has to wait for it here.
  for (const { id } of laid) await world.lab.run("scontrol", ["update", `JobId=${id}`, "StartTime=now+2"]);
  for (const one of laid) await expectOneRestart(one);

  const blown = new Set(readdirSync(join(stateDir, "blown")));
  expect(sac.deaths()).toBe(blown.size);
  await sac.stop();
  return blown;
}

const describeFuse = ({ id, story, nth, when }: Laid) => `${story.name} (${id}), SAC killed ${when} entry ${nth}`;

async function expectOneRestart(laid: Laid): Promise<void> {
  const { id } = laid;
  const what = describeFuse(laid);
  await world.until(`${what}: to complete`, async () => (await world.slurm(id))?.state === "COMPLETED");
  expect(await world.slurm(id), what).toMatchObject({ state: "COMPLETED", restarts: 1, held: false });
  const events = slurmEvents(world.lab.dir, id).filter((event) => event !== "exited");
  expect(events, what).toEqual(["started", "requeued", "released", "started", "exited 0"]);
  const advice = await world.until(`${what}: to be reported`, async () => {
    const found = await world.advice(id);
    return disposition(found) === "CONVERGED" && found;
  });
  expect(await world.slurm(id), what).toMatchObject({ excluded: (advice.nodeConstraints?.exclusions ?? []).join(",") });
}
