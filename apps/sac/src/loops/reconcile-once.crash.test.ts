/**
 * Goal    however the controller dies, one restart Advice makes one requeue, no release before the exclusion is there, and
 *         converges in the end.
 * Method  a world of one failed (or stuck) job. The controller runs with a fuse that blows at the nth boundary, before or after each
 *         call to a port; then it starts anew with what is on the disk. For n = 1, 2, 3 … until a run finishes with the fuse unblown.
 */
import { Fuse } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import { pass } from "../sac.ts";
import { crashingRun } from "../testing/crashing-run.ts";
import { oneJobWorld, type WorldOptions } from "../testing/one-job-world.ts";

const stories: [name: string, options: WorldOptions, steps: string[]][] = [
  ["a failed job", { state: "FAILED" }, ["requeue-hold", "update-constraints", "release"]],
  ["a stuck job that still runs", { state: "RUNNING" }, ["requeue-hold", "update-constraints", "release"]],
  [
    "a failed job in a Slurm that shows nothing for five seconds",
    { state: "FAILED", lagMs: 5_000 },
    ["requeue-hold", "update-constraints", "release"],
  ],
];

test.each(stories)(
  "%s: a crash before or after any call still ends in one constrained restart",
  { timeout: 60_000 }, // Hundreds of whole runs; a busy machine takes its time.
  async (_name, options, steps) => {
    for (let n = 1; ; n++) {
      const world = oneJobWorld(options);
      const fuse = new Fuse(n);
      await crashingRun(world, fuse, 60);
      const what = `crash at boundary ${n}`;
      const distinct = world.applied().filter((s) => s !== "mark" && s !== "set-start");
      // An update that was begun before the crash may be seen and not repeated, or repeated with the same content.
      expect(
        distinct.filter((s) => s === "requeue-hold"),
        what,
      ).toHaveLength(1);
      expect([...new Set(distinct)], what).toEqual(steps);
      expect(world.job(), what).toMatchObject({ restartCount: 1, excludedNodes: ["n2"] });
      expect(world.job().priority, what).toBeGreaterThan(0);
      expect(world.reports().at(-1), what).toMatchObject({
        disposition: "CONVERGED",
        reason: "DESIRED_STATE_OBSERVED",
      });
      if (!fuse.blown) {
        expect(n).toBeGreaterThan(40);
        return;
      }
    }
  },
);

test("a dependent that lost its parent: a crash before or after any call still ends with it waiting again", {
  timeout: 60_000,
}, async () => {
  for (let n = 1; ; n++) {
    const dependency = "afterok:123(failed)";
    const world = oneJobWorld({
      others: [
        { jobId: "200", state: "PENDING", name: "report", dependency },
        { jobId: "201", state: "PENDING", name: "theirs", dependency, comment: "" },
        { jobId: "202", state: "PENDING", name: "other", dependency: "afterok:9(failed)" },
      ],
    });
    const fuse = new Fuse(n);
    await crashingRun(world, fuse, 60);
    const what = `crash at boundary ${n}`;
    const [ofOthers, of123] = [world.applied().filter((s) => s.includes(" ")), world.applied()];
    expect(
      of123.filter((s) => s === "requeue-hold"),
      what,
    ).toHaveLength(1);
    expect([...new Set(ofOthers)], what).toEqual(["repair-dependency 200"]);
    expect(ofOthers.length, what).toBeLessThanOrEqual(2);
    expect(world.job("200"), what).toMatchObject({ dependency: "afterok:123(unfulfilled)" });
    expect(world.reports().at(-1), what).toMatchObject({ disposition: "CONVERGED" });
    expect(world.reports().at(-1)?.message, what).toContain("200 waits again; 201 is lost, and not opted in here");
    if (!fuse.blown) {
      expect(n).toBeGreaterThan(40);
      return;
    }
  }
});

