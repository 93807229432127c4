/**
 * Goal    what only the model can show: it repeats itself, it has one opinion of a job, it keeps its books, and its troubles do what they say.
 * Method  properties over random acts of users, operators, SAC and hardware; tables for each trouble.
 */
import { createLook } from "@reprise/sac/slurm/command/look.ts";
import { createHoldReasons } from "@reprise/sac/slurm/command/hold-reasons.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SlurmEvent } from "./sim-slurm.ts";
import { storyWorld, type StoryWorld } from "./story-world.ts";

/** One act of somebody, drawn as three numbers, so that a failing case shrinks. */
type Drawn = readonly [act: number, job: number, ms: number];
const acts = fc.array(fc.tuple(fc.nat(19), fc.nat(6), fc.nat(9_000)), { maxLength: 60 });

async function act(world: StoryWorld, [what, job, ms]: Drawn): Promise<void> {
  const jobs = world.sim.jobs();
  const jobId = jobs[job % Math.max(1, jobs.length)]?.jobId ?? "1";
  const root = (...args: string[]) => void world.sim.type("root", "scontrol", ...args);
  const { troubles, site } = world.sim;
  switch (what) {
    case 0:
      return void world.sim.submit({ nodes: 1 + (job % 3), program: { endsAfterMs: ms, exit: { exitCode: job % 2 } } });
    case 1:
      return void world.sim.submit({ array: "0-2%2", hold: job % 2 === 0, comment: "ä\n" });
    case 2:
      return void world.sim.submit({ program: { trapsTermMs: ms }, dependency: `afterok:${jobId.split("_")[0]}` });
    case 3:
      return void world.sim.submit({ hetComponents: [{ nodes: 2 }], name: "het", dependency: "singleton" });
    case 4:
      return void world.sim.submit({ partition: job % 2 === 0 ? "high" : "low,gpu", exclusive: true });
    case 5:
      return root("requeuehold", jobId);
    case 6:
      return root("requeuehold", "Incomplete", jobId);
    case 7:
      return root("release", jobId);
    case 8:
      return root(job % 2 === 0 ? "hold" : "uhold", jobId);
    case 9:
      return root("update", `JobId=${jobId}`, `ExcNodeList=n${1 + (job % 3)}`, "AdminComment=a");
    case 10:
      return root("update", `JobId=${jobId}`, "StartTime=now+2");
    case 11:
      return void world.sim.type("root", "scancel", jobId);
    case 12:
      return root(job % 2 === 0 ? "suspend" : "resume", jobId);
    case 13:
      return site.nodeLost(`n${1 + job}`, { silent: ms % 2 === 0 });
    case 14: {
      site.nodeBack(`n${1 + job}`);
      return root("update", `NodeName=n${1 + job}`, "State=RESUME");
    }
    case 15:
      return root("update", `NodeName=n${1 + job}`, "State=DRAIN", "Reason=x");
    case 16:
      return site.failProlog(`n${1 + job}`);
    case 17:
      return job === 0 ? troubles.crash(ms) : undefined;
    case 18:
      return job === 0 ? troubles.down() : troubles.clear();
    default:
      return world.pass(ms);
  }
}

const settings = { slurmdTimeoutSeconds: 20, missingAfterSeconds: 20, minJobAgeSeconds: 30 };

async function played(drawn: readonly Drawn[], after: (world: StoryWorld) => void | Promise<void> = () => {}) {
  const world = storyWorld(settings);
  for (const one of drawn) {
    await act(world, one);
    await after(world);
  }
  return world;
}

const line = (event: SlurmEvent) => JSON.stringify(event);

test("the same acts give the same history, byte for byte", async () => {
  const run = fc.asyncProperty(acts, async (drawn) => {
    const [one, other] = [await played(drawn), await played(drawn)];
    expect(one.sim.history().map(line)).toEqual(other.sim.history().map(line));
  });
  await fc.assert(run, { numRuns: 100 });
});

test("a look by value is what SAC's parsers read from the text", async () => {
  const run = fc.asyncProperty(acts, async (drawn) => {
    const world = await played(drawn);
    world.sim.troubles.clear();
    await world.pass(1);
    const { chance, log } = fakeLife();
    const caller = { run: world.sim.runnerFor({ clock: world.clock }), clock: world.clock, env: {} };
    const [direct, text] = [await world.slurm.look(), await createLook({ ...caller, chance, log, cluster: "lab" })()];
    expect(direct).toEqual(text);
    const ids = direct.kind === "seen" ? [...direct.value.jobs.keys()] : [];
    expect(await world.slurm.holdReasons(ids)).toEqual(await createHoldReasons(caller)(ids));
  });
  await fc.assert(run, { numRuns: 100 });
});

