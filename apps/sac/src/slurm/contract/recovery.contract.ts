/** The recovery sequence: requeue held, constrain, release, run again (slurm.md §2.1). */
import { expect } from "vitest";
import { delayOf, delaysMs, failed, held, requeued, running, submitted, waiting } from "../contract-world.ts";
import { story, type Story } from "./story.ts";

const delayMs = Math.min(...delaysMs);

export const recoveryStories: readonly Story[] = [
  story(
    ["2.1 failed", "2.1 requeued", "2.2 failed"],
    "a failed job, requeued held: pending, counted, named by a new submit time",
    async (world) => {
      const job = await failed(world, "--comment=c", "--exclude=n3");
      const before = await job.now();
      expect(before).toMatchObject({
        reason: "NonZeroExitCode",
        exitCode: 7,
        signal: 0,
        restartCount: 0,
        endAt: expect.any(Number),
      });
      expect(before.nodes).toHaveLength(1);
      expect(before.priority).toBeGreaterThan(0);
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
      const after = await job.now();
      expect(after).toMatchObject({
        ...held,
        reason: "job requeued in held state",
        restartCount: 1,
        exitCode: 7,
        nodes: [],
      });
      expect(after).toMatchObject({ comment: "c", excludedNodes: ["n3"] });
      expect(after.submitAt).toBeGreaterThanOrEqual(before.endAt ?? 0);
      expect(delaysMs).toContain(delayOf(after));
      expect(await job.holdReason()).toBe("user");
    },
  ),

  story(
    ["2.1 updated", "2.1 released", "2.1 again", "2.1 delay"],
    "constrained, released: it waits for the delay, and runs without the excluded nodes",
    async (world) => {
      const job = await requeued(world);
      const { submitAt } = await job.now();
      expect(await job.apply({ kind: "update-constraints", exclude: ["n1", "n2"] })).toEqual({ kind: "done" });
      expect(await job.update(["Comment=x"])).toBe("0");
      expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
      expect(await job.now()).toMatchObject({ state: "PENDING", exitCode: 0, restartCount: 1, comment: "x" });
      await job.until({ reason: "BeginTime" });
      const again = await job.until({ state: "FAILED", restartCount: 1 });
      expect(again.nodes).toEqual(["n3"]);
      expect(again.startAt).toBeGreaterThanOrEqual(submitAt + delayMs);
      expect(await world.starts(job.jobId)).toEqual(["unset", "1"]);
    },
  ),

  story(["2.1 delay"], "the delay runs while it is held: released after it, it starts at once", async (world) => {
    const job = await requeued(world);
    const { submitAt } = await job.now();
    await job.until({ state: "PENDING", startAt: undefined as never }); // No start time to come is shown any more.
    await job.apply({ kind: "release" });
    const again = await job.until({ state: "FAILED", restartCount: 1 });
    expect(again.startAt).toBeGreaterThanOrEqual(submitAt + delayMs);
    expect(again.startAt).toBeLessThan(submitAt + delayMs + 10_000);
  }),

  story(
    ["2.1 skip", "2.8 start of others"],
    "a start time moves the start, whoever had set one before",
    async (world) => {
      const job = await submitted(world, { does: "run", user: "owner" }, { state: "RUNNING" });
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until(held);
      expect(await job.update(["StartTime=now+900"], "owner")).toBe("0");
      await job.apply({ kind: "release" });
      expect(await job.apply({ kind: "set-start", inSeconds: 600 })).toEqual({ kind: "done" });
      const { startAt = 0, submitAt } = await job.now();
      expect(startAt - submitAt).toBeGreaterThan(590_000);
      expect(startAt - submitAt).toBeLessThan(700_000);
      expect(await job.apply({ kind: "set-start", inSeconds: 2 })).toEqual({ kind: "done" });
      await job.until({ state: "RUNNING", restartCount: 1 });
    },
  ),

  story(
    ["2.1 requeue running", "2.2 running", "2.8 sigterm"],
    "a running job, by Incomplete: counted at once, COMPLETING while its script ends, then pending and held",
    async (world) => {
      const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      const before = await job.now();
      expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
      expect(await job.now()).toMatchObject({
        state: "COMPLETING",
        restartCount: 1,
        priority: 0,
        submitAt: before.submitAt,
        nodes: before.nodes,
      });
      expect(await job.scontrol("requeuehold")).toBe("1 Job is pending execution for job N");
      const after = await job.until({ state: "PENDING" });
      expect(after).toMatchObject({ ...held, restartCount: 1, reason: "job requeued in held state", nodes: [] });
      expect(delaysMs).toContain(delayOf(after));
      expect(after.submitAt - before.submitAt).toBeGreaterThanOrEqual(2_000);
    },
  ),

  story(
    ["2.1 requeue suspended", "2.2 running"],
    "a suspended job has priority 0 without being held, and is requeued the same",
    async (world) => {
      const job = await running(world);
      expect(await job.scontrol("suspend")).toBe("0");
      await job.until({ state: "SUSPENDED", priority: 0 });
      expect(await job.holdReason()).toBe("other");
      expect(await job.scontrol("suspend")).toBe("0");
      expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
      await job.until({ ...held, restartCount: 1 });
      expect(await job.scontrol("suspend")).toBe("1 Job is pending execution for job N");
    },
  ),

  story(["2.1 requeue suspended"], "a resumed job goes on as it was", async (world) => {
    const job = await running(world);
    const { priority, restartCount } = await job.now();
    await job.scontrol("suspend");
    expect(await job.scontrol("resume")).toBe("0");
    await job.until({ state: "RUNNING", restartCount });
    expect(priority).toBeGreaterThan(0);
    expect(await job.scontrol("resume")).toBe("1 Job is not suspended for job N");
  }),

  story(["2.1 release twice"], "a release may be sent twice; then it runs", async (world) => {
    const job = await waiting(world);
    expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
    const expected = { ...(await job.expected()), states: ["PENDING", "RUNNING"] };
    expect(await job.apply({ kind: "release" }, expected)).toMatchObject({ kind: "done" });
    await job.until({ state: "RUNNING" });
    expect(await job.holdReason()).toBe("none");
  }),

  story(["2.8 many requeues"], "requeued held six times: MaxBatchRequeue (5) does not count them", async (world) => {
    const job = await running(world);
    for (let count = 1; count <= 6; count++) {
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until({ ...held, restartCount: count });
      await job.apply({ kind: "release" });
      await job.apply({ kind: "set-start", inSeconds: 2 });
      await job.until({ state: "RUNNING", restartCount: count });
    }
  }),
];
