/** What accepts a requeue, and with which words it is refused (slurm.md §2.2, §2.8). */
import { expect } from "vitest";
import { ContractJob, failed, held, requeued, running, submitted, waiting } from "../contract-world.ts";
import { story, storyOfForgetful, type Story } from "./story.ts";

export const requeueStories: readonly Story[] = [
  story(["2.2 completed"], "a completed or a cancelled job is requeued too: only we can refuse it", async (world) => {
    const completed = await submitted(world, { does: "complete" }, { state: "COMPLETED" });
    const cancelled = await running(world);
    const neverStarted = await waiting(world);
    for (const job of [cancelled, neverStarted]) {
      expect(await job.scancel()).toBe("0");
      await job.until({ state: "CANCELLED" });
    }
    for (const job of [completed, cancelled, neverStarted]) {
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
      await job.until({ ...held, restartCount: 1 });
    }
  }),

  story(
    ["2.8 incomplete"],
    "Incomplete leaves alone what has ended or waits: done, and nothing happens",
    async (world) => {
      const cancelled = await running(world);
      await cancelled.scancel();
      await cancelled.until({ state: "CANCELLED" });
      const completed = await submitted(world, { does: "complete" }, { state: "COMPLETED" });
      for (const job of [await failed(world), completed, cancelled, await waiting(world)]) {
        const { state } = await job.now();
        expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
        expect(await job.now()).toMatchObject({ state, restartCount: 0 });
      }
    },
  ),

  story(
    ["2.8 resurrected", "2.2 running"],
    "a job that is being cancelled: Incomplete leaves it, a plain requeuehold brings it back",
    async (world) => {
      const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      await job.scancel();
      await job.until({ state: "COMPLETING" });
      expect(await job.scontrol("requeuehold Incomplete")).toBe("0");
      expect(await job.now()).toMatchObject({ state: "COMPLETING", restartCount: 0 });
      expect(await job.scontrol("requeuehold")).toBe("0");
      expect(await job.now()).toMatchObject({ state: "COMPLETING", restartCount: 1 });
      await job.until({ ...held, restartCount: 1 });
    },
  ),

  story(
    ["2.2 pending", "2.8 duplicate"],
    "a pending job refuses, held or inside its delay: twice is once",
    async (world) => {
      const job = await failed(world);
      const both = await Promise.all([job.scontrol("requeuehold"), job.scontrol("requeuehold")]);
      expect(both.sort()).toEqual(["0", "1 Job is pending execution for job N"]);
      const refused = { kind: "refused", code: "pending" };
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject(refused);
      await job.apply({ kind: "release" });
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject(refused);
      expect(await job.now()).toMatchObject({ restartCount: 1 });
    },
  ),

  story(
    ["2.2 no requeue"],
    "a job that may not be requeued refuses; Requeue=1 helps before its end only",
    async (world) => {
      const job = await submitted(
        world,
        { does: "fail", args: ["--no-requeue"] },
        { state: "FAILED", requeueable: false },
      );
      const refused = { kind: "refused", code: "requeue-disabled" };
      expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject(refused);
      expect(await job.update(["Requeue=1"])).toBe("1 Job has already finished for job N");
      const early = await running(world, "--no-requeue");
      expect(await early.update(["Requeue=1"])).toBe("0");
      await early.apply({ kind: "requeue-hold", isRunning: true });
      await early.until({ ...held, restartCount: 1, requeueable: true });
    },
  ),

  story(["2.2 not batch"], "an interactive job refuses", async (world) => {
    const job = new ContractJob(world, await world.submitInteractive());
    await job.until({ state: "RUNNING", batch: false });
    const refused = { kind: "refused", code: "not-batch" };
    expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toMatchObject(refused);
    await job.scancel();
  }),

  story(["2.2 unknown"], "a job that Slurm does not know", async (world) => {
    const gone = new ContractJob(world, "999999");
    const fence = { jobId: "999999", restartCount: 0, submitAt: 0, states: ["FAILED"] };
    expect(await gone.apply({ kind: "requeue-hold", isRunning: false }, fence)).toMatchObject({
      kind: "refused",
      code: "gone",
    });
    expect(await gone.holdReason()).toBeUndefined();
    const words = "Invalid job id specified";
    expect(await gone.scontrol("requeuehold")).toBe(`1 ${words} for job N`);
    expect(await gone.update(["Comment=x"])).toBe(`1 ${words} for job N`);
    expect(await gone.scontrol("release")).toBe(`1 ${words} for job N\nslurm_suspend error: ${words}`);
    expect(await gone.scancel()).toBe("0");
  }),

  story(["2.2 stranger"], "a stranger is refused everything", async (world) => {
    const over = await submitted(world, { does: "fail", user: "owner" }, { state: "FAILED" });
    expect(await over.scontrol("requeuehold", "stranger")).toBe("1 Access/permission denied for job N");
    const job = await submitted(world, { does: "run", user: "owner", args: ["--hold"] }, held);
    const wrongUser = "1 Invalid user id for job N\nslurm_suspend error: Invalid user id";
    expect(await job.scontrol("release", "stranger")).toBe(wrongUser);
    expect(await job.scontrol("hold", "stranger")).toBe(wrongUser);
    expect(await job.update(["ExcNodeList=n1"], "stranger")).toBe("1 Invalid user id for job N");
    expect(await job.scancel("stranger")).toBe(
      "210 scancel: error: Kill job error on job id N: Access/permission denied",
    );
    expect(await job.scontrol("suspend", "owner")).toBe("1 Access/permission denied for job N");
  }),

  story(
    ["2.2 het"],
    "only the leader of a heterogeneous job is requeued, and all components go with it",
    async (world) => {
      const leader = new ContractJob(world, await world.submitHet());
      const component = new ContractJob(world, String(Number(leader.jobId) + 1));
      await leader.until({ state: "RUNNING", hetJobId: leader.jobId });
      await component.until({ state: "RUNNING", hetJobId: leader.jobId });
      const refused = { kind: "refused", code: "not-het-leader" };
      expect(await component.apply({ kind: "requeue-hold", isRunning: true })).toMatchObject(refused);
      expect(await leader.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
      for (const one of [leader, component]) await one.until({ ...held, restartCount: 1 });
      expect(await component.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
      expect(await component.now()).toMatchObject({ excludedNodes: ["n1"] });
      expect(await leader.now()).toMatchObject({ excludedNodes: [] });
      expect(await component.scancel()).toContain(
        "Operation not permitted on individual component of heterogeneous job",
      );
      await leader.apply({ kind: "release" });
      for (const one of [leader, component]) expect((await one.now()).priority).toBeGreaterThan(0);
      expect(await leader.scancel()).toBe("0");
      for (const one of [leader, component]) await one.until({ state: "CANCELLED" });
    },
  ),

  story(
    ["2.2 het"],
    "components end with their script; an update of the leader alone, of one component, or of all; and all start again",
    async (world) => {
      const leader = new ContractJob(world, await world.submitHet("fail"));
      const component = new ContractJob(world, String(Number(leader.jobId) + 1));
      for (const one of [leader, component]) await one.until({ state: "FAILED", exitCode: 7 }, 90_000);
      await leader.apply({ kind: "requeue-hold", isRunning: false });
      for (const one of [leader, component]) await one.until({ ...held, restartCount: 1 });
      expect(await leader.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
      expect(await component.now()).toMatchObject({ excludedNodes: [] });
      expect(await component.apply({ kind: "update-constraints", exclude: ["n2"] })).toEqual({ kind: "done" });
      expect(await leader.now()).toMatchObject({ excludedNodes: ["n1"] });
      expect(await component.now()).toMatchObject({ excludedNodes: ["n2"] });
      expect(await leader.update(["ExcNodeList=n3"])).toBe("0");
      for (const one of [leader, component]) expect(await one.now()).toMatchObject({ excludedNodes: ["n3"] });
      await leader.apply({ kind: "release" });
      expect(await leader.apply({ kind: "set-start", inSeconds: 2 })).toEqual({ kind: "done" });
      for (const one of [leader, component]) await one.until({ state: "FAILED", restartCount: 1 }, 90_000);
    },
  ),

  storyOfForgetful(["2.2 purged"], "after MinJobAge the job is gone, and nothing brings it back", async (world) => {
    const job = await failed(world);
    const expected = await job.expected();
    const isGone = async () => {
      const seen = await world.slurm.look();
      return seen.kind === "seen" && !seen.value.jobs.has(job.jobId);
    };
    await world.until(`${job.jobId} is purged`, isGone, 100_000);
    expect(await job.apply({ kind: "requeue-hold", isRunning: false }, expected)).toMatchObject({
      kind: "refused",
      code: "gone",
    });
  }),

  story(["2.8 priority"], "a requeue loses a priority that was set", async (world) => {
    const job = await requeued(world);
    await job.apply({ kind: "release" });
    expect(await job.update(["Priority=1000"])).toBe("0");
    expect(await job.now()).toMatchObject({ priority: 1000 });
    await job.until({ state: "FAILED", restartCount: 1 });
    await job.apply({ kind: "requeue-hold", isRunning: false });
    await job.apply({ kind: "release" });
    expect((await job.now()).priority).toBeGreaterThan(1000);
  }),
];