test("books are kept: no node is given twice, counts and revisions only grow, and what is over has left its nodes", async () => {
  const run = fc.asyncProperty(acts, async (drawn) => {
    let revision = -1;
    const counts = new Map<string, number>();
    await played(drawn, (world) => {
      const isNew = world.sim.history().at(-1)?.kind === "up";
      expect(world.sim.revision()).toBeGreaterThanOrEqual(revision);
      revision = world.sim.revision();
      const cpus = new Map<string, number>();
      for (const { jobId, state, nodes, restartCount } of world.sim.jobs()) {
        if (!isNew) expect(restartCount).toBeGreaterThanOrEqual(counts.get(jobId) ?? 0);
        counts.set(jobId, restartCount);
        if (state === "PENDING" || state === "SPECIAL_EXIT") expect(nodes).toEqual([]);
        if (state !== "RUNNING" && state !== "SUSPENDED" && state !== "COMPLETING") continue;
        for (const name of nodes) cpus.set(name, (cpus.get(name) ?? 0) + 1);
      }
      for (const [, used] of cpus) expect(used).toBeLessThanOrEqual(16);
    });
  });
  await fc.assert(run, { numRuns: 100 });
});

test("when all is mended, every job that is not held and can run comes to run", async () => {
  const run = fc.asyncProperty(acts, async (drawn) => {
    const world = await played(drawn);
    world.sim.troubles.clear();
    for (const name of ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]) {
      world.sim.site.nodeBack(name);
      world.sim.type("root", "scontrol", "update", `NodeName=${name}`, "State=RESUME");
    }
    for (const { jobId, state } of world.sim.jobs())
      if (state === "RUNNING" || state === "SUSPENDED") world.sim.type("root", "scancel", jobId);
    await world.pass(60_000);
    const jobs = world.sim.jobs();
    const isHeldElsewhere = (hetJobId: number | undefined) =>
      hetJobId !== undefined && jobs.some((other) => other.hetJobId === hetJobId && other.priority === 0);
    const stuck = jobs.filter(
      ({ state, priority, dependency, hetJobId }) =>
        (state === "PENDING" && priority > 0 && dependency === "" && !isHeldElsewhere(hetJobId)) ||
        state === "COMPLETING",
    );
    const seen = await world.slurm.look();
    const reasons = seen.kind === "seen" ? stuck.map(({ jobId }) => seen.value.jobs.get(jobId)?.reason) : [];
    const allowed = /^(JobArrayTaskLimit|PartitionConfig|Resources|None|ReqNodeNotAvail.*|Priority|undefined)$/;
    expect(reasons.filter((reason) => !allowed.test(String(reason)))).toEqual([]);
    expect(stuck.filter(({ state }) => state === "COMPLETING")).toEqual([]);
  });
  await fc.assert(run, { numRuns: 60 });
});

const fence = (world: StoryWorld, jobId: string, ...states: string[]) => {
  const job = world.sim.job(jobId);
  const expected = { jobId, restartCount: job?.restartCount ?? 0, submitAt: job?.submitAt ?? 0, states };
  return { expected, leaseTerm: 1, epoch: 0 };
};

async function failedJob(world: StoryWorld): Promise<string> {
  const jobId = await world.submit({ does: "fail" });
  await world.until("it has failed", async () => world.sim.job(jobId)?.state === "FAILED");
  return jobId;
}

describe("a start in the second of its end", () => {
  const restart = async (start: string) => {
    const world = storyWorld({ schedDelayMs: 0 });
    const jobId = await world.submit({ does: "run" });
    await world.pass(1_000);
    await world.type("root", "scontrol", "requeuehold", jobId);
    await world.pass(100);
    await world.type("root", "scontrol", "release", jobId);
    await world.type("root", "scontrol", "update", `JobId=${jobId}`, `StartTime=${start}`);
    await world.pass(3_000);
    const seen = await world.slurm.look();
    return seen.kind === "seen" ? seen.value.jobs.get(jobId) : undefined;
  };
  test("is refused by the node: FAILED 1:0", async () => {
    const failed = { state: "FAILED", exitCode: 1, signal: 0, restartCount: 1 };
    expect(await restart("now")).toMatchObject(failed);
  });
  test("two seconds later it is not", async () => {
    expect(await restart("now+2")).toMatchObject({ state: "RUNNING", restartCount: 1 });
  });
});

