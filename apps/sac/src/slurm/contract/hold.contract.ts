/** Whose hold it is, what lays over what, and what COMPLETING does to one (slurm.md §2.1, §2.8). */
import { expect } from "vitest";
import { delayOf, delaysMs, failed, held, requeued, running, submitted, waiting } from "../contract-world.ts";
import { story, type Story } from "./story.ts";

const denied = "1 Access/permission denied for job N\nslurm_suspend error: Access/permission denied";

export const holdStories: readonly Story[] = [
  story(["2.1 hold by root"], "root's hold: the owner cannot release it, nor make it his own", async (world) => {
    const job = await submitted(
      world,
      { does: "run", user: "owner", args: ["--hold"] },
      { ...held, reason: "JobHeldUser" },
    );
    expect(await job.holdReason()).toBe("user");
    expect(await job.scontrol("hold")).toBe("0");
    expect(await job.now()).toMatchObject({ ...held, reason: "JobHeldAdmin" });
    expect(await job.scontrol("release", "owner")).toBe(denied);
    expect(await job.scontrol("uhold", "owner")).toBe("0");
    expect(await job.holdReason()).toBe("admin");
    expect(await job.scontrol("release")).toBe("0");
    await job.until({ state: "RUNNING" });
  }),

  story(
    ["2.1 hold by owner"],
    "requeuehold and uhold: the owner can release them, also root's uhold over root's hold",
    async (world) => {
      const job = await submitted(world, { does: "fail", user: "owner" }, { state: "FAILED" });
      expect(await job.scontrol("requeuehold", "owner")).toBe("0");
      expect(await job.holdReason()).toBe("user");
      expect(await job.scontrol("release", "owner")).toBe("0");
      expect(await job.scontrol("hold", "owner")).toBe("0");
      expect(await job.now()).toMatchObject({ ...held, reason: "JobHeldUser" });
      await job.scontrol("hold");
      expect(await job.holdReason()).toBe("admin");
      await job.scontrol("uhold");
      expect(await job.holdReason()).toBe("user");
      expect(await job.scontrol("release", "owner")).toBe("0");
    },
  ),

  story(
    ["2.1 hold running", "2.8 relabelled"],
    "a hold of a running job: it goes on with priority 0; when it failed, our requeuehold makes it the user's",
    async (world) => {
      const job = await submitted(world, { does: "fail", afterSeconds: 2 }, { state: "RUNNING" });
      expect(await job.scontrol("hold")).toBe("0");
      expect(await job.now()).toMatchObject({ state: "RUNNING", priority: 0, reason: "JobHeldAdmin" });
      expect(await job.until({ state: "FAILED" })).toMatchObject({ priority: 0, reason: "NonZeroExitCode" });
      await job.apply({ kind: "requeue-hold", isRunning: false });
      expect(await job.now()).toMatchObject({ ...held, reason: "job requeued in held state" });
      expect(await job.holdReason()).toBe("user");
    },
  ),

  story(["2.1 hold running"], "a release of a running job gives its priority back", async (world) => {
    const job = await running(world);
    await job.scontrol("hold");
    expect(await job.scontrol("release")).toBe("0");
    const released = await job.now();
    expect(released).toMatchObject({ state: "RUNNING", reason: "None" });
    expect(released.priority).toBeGreaterThan(0);
  }),

  story(
    ["2.1 hold suspended"],
    "a hold of a suspended job, or of one that is suspended later, shows only in the reason of JSON",
    async (world) => {
      const before = await running(world);
      expect(await before.scontrol("hold")).toBe("0");
      expect(await before.scontrol("suspend")).toBe("0");
      await before.until({ state: "SUSPENDED", priority: 0 });
      expect(await before.holdReason()).toBe("admin");
      const after = await running(world);
      expect(await after.scontrol("suspend")).toBe("0");
      await after.until({ state: "SUSPENDED", priority: 0 });
      expect(await after.holdReason()).toBe("other");
      expect(await after.scontrol("uhold")).toBe("0");
      expect(await after.holdReason()).toBe("user");
      expect(await after.scontrol("release")).toBe("0");
      expect(await after.holdReason()).toBe("none");
      // A resume gives the priority back and leaves the reason: the hold is gone.
      expect(await before.scontrol("resume")).toBe("0");
      const resumed = await before.until({ state: "RUNNING" });
      expect(resumed).toMatchObject({ reason: "JobHeldAdmin" });
      expect(resumed.priority).toBeGreaterThan(0);
    },
  ),

  story(["2.1 hold finished"], "a job that is over takes neither hold nor release", async (world) => {
    const job = await failed(world);
    const finished = "1 Job has already finished for job N\nslurm_suspend error: Job has already finished";
    for (const verb of ["hold", "uhold", "release"]) expect(await job.scontrol(verb)).toBe(finished);
    expect(await job.apply({ kind: "release" })).toMatchObject({ kind: "refused", code: "already-finished" });
    expect(await job.scontrol("suspend")).toBe("1 Job/step already completing or completed for job N");
  }),

  story(
    ["2.8 hidden holds"],
    "root's hold over ours shows only in the reason of JSON; the owner's shows nowhere",
    async (world) => {
      const job = await submitted(world, { does: "fail", user: "owner" }, { state: "FAILED" });
      await job.apply({ kind: "requeue-hold", isRunning: false });
      const ours = await job.now();
      expect(await job.scontrol("hold", "owner")).toBe("0");
      expect(await job.now()).toEqual(ours);
      expect(await job.holdReason()).toBe("user");
      await job.scontrol("hold");
      expect(await job.now()).toMatchObject({ ...held, reason: "job requeued in held state" });
      expect(await job.holdReason()).toBe("admin");
      expect(await job.scontrol("release", "owner")).toBe(denied);
    },
  ),

  story(
    ["2.8 lost hold", "2.8 completing takes"],
    "while it is COMPLETING it takes exclusions and marks, and a release loses its hold",
    async (world) => {
      const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until({ state: "COMPLETING", restartCount: 1 });
      expect(await job.update(["ExcNodeList=n1", "AdminComment=a"])).toBe("0");
      expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
      const after = await job.until({ state: "PENDING", restartCount: 1 });
      expect(after).toMatchObject({ excludedNodes: ["n1"], adminComment: "a" });
      expect(after.priority).toBeGreaterThan(0);
      expect(await job.holdReason()).toBe("none");
    },
  ),

  story(
    ["2.8 start in completing"],
    "a start time of now, set while COMPLETING, is overwritten; a later one is kept",
    async (world) => {
      const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      const other = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      for (const one of [job, other]) await one.apply({ kind: "requeue-hold", isRunning: true });
      expect(await job.update(["StartTime=now"])).toBe("0");
      expect(await other.update(["StartTime=now+600"])).toBe("0");
      const after = await job.until({ ...held, state: "PENDING" });
      expect(delaysMs).toContain(delayOf(after));
      const kept = await other.until({ ...held, state: "PENDING" });
      expect((kept.startAt ?? 0) - kept.submitAt).toBeGreaterThan(500_000);
    },
  ),

  story(
    ["2.8 cancel wins"],
    "a scancel while it is COMPLETING for our requeue wins; it keeps the raised count",
    async (world) => {
      const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until({ state: "COMPLETING", restartCount: 1 });
      expect(await job.scancel()).toBe("0");
      await job.until({ state: "CANCELLED", restartCount: 1 });
    },
  ),

  story(
    ["2.4 scancel"],
    "a cancel ends it: 0:15; of a held job the reason stays; of what is over it says nothing",
    async (world) => {
      const job = await running(world);
      expect(await job.apply({ kind: "cancel" })).toEqual({ kind: "done" });
      expect(await job.until({ state: "CANCELLED" })).toMatchObject({ exitCode: 0, signal: 15, reason: "None" });
      expect(await job.apply({ kind: "cancel" })).toEqual({ kind: "done" });
      const ours = await requeued(world);
      await ours.scancel();
      expect(await ours.until({ state: "CANCELLED" })).toMatchObject({
        reason: "job requeued in held state",
        restartCount: 1,
      });
      const waits = await waiting(world);
      await waits.scancel("owner");
      expect(await waits.now()).toMatchObject(held);
    },
  ),
];
