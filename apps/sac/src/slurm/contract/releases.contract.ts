/** What newer releases do otherwise than 22.05 (slurm-new.md, by the numbers of its table). */
import { expect } from "vitest";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import { ContractJob, delayOf, failed, held, requeued, running, submitted, waiting } from "../contract-world.ts";
import { onlyIn, type Release, story, type Story, storyAlone, storyOfExpediting } from "./story.ts";

const newer: readonly Release[] = ["25.11", "26.05"];
const keyOf = ({ sluid }: SlurmJob): string => sluid ?? "none";

export const releaseStories: readonly Story[] = [
  onlyIn(
    newer,
    story(
      ["new-5 key"],
      "each attempt has a key of its own, the old one until it has left; nothing is sent to another key",
      async (world) => {
        const job = await submitted(world, { does: "trap" }, { state: "RUNNING" });
        const first = keyOf(await job.now());
        await job.apply({ kind: "requeue-hold", isRunning: true });
        const leaving = await job.until({ state: "COMPLETING", restartCount: 1 });
        expect(keyOf(leaving)).toBe(first);
        const second = keyOf(await job.until({ ...held, restartCount: 1 }));
        expect([first, second].map((key) => /^s\w{13}$/.test(key))).toEqual([true, true]);
        expect(second).not.toBe(first);
        const expected = await job.expected();
        expect(expected).toMatchObject({ sluid: second });
        const moved = await job.apply({ kind: "release" }, { ...expected, sluid: first });
        expect(moved).toMatchObject({ kind: "moved" });
        await job.scancel();
      },
    ),
  ),

  onlyIn(
    newer,
    story(["new-5 tasks"], "tasks of an array have one key until they are touched", async (world) => {
      const array = await world.submit({ does: "run", args: ["--array=0-2", "--hold"] });
      const tasks = [0, 1, 2].map((task) => new ContractJob(world, `${array}_${task}`));
      const keys = async () => Promise.all(tasks.map(async (task) => keyOf(await task.now())));
      expect(new Set(await keys()).size).toBe(1);
      await tasks[1]!.apply({ kind: "update-constraints", exclude: ["n1"] });
      expect(new Set(await keys()).size).toBe(2);
      await new ContractJob(world, array).scancel();
    }),
  ),

  onlyIn(
    newer,
    storyAlone(["new-5 rolled back", "new-15"], "after a rollback the old key is back", async (world) => {
      const job = await failed(world);
      const before = await job.now();
      await world.pass(6_000);
      await world.submit({ does: "run", args: ["--hold"] });
      await world.pass(1_000);
      await job.apply({ kind: "requeue-hold", isRunning: false });
      expect(keyOf(await job.now())).not.toBe(keyOf(before));
      await world.crashController();
      expect(await job.until({ state: "FAILED" })).toMatchObject({ restartCount: 0, sluid: keyOf(before) });
    }),
  ),

  onlyIn(
    ["25.11"],
    storyAlone(
      ["new-3"],
      "what had failed before slurmctld was started is COMPLETING for a minute after its requeue; constraints are taken meanwhile",
      async (world) => {
        const job = await failed(world);
        const before = await job.now();
        await world.stopController();
        await world.startController();
        await job.until({ state: "FAILED" });
        expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
        await world.pass(30_000);
        const lingering = { state: "COMPLETING", restartCount: 1, submitAt: before.submitAt, sluid: keyOf(before) };
        expect(await job.now()).toMatchObject({ ...lingering, nodes: before.nodes });
        expect(await job.scontrol("requeuehold")).toBe("1 Job is pending execution for job N");
        expect(await job.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
        const pending = await job.until({ ...held, restartCount: 1 }, 40_000);
        expect(pending).toMatchObject({ excludedNodes: ["n1"], nodes: [] });
        expect(pending.submitAt).toBeGreaterThan(before.submitAt);
        await job.scancel();
      },
    ),
  ),

  onlyIn(
    ["22.05", "26.05"],
    storyAlone(["new-3"], "what had failed before slurmctld was started is pending at once", async (world) => {
      const job = await failed(world);
      await world.stopController();
      await world.startController();
      await job.until({ state: "FAILED" });
      await job.apply({ kind: "requeue-hold", isRunning: false });
      expect(await job.now()).toMatchObject({ ...held, restartCount: 1 });
      await job.scancel();
    }),
  ),

  onlyIn(
    newer,
    storyAlone(
      ["new-2", "new-23"],
      "scontrol's JSON of a job that is not there is empty, rc 0; so it is while slurmctld is down: only squeue is asked",
      async (world) => {
        const job = await failed(world);
        const asked = ["show", "job", "999999", "--json"] as const;
        expect(await world.type("root", "scontrol", ...asked)).toEqual({ rc: 0, stderr: "" });
        await world.stopController();
        const [said, view, reasons] = await Promise.all([
          world.type("root", "scontrol", ...asked),
          world.slurm.look(),
          world.slurm.holdReasons([job.jobId]),
        ]);
        await world.startController();
        expect([said.rc, view.kind, reasons.kind]).toEqual([0, "unavailable", "unavailable"]);
      },
    ),
  ),

  onlyIn(
    newer,
    story(["new-12"], "killed by a signal: FAILED RaisedSignal:9(Killed) 0:9", async (world) => {
      const job = await submitted(world, { does: "die" }, { state: "FAILED" });
      expect(await job.now()).toMatchObject({ reason: "RaisedSignal:9(Killed)", exitCode: 0, signal: 9 });
    }),
  ),

  onlyIn(
    newer,
    story(["new-13"], "its output folder is missing: it is made", async (world) => {
      const args = ["--output=/no-such-folder/out"];
      await submitted(world, { does: "complete", args }, { state: "COMPLETED" });
    }),
  ),

  onlyIn(
    newer,
    story(["new-14"], "dependents are judged as soon as their parent has failed", async (world) => {
      const parent = await submitted(world, { does: "fail", afterSeconds: 2 });
      const child = await submitted(world, { does: "run", args: [`--dependency=afterok:${parent.jobId}`] });
      await parent.until({ state: "FAILED" });
      await child.until({ dependency: `afterok:${parent.jobId}(failed)` }, 2_500);
      await child.scancel();
    }),
  ),

  onlyIn(
    newer,
    story(["new-16"], "RequeueExit requeues, but not what was submitted with --no-requeue", async (world) => {
      const job = await submitted(world, { does: 100, args: ["--requeue"] }, { state: "PENDING", restartCount: 1 });
      await submitted(world, { does: 100, args: ["--no-requeue"] }, { state: "FAILED", restartCount: 0 });
      await job.scancel();
    }),
  ),

  onlyIn(
    newer,
    storyOfExpediting(
      ["new-17 held"],
      "an expedited job fails and its epilog does not: Slurm holds it, in a word of its own and with the reason of our hold",
      async (world) => {
        const job = await submitted(world, { does: "fail", args: ["--requeue=expedite"] }, { state: "REQUEUE_HOLD" });
        const reason = "job requeued in held state";
        expect(await job.now()).toMatchObject({ priority: 0, restartCount: 1, reason });
        expect(await job.holdReason()).toBe("user");
        const refused = await job.apply({ kind: "requeue-hold", isRunning: false });
        expect(refused).toMatchObject({ kind: "refused", code: "pending" });
        await job.scancel();
      },
    ),
  ),

  onlyIn(
    newer,
    storyOfExpediting(
      ["new-17 expediting"],
      "an expedited job fails, and so does its epilog: it starts at once elsewhere",
      async (world) => {
        world.failEpilog("n8");
        const args = ["--requeue=expedite", "--partition=prolog"];
        const job = await submitted(world, { does: "fail", afterSeconds: 1, args }, { state: "EXPEDITING" });
        const waits = await job.now();
        expect([waits.restartCount, waits.priority > 0]).toEqual([1, true]);
        expect(await job.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
        await job.scancel();
      },
    ),
  ),

  onlyIn(
    newer,
    storyOfExpediting(["new-6"], "requeue_delay counts in the place of cred_expire: 0 is one second", async (world) => {
      const job = await requeued(world);
      // One second less where the new submit time was dated ahead of the old one.
      expect([0, 1_000]).toContain(delayOf(await job.now()));
      await job.scancel();
    }),
  ),

  onlyIn(
    newer,
    story(["new-7"], "a start in the second of the requeue is not killed", async (world) => {
      const job = await submitted(world, { does: "run", args: ["--nodelist=n3"] }, { state: "RUNNING" });
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until({ ...held, restartCount: 1 });
      await job.apply({ kind: "release" });
      await job.apply({ kind: "set-start", inSeconds: 0 });
      await job.until({ state: "RUNNING", restartCount: 1 }, 4_000);
      await world.pass(2_000);
      expect(await job.now()).toMatchObject({ state: "RUNNING" });
      await job.scancel();
    }),
  ),

  story(["new-20"], "a held job whose delay is over shows no start", async (world) => {
    const job = await requeued(world);
    expect(await job.now()).toHaveProperty("startAt");
    await world.pass(8_000);
    expect(await job.now()).not.toHaveProperty("startAt");
    await job.scancel();
  }),

  story(
    ["new-8", "new-9", "new-18"],
    "JSON says why each of them is held, in every shape that it has",
    async (world) => {
      const [ours, theirs] = [await requeued(world), await waiting(world)];
      await theirs.scontrol("hold");
      const array = await world.submit({ does: "run", args: ["--array=0-2", "--hold"] });
      const task = new ContractJob(world, `${array}_2`);
      const runs = await running(world);
      const jobs = [ours, theirs, task, runs];
      const seen = await world.slurm.holdReasons(jobs.map(({ jobId }) => jobId));
      if (seen.kind !== "seen") throw new Error(`hold reasons are ${seen.kind}`);
      expect(jobs.map(({ jobId }) => seen.value.get(jobId))).toEqual(["user", "admin", "user", "none"]);
      for (const job of [ours, theirs, new ContractJob(world, array), runs]) await job.scancel();
    },
  ),
];