test("a heterogeneous job: a crash before or after any call still ends with all components kept away and released together", {
  timeout: 60_000,
}, async () => {
  for (let n = 1; ; n++) {
    const hetJobId = "123";
    const world = oneJobWorld({
      job: { hetJobId },
      others: ["124", "125"].map((jobId) => ({ jobId, recordId: jobId, state: "FAILED", hetJobId })),
    });
    const fuse = new Fuse(n);
    await crashingRun(world, fuse, 60);
    const what = `crash at boundary ${n}`;
    const applied = world.applied().filter((s) => s !== "mark" && s !== "set-start");
    const constrained = ["update-constraints", "update-constraints 124", "update-constraints 125"];
    expect([...new Set(applied)], what).toEqual(["requeue-hold", ...constrained, "release"]);
    expect(
      applied.filter((s) => s === "requeue-hold"),
      what,
    ).toHaveLength(1);
    for (const jobId of ["123", "124", "125"])
      expect(world.job(jobId), what).toMatchObject({ restartCount: 1, excludedNodes: ["n2"], priority: 9 });
    expect(world.reports().at(-1), what).toMatchObject({ disposition: "CONVERGED", reason: "DESIRED_STATE_OBSERVED" });
    if (!fuse.blown) {
      expect(n).toBeGreaterThan(40);
      return;
    }
  }
});

const chained = '{"recovery": {"auto_resume_mode": "singleton_dependency"}}';

test.each(["FAILED", "RUNNING"])(
  "one of a chain (%s): a crash before or after any call still ends with the next one let go, constrained, and nobody requeued",
  { timeout: 60_000 },
  async (state) => {
    const waiting = {
      state: "PENDING",
      priority: 0,
      dependency: "singleton(unfulfilled)",
      comment: chained,
      nodes: [],
    };
    for (let n = 1; ; n++) {
      const world = oneJobWorld({
        state,
        job: { comment: chained },
        others: ["124", "125"].map((jobId) => ({ jobId, recordId: jobId, ...waiting })),
        work: { isOfChain: true },
      });
      const fuse = new Fuse(n);
      await crashingRun(world, fuse, 60);
      const what = `crash at boundary ${n}`;
      const steps = ["update-constraints 124", "release 124"];
      const applied = world.applied().filter((s) => s !== "mark 124"); // Lost with a SAC that died before it was sent.
      expect([...new Set(applied)], what).toEqual(state === "RUNNING" ? ["cancel", ...steps] : steps);
      expect(world.job().restartCount, what).toBe(0);
      expect(world.job("124"), what).toMatchObject({ excludedNodes: ["n2"], priority: 9 });
      expect(world.job("125"), what).toMatchObject({ excludedNodes: [], priority: 0 });
      expect(world.reports().at(-1), what).toMatchObject({
        disposition: "CONVERGED",
        reason: "DESIRED_STATE_OBSERVED",
      });
      if (!fuse.blown) {
        expect(n).toBeGreaterThan(40);
        return;
      }
    }
  },
);

test("observe mode changes nothing, and says what it would have done (12)", async () => {
  const world = oneJobWorld({ mode: "observe" });
  await crashingRun(world, new Fuse(Number.POSITIVE_INFINITY), 10);
  expect(world.applied()).toEqual([]);
  expect(world.reports()).toHaveLength(1);
  expect(world.reports()[0]).toMatchObject({ disposition: "PENDING", reason: "OBSERVE_MODE" });
  expect(world.reports()[0]?.message).toContain("would have been done");
});

test("a partition outside the allowlist is not touched, and the record says so", async () => {
  const world = oneJobWorld({ partitions: ["other"] });
  await crashingRun(world, new Fuse(Number.POSITIVE_INFINITY), 10);
  expect(world.applied()).toEqual([]);
  expect(world.reports()[0]?.message).toContain("partition gpu is not on the allowlist");
});

test("the user cancels between any two passes: never resurrected, never released", async () => {
  for (let cancelAt = 0; cancelAt < 12; cancelAt++) {
    const world = oneJobWorld({ lagMs: 0 });
    const sac = world.start();
    for (let i = 0; i < 20; i++) {
      if (i === cancelAt) world.meanwhile({ state: "CANCELLED" });
      const before = world.applied().length;
      await pass(sac.parts, sac.state);
      if (i >= cancelAt) expect(world.applied().length, `cancelled before pass ${cancelAt}`).toBe(before);
      world.advance(2_000);
    }
    expect(world.job().state).toBe("CANCELLED");
  }
});