describe("a crash", () => {
  test("forgets what was not saved, says so in the history, and gives the ID again", async () => {
    const world = storyWorld();
    await world.pass(10_000);
    const lost = await world.submit({ does: "run" });
    world.sim.troubles.crash(1_000);
    expect(world.sim.job(lost)).toBeUndefined();
    expect(world.sim.history()[0]).toMatchObject({ kind: "submitted", jobId: lost, survived: false });
    expect(await world.submit({ does: "run" })).toBe(lost);
  });

  test("forgets nothing older than it may, and a second one at once nothing more", async () => {
    const world = storyWorld();
    const kept = await world.submit({ does: "run", args: ["--hold"] });
    await world.pass(5_001);
    for (let i = 0; i < 2; i++) world.sim.troubles.crash(60_000);
    expect(world.sim.job(kept)).toMatchObject({ state: "PENDING" });
  });

  test("leaves the requeued attempt RUNNING without a process; Slurm finds it missing and requeues it itself", async () => {
    const world = storyWorld();
    const jobId = await world.submit({ does: "run" });
    await world.pass(10_000);
    await world.type("root", "scontrol", "requeuehold", jobId);
    await world.pass(500);
    world.sim.troubles.crash(1_000);
    expect(world.sim.job(jobId)).toMatchObject({ state: "RUNNING", restartCount: 0 });
    await world.pass(60_500);
    expect(world.sim.job(jobId)).toMatchObject({ state: "PENDING", restartCount: 1, priority: expect.any(Number) });
    expect(world.sim.job(jobId)?.hold).toBeUndefined();
  });

  test("kills what was started and forgotten", async () => {
    const world = storyWorld();
    await world.pass(10_000);
    const jobId = await world.submit({ does: "run" });
    await world.pass(700);
    expect(await world.starts(jobId)).toHaveLength(1);
    world.sim.troubles.crash(1_000);
    await world.submit({ does: "run", args: ["--hold"] });
    await world.pass(5_000);
    expect(world.sim.jobs()).toMatchObject([{ jobId, state: "PENDING", nodes: [] }]);
  });
});

describe("what goes wrong between Slurm and those who ask", () => {
  test("a silent node: its job runs on for Slurm until it is given up", async () => {
    const world = storyWorld({ slurmdTimeoutSeconds: 20 });
    const jobId = await world.submit({ does: "run" });
    await world.pass(1_000);
    world.sim.site.nodeLost("n1", { silent: true });
    await world.pass(19_000);
    expect(world.sim.job(jobId)).toMatchObject({ state: "RUNNING" });
    await world.pass(2_000);
    expect(world.sim.job(jobId)).toMatchObject({ state: "PENDING", restartCount: 1 });
  });

  test("rows that cannot be read, and words that nobody knows", async () => {
    const world = storyWorld();
    const [one, other] = [await world.submit({ does: "run" }), await world.submit({ does: "run" })];
    world.sim.troubles.garble(one, { kind: "unreadable" });
    world.sim.troubles.garble(other, { kind: "state", word: "EXPEDITING" });
    const seen = await world.slurm.look();
    expect(seen.kind === "seen" && [...seen.value.unreadable.keys()]).toEqual([one]);
    expect(seen.kind === "seen" && seen.value.jobs.get(other)?.state).toBe("EXPEDITING");
    world.sim.troubles.cutListings();
    expect(await world.slurm.look()).toMatchObject({ kind: "unavailable" });
    world.sim.troubles.clear();
    expect(await world.slurm.look()).toMatchObject({ kind: "seen", value: { unreadable: new Map() } });
  });

  test("a slow answer: too late for the last look nothing is sent", async () => {
    const world = storyWorld();
    const jobId = await failedJob(world);
    const before = fence(world, jobId, "FAILED");
    world.sim.troubles.slow(3_000);
    expect(await world.slurm.apply({ kind: "requeue-hold", isRunning: false }, before)).toMatchObject({
      kind: "moved",
    });
    world.sim.troubles.clear();
    expect(world.sim.job(jobId)).toMatchObject({ restartCount: 0 });
  });

  test("a slow answer shows what was true when it was asked", async () => {
    const world = storyWorld({ credExpireSeconds: 120 });
    const jobId = await world.submit({ does: "fail", afterSeconds: 2 });
    await world.pass(1_000);
    world.sim.troubles.slow(5_000);
    const seen = await world.slurm.look();
    expect(seen.kind === "seen" && seen.value.jobs.get(jobId)?.state).toBe("RUNNING");
    expect(world.sim.job(jobId)).toMatchObject({ state: "FAILED" });
  });

  test("a fence that was raised meanwhile: nothing is sent", async () => {
    const world = storyWorld();
    const jobId = await failedJob(world);
    const slurm = world.sim.slurmFor({
      clock: world.clock,
      readFence: () => ({ leaseTerm: 2, epoch: 0 }),
      whyStopped: () => undefined,
    });
    const before = fence(world, jobId, "FAILED");
    expect(await slurm.apply({ kind: "requeue-hold", isRunning: false }, before)).toMatchObject({ kind: "moved" });
  });
});
