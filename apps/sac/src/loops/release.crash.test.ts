/**
 * Goal    however the controller dies, a job whose gates are open is let go once, and a dependent that is to be ended is ended once; a
 *         hold that its owner lays afterwards stays.
 * Method  as `reconcile-once.crash.test.ts`: a fuse that blows at the nth boundary of a port, then a new process with what is on the disk.
 */
import { Fuse } from "@reprise/runtime/testing/fuse.ts";
import { expect, test } from "vitest";
import { pass } from "../sac.ts";
import { crashingRun } from "../testing/crashing-run.ts";
import { oneJobWorld, type WorldOptions } from "../testing/one-job-world.ts";

const held: WorldOptions = { state: "PENDING", job: { priority: 0, reason: "JobHeldUser", nodes: [] } };
const gates = { exclusions: [], isOfGates: true } as const;
const released: WorldOptions = { ...held, work: { ...gates, desired: "RELEASED" } };

const stories: [name: string, options: WorldOptions, effect: string | readonly string[], isOver: object][] = [
  ["a release", released, "release", { priority: 9 }],
  [
    "a release after a failed launch",
    {
      ...held,
      job: { ...held.job, reason: "launch failed requeued held", nodes: [] },
      work: { desired: "RELEASED", isOfLaunch: true },
    },
    ["update-constraints", "release"],
    { priority: 9, excludedNodes: ["n2"] },
  ],
  [
    "a release in a Slurm that shows nothing for five seconds",
    { ...released, lagMs: 5_000 },
    "release",
    { priority: 9 },
  ],
  ["a termination", { ...held, work: { ...gates, desired: "TERMINATED" } }, "cancel", { state: "CANCELLED" }],
];

test.each(stories)(
  "%s: a crash before or after any call still makes it once",
  { timeout: 60_000 },
  async (_name, options, effect, isOver) => {
    for (let n = 1; ; n++) {
      const world = oneJobWorld(options);
      const fuse = new Fuse(n);
      await crashingRun(world, fuse, 30);
      const what = `crash at boundary ${n}`;
      // The same exclusions may be sent twice.
      expect([...new Set(world.applied().filter((step) => step !== "mark"))], what).toEqual([effect].flat());
      expect(
        world.applied().filter((step) => step === "release" || step === "cancel"),
        what,
      ).toHaveLength(1);
      expect(world.job(), what).toMatchObject({ restartCount: 0, ...isOver });
      // Who dies in the very step does not know afterwards that it was his.
      expect(world.reports().at(-1)?.disposition, what).toBe("CONVERGED");
      if (!fuse.blown) return expect(n).toBeGreaterThan(20);
    }
  },
);

test("an owner who holds the job again, once it is written down that we let it go, keeps it", async () => {
  const world = oneJobWorld({ ...released, lagMs: 0 });
  const sac = world.start();
  for (let i = 0; !world.applied().includes("mark"); i++) {
    expect(i).toBeLessThan(10);
    await pass(sac.parts, sac.state);
    world.advance(2_000);
  }
  world.meanwhile({ priority: 0, reason: "JobHeldUser" });
  for (let i = 0; i < 20; i++) {
    await pass(sac.parts, sac.state);
    world.advance(2_000);
  }
  expect(world.applied()).toEqual(["release", "mark"]);
  expect(world.job().priority).toBe(0);
  expect(world.reports().at(-1)).toMatchObject({ disposition: "ABANDONED", reason: "HELD_BY_OTHERS" });
});
