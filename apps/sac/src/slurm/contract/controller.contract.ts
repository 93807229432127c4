/** What a controller that stops, dies or hangs makes of commands, and what must be true for one to be sent (slurm.md §2.5, §6). */
import { expect } from "vitest";
import { ContractJob, failed, held, running, submitted, type World } from "../contract-world.ts";
import type { Expected } from "../slurm.ts";
import { story, storyAlone, type Story } from "./story.ts";

/**
 * slurmctld saves at once what follows 5 s of silence, and what comes soon after that up to 5 s late: so somebody else makes it save
 * just before.
 */
async function saveNow(world: World): Promise<void> {
  await world.pass(6_000);
  await world.submit({ does: "run", args: ["--hold"] });
  await world.pass(1_000);
}

/** When the slurmctld was started that answers now. */
async function bootOf(world: World): Promise<number | undefined> {
  const view = await world.slurm.look();
  return view.kind === "seen" ? view.value.settings?.bootedAt : undefined;
}

export const controllerStories: readonly Story[] = [
  story(["2.2 running"], "nothing is sent when the count, the submit time or the state has moved", async (world) => {
    const job = await failed(world);
    const expected = await job.expected();
    const moved: Expected[] = [
      { ...expected, restartCount: 1 },
      { ...expected, submitAt: expected.submitAt + 1_000 },
      { ...expected, states: ["RUNNING"] },
    ];
    for (const other of moved)
      expect(await job.apply({ kind: "requeue-hold", isRunning: false }, other)).toMatchObject({ kind: "moved" });
    expect(await job.now()).toMatchObject({ state: "FAILED", restartCount: 0 });
  }),

  storyAlone(
    ["6 lost answer"],
    "a lost answer is unknown; the command may have been carried out, or not",
    async (world) => {
      const [done, notDone] = [await failed(world), await failed(world)];
      world.loseNextAnswer("applied");
      expect(await done.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({ kind: "unknown" });
      await done.until({ ...held, restartCount: 1 });
      world.loseNextAnswer("not-applied");
      expect(await notDone.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({ kind: "unknown" });
      expect(await notDone.now()).toMatchObject({ state: "FAILED", restartCount: 0 });
    },
  ),

  storyAlone(["6 down"], "a controller that is down: the view is unavailable, nothing is sent", async (world) => {
    const job = await failed(world);
    const expected = await job.expected();
    await world.stopController();
    const [view, reasons, outcome] = await Promise.all([
      world.slurm.look(),
      world.slurm.holdReasons([job.jobId]),
      job.apply({ kind: "requeue-hold", isRunning: false }, expected),
    ]);
    await world.startController();
    expect([view.kind, reasons.kind, outcome.kind]).toEqual(["unavailable", "unavailable", "moved"]);
    await job.until({ state: "FAILED", restartCount: 0 });
  }),

  storyAlone(
    ["6 paused"],
    "a controller that stands still: what it was asked is done when it goes on, though nobody waits any more",
    async (world) => {
      const job = await failed(world);
      await world.pauseController();
      const [view, answer] = await Promise.all([world.slurm.look(), job.scontrol("requeuehold")]);
      expect(view.kind).toBe("unavailable");
      expect(answer).toBe("1 Unexpected message received for job N");
      await world.resumeController();
      await job.until({ ...held, restartCount: 1 });
    },
  ),

  storyAlone(
    ["2.5 in order"],
    "stopped in order and started: all is kept, running jobs are adopted, an end in between is reported",
    async (world) => {
      const job = await running(world);
      const ends = await submitted(world, { does: "fail", afterSeconds: 3 }, { state: "RUNNING" });
      const ours = await failed(world);
      await ours.apply({ kind: "requeue-hold", isRunning: false });
      await ours.apply({ kind: "update-constraints", exclude: ["n1"], adminComment: "kept" });
      const before = await ours.now();
      await world.stopController();
      await world.pass(5_000);
      await world.startController();
      const { startAt: _one, ...kept } = await ours.now();
      const { startAt: _other, ...told } = before;
      expect(kept).toEqual(told);
      expect(await job.now()).toMatchObject({ state: "RUNNING", restartCount: 0 });
      await ends.until({ state: "FAILED", exitCode: 7, restartCount: 0 });
      await job.scancel();
    },
  ),

  storyAlone(
    ["2.5 rolled back"],
    "a crash right after requeuehold and update, both acknowledged: as if nothing had happened",
    async (world) => {
      const job = await failed(world);
      const before = await job.expected();
      await saveNow(world);
      expect(await job.apply({ kind: "requeue-hold", isRunning: false }, before)).toEqual({ kind: "done" });
      expect(await job.update(["ExcNodeList=n1", "Comment=x"])).toBe("0");
      expect(await job.now()).toMatchObject({ ...held, restartCount: 1 });
      await world.crashController();
      const after = await job.until({ state: "FAILED" });
      expect(after).toMatchObject({ restartCount: 0, excludedNodes: [], comment: "", submitAt: before.submitAt });
    },
  ),

  storyAlone(
    ["2.5 rolled back"],
    "a crash right after a release: the hold is there again, in the words of its requeue; one that is laid after a release has others; and slurmctld says that it is another one",
    async (world) => {
      const bootedAt = await bootOf(world);
      expect(bootedAt).toBeGreaterThan(0);
      const job = await failed(world);
      await job.apply({ kind: "requeue-hold", isRunning: false });
      await job.update(["StartTime=now+600"]);
      const words = "job requeued in held state";
      const { submitAt } = await job.now();
      await saveNow(world);
      expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
      expect((await job.now()).priority).toBeGreaterThan(0);
      await world.crashController();
      expect(await job.until({ ...held, restartCount: 1 })).toMatchObject({ reason: words, submitAt });
      expect(await bootOf(world)).toBeGreaterThan(bootedAt ?? 0);
      expect(await job.update(["AdminComment=x", "StartTime=now+600"])).toBe("0");
      expect(await job.now()).toMatchObject({ ...held, reason: words, adminComment: "x" });
      await job.scontrol("release");
      await job.scontrol("hold");
      expect(await job.now()).toMatchObject({ ...held, reason: "JobHeldAdmin" });
      await job.scontrol("release");
      await job.scontrol("uhold");
      expect(await job.now()).toMatchObject({ ...held, reason: "JobHeldUser" });
    },
  ),

  storyAlone(["2.5 kept"], "a crash 6 s after: kept", async (world) => {
    const job = await failed(world);
    await job.apply({ kind: "requeue-hold", isRunning: false });
    await world.pass(6_500);
    await world.crashController();
    await job.until({ ...held, restartCount: 1 });
  }),

  storyAlone(
    ["2.5 reissued"],
    "a crash right after sbatch: the job is gone, and the next one gets its ID",
    async (world) => {
      await saveNow(world);
      const lost = await world.submit({ does: "run", args: ["--hold"] });
      await world.crashController();
      const seen = await world.until("Slurm answers", async () => {
        const view = await world.slurm.look();
        return view.kind === "seen" && view;
      });
      expect(seen.value.jobs.has(lost)).toBe(false);
      const next = await world.submit({ does: "run", args: ["--hold", "--comment=next"] });
      expect(next).toBe(lost);
      expect(await new ContractJob(world, next).now()).toMatchObject({ comment: "next", restartCount: 0 });
    },
  ),

  storyAlone(
    ["2.5 rolled back"],
    "a crash right after a running job was requeued: Slurm says that it runs, and nothing of it does",
    async (world) => {
      const job = await running(world);
      await saveNow(world);
      expect(await job.scontrol("requeuehold Incomplete")).toBe("0");
      await job.until({ ...held, restartCount: 1 });
      await world.crashController();
      expect(await job.until({ state: "RUNNING" })).toMatchObject({ restartCount: 0 });
      await job.scancel();
    },
  ),
];
