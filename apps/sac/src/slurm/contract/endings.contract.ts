/** How attempts end by themselves, by their limits, by others that go before; and arrays (slurm.md §2.2, §2.4, §2.8). */
import { expect } from "vitest";
import { ContractJob, delayOf, delaysMs, held, submitted, waiting } from "../contract-world.ts";
import { longStory, onlyIn, story, type Story } from "./story.ts";

export const endingStories: readonly Story[] = [
  longStory(
    ["2.4 time limit", "2.2 failed"],
    "over its limit: TIMEOUT TimeLimit 0:15, and it can be requeued",
    async (world) => {
      const job = await submitted(world, { does: "run", args: ["--time=1"] }, { state: "RUNNING" });
      expect(await job.until({ state: "TIMEOUT" }, 150_000)).toMatchObject({
        reason: "TimeLimit",
        exitCode: 0,
        signal: 15,
      });
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
      await job.until({ ...held, restartCount: 1 });
    },
  ),

  onlyIn(
    ["22.05"],
    story(["2.4 signal"], "killed by a signal: FAILED JobLaunchFailure 0:9", async (world) => {
      const job = await submitted(world, { does: "die" }, { state: "FAILED" });
      expect(await job.now()).toMatchObject({ reason: "JobLaunchFailure", exitCode: 0, signal: 9 });
    }),
  ),

  onlyIn(
    ["22.05"],
    story(["2.4 output"], "its output folder is missing: FAILED JobLaunchFailure 0:53", async (world) => {
      const args = ["--output=/no-such-folder/out"];
      const job = await submitted(world, { does: "complete", args }, { state: "FAILED" });
      expect(await job.now()).toMatchObject({ reason: "JobLaunchFailure", exitCode: 0, signal: 53 });
    }),
  ),

  story(["2.4 workdir"], "its work folder is missing: it runs in another one", async (world) => {
    const job = await submitted(world, { does: "complete", args: ["--chdir=/no-such-folder"] });
    expect(await job.until({ state: "COMPLETED" })).toMatchObject({ workDir: "/no-such-folder", exitCode: 0 });
  }),

  story(
    ["2.4 deadline", "2.2 failed"],
    "it can no longer end before its deadline: DEADLINE 0:1, and it can be requeued",
    async (world) => {
      const job = await waiting(world, "--deadline=now+61", "--time=1");
      await world.pass(3_000);
      await job.apply({ kind: "release" });
      const over = await job.until({ state: "DEADLINE" });
      expect(over).toMatchObject({ reason: "DeadLine", exitCode: 0, signal: 1, restartCount: 0 });
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
      await job.until({ ...held, restartCount: 1 });
    },
  ),

  onlyIn(
    ["22.05"],
    story(["2.4 requeue exit"], "RequeueExit: Slurm itself requeues it, --no-requeue or not", async (world) => {
      for (const flag of ["--requeue", "--no-requeue"]) {
        const job = await submitted(world, { does: 100, args: [flag] }, { state: "PENDING", restartCount: 1 });
        const seen = await job.now();
        expect([seen.priority > 0, seen.exitCode]).toEqual([true, 100]);
        expect(delaysMs).toContain(delayOf(seen));
        await job.until({ reason: "BeginTime" });
        expect(await job.scontrol("requeuehold")).toContain(
          flag === "--requeue" ? "Job is pending execution" : "disabled",
        );
        await job.scancel();
      }
    }),
  ),

  story(
    ["2.4 requeue exit hold"],
    "RequeueExitHold, or State=SpecialExit: SPECIAL_EXIT, held; a release makes it pending",
    async (world) => {
      const special = { state: "SPECIAL_EXIT", priority: 0, restartCount: 1 };
      const job = await submitted(world, { does: 111 }, special);
      expect(await job.now()).toMatchObject({ reason: "JobHeldUser", exitCode: 111 });
      expect(await job.holdReason()).toBe("user");
      const other = await submitted(world, { does: "fail" }, { state: "FAILED" });
      expect(await other.scontrol("requeuehold State=SpecialExit")).toBe("0");
      expect(await other.now()).toMatchObject({ ...special, reason: "job requeued in held state" });
      for (const one of [job, other]) {
        expect(await one.scontrol("requeuehold")).toBe("1 Job is pending execution for job N");
        expect(await one.apply({ kind: "release" })).toEqual({ kind: "done" });
        expect(await one.now()).toMatchObject({ state: "PENDING", exitCode: 0 });
        await one.scancel();
      }
    },
  ),

  story(
    ["2.4 preempt requeue", "2.2 failed"],
    "preempted by requeue: pending again, counted, not held",
    async (world) => {
      const alone = ["--exclusive", "--nodelist=n4"];
      const low = await submitted(world, { does: "run", args: ["--partition=low", ...alone] }, { state: "RUNNING" });
      const high = await submitted(world, { does: "run", args: ["--partition=high", ...alone] }, { state: "RUNNING" });
      const preempted = await low.until({ state: "PENDING", restartCount: 1 });
      expect(preempted).toMatchObject({ nodes: [], partition: "low" });
      expect(preempted.priority).toBeGreaterThan(0);
      for (const job of [low, high]) await job.scancel();
    },
  ),

  story(
    ["2.4 preempt cancel", "2.2 failed"],
    "preempted by cancel: PREEMPTED 0:15, and it can be requeued",
    async (world) => {
      const alone = ["--exclusive", "--nodelist=n5"];
      const low = await submitted(
        world,
        { does: "run", args: ["--partition=lowcancel", ...alone] },
        { state: "RUNNING" },
      );
      const high = await submitted(world, { does: "run", args: ["--partition=high", ...alone] }, { state: "RUNNING" });
      expect(await low.until({ state: "PREEMPTED" })).toMatchObject({ exitCode: 0, signal: 15, restartCount: 0 });
      expect(await low.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
      await low.until({ ...held, restartCount: 1 });
      for (const job of [low, high]) await job.scancel();
    },
  ),

  story(
    ["2.2 array", "2.8 tasks"],
    "of an array one task alone is requeued; the array is answered task by task",
    async (world) => {
      const arrayId = await world.submit({ does: "run", args: ["--array=0-2"] });
      const array = new ContractJob(world, arrayId);
      const [task, sibling] = [new ContractJob(world, `${arrayId}_0`), new ContractJob(world, `${arrayId}_1`)];
      await sibling.until({ state: "RUNNING", arrayJobId: arrayId, arrayTaskId: "1" });
      await task.until({ state: "RUNNING" });
      await new ContractJob(world, `${arrayId}_2`).until({ state: "RUNNING" });
      expect(await task.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
      await task.until({ ...held, restartCount: 1 });
      expect(await task.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({
        kind: "refused",
        code: "pending",
      });
      expect(await sibling.now()).toMatchObject({ state: "RUNNING", restartCount: 0 });
      expect(await task.scontrol("requeuehold")).toBe("1 N: Job is pending execution");
      expect(await new ContractJob(world, `${arrayId}_9`).scontrol("requeuehold")).toBe(
        "1 N: Invalid job id specified",
      );
      const answer = await world.type("root", "scontrol", "requeuehold", arrayId);
      expect(answer).toEqual({ rc: 1, stderr: `${arrayId}_0: Job is pending execution\n${arrayId}_1-2: No error\n` });
      await sibling.until({ ...held, restartCount: 1 });
      expect(await array.scontrol("release")).toBe("0");
      expect((await task.now()).priority).toBeGreaterThan(0);
      await array.scancel();
    },
  ),

  story(["2.4 scancel"], "a job that was never started keeps the count at its cancel", async (world) => {
    const job = await waiting(world);
    await job.scancel();
    expect(await job.now()).toMatchObject({
      state: "CANCELLED",
      exitCode: 0,
      signal: 0,
      restartCount: 0,
      endAt: expect.any(Number),
    });
  }),
];
