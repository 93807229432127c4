/** What Slurm's own dependencies make of a failure and of its restart (slurm.md §2.8). */
import { expect } from "vitest";
import { ContractJob, held, running, submitted, waiting, type World } from "../contract-world.ts";
import { longStory, story, type Story } from "./story.ts";

async function dependent(world: World, dependency: string, ...args: string[]): Promise<ContractJob> {
  return submitted(world, { does: "run", args: [`--dependency=${dependency}`, ...args] });
}

/** Two jobs of one name, the first running. */
async function twins(world: World, name: string): Promise<{ first: ContractJob; second: ContractJob }> {
  const args = [`--job-name=${name}`, "--dependency=singleton"];
  const first = await submitted(world, { does: "fail", afterSeconds: 3, args }, { state: "RUNNING" });
  const second = await submitted(world, { does: "run", args });
  expect(await second.now()).toMatchObject({ state: "PENDING", dependency: "singleton(unfulfilled)" });
  return { first, second };
}

/** Slurm looks at dependencies when it next schedules: on an idle cluster that took up to 26 s. */
const decidedWithinMs = 60_000;
/** At what is held it looks once a minute. */
const lookedAtWithinMs = 90_000;

export const dependentStories: readonly Story[] = [
  story(
    ["2.8 dependents", "2.8 repair"],
    "after a failure: afterok is lost for good, with kill-on-invalid-dep cancelled; afternotok and afterany run",
    async (world) => {
      const parent = await submitted(world, { does: "fail", args: ["--hold"] });
      const ok = await dependent(world, `afterok:${parent.jobId}`);
      const killed = await dependent(world, `afterok:${parent.jobId}`, "--kill-on-invalid-dep=yes");
      const others = [
        await dependent(world, `afternotok:${parent.jobId}`),
        await dependent(world, `afterany:${parent.jobId}`),
      ];
      expect(await ok.now()).toMatchObject({ dependency: `afterok:${parent.jobId}(unfulfilled)` });
      await parent.apply({ kind: "release" });
      await parent.until({ state: "FAILED" });
      const lost = { reason: "DependencyNeverSatisfied", dependency: `afterok:${parent.jobId}(failed)` };
      await ok.until({ state: "PENDING", ...lost }, decidedWithinMs);
      await killed.until({ state: "CANCELLED", ...lost }, decidedWithinMs);
      for (const other of others)
        expect(await other.until({ state: "RUNNING" }, decidedWithinMs)).not.toHaveProperty("dependency");

      await parent.apply({ kind: "requeue-hold", isRunning: false });
      expect(await ok.now()).toMatchObject(lost);
      expect(await ok.update([`Dependency=afterok:${parent.jobId}`])).toBe("0");
      expect(await ok.now()).toMatchObject({ dependency: `afterok:${parent.jobId}(unfulfilled)` });
      for (const job of [ok, ...others]) await job.scancel();
    },
  ),

  story(["2.8 unnoticed"], "a requeue while it runs is not noticed by its dependents", async (world) => {
    const parent = await running(world);
    const ok = await dependent(world, `afterok:${parent.jobId}`);
    await parent.apply({ kind: "requeue-hold", isRunning: true });
    await parent.until({ ...held, restartCount: 1 });
    await world.pass(3_000);
    expect(await ok.now()).toMatchObject({ state: "PENDING", dependency: `afterok:${parent.jobId}(unfulfilled)` });
    await ok.scancel();
  }),

  story(["2.8 special exit fires"], "SPECIAL_EXIT fires afternotok", async (world) => {
    const parent = await submitted(world, { does: 111, afterSeconds: 2 });
    const child = await dependent(world, `afternotok:${parent.jobId}`);
    await parent.until({ state: "SPECIAL_EXIT" });
    await child.until({ state: "RUNNING" }, decidedWithinMs);
    await child.scancel();
  }),

  story(
    ["2.8 singleton"],
    "a singleton sibling starts once the first has failed; the first, requeued, has lost its dependency and runs beside it",
    async (world) => {
      const { first, second } = await twins(world, "too-many");
      await first.until({ state: "FAILED" });
      await second.until({ state: "RUNNING" }, decidedWithinMs);
      await first.apply({ kind: "requeue-hold", isRunning: false });
      expect(await first.now()).not.toHaveProperty("dependency");
      await first.apply({ kind: "release" });
      await first.until({ state: "RUNNING", restartCount: 1 });
      expect(await second.now()).toMatchObject({ state: "RUNNING" });
      await second.scancel();
    },
  ),

  story(
    ["2.8 singleton"],
    "requeued before Slurm has looked, the first keeps its singleton sibling waiting, held as it is",
    async (world) => {
      const { first, second } = await twins(world, "only-one");
      const { submitAt } = await first.now();
      // Its end is not waited for: a requeue while it runs leaves no moment between.
      await first.apply({ kind: "requeue-hold", isRunning: true });
      await first.until({ ...held, restartCount: 1 });
      await world.pass(3_000);
      expect(await second.now()).toMatchObject({ state: "PENDING", dependency: "singleton(unfulfilled)" });
      expect((await first.now()).submitAt).toBeGreaterThan(submitAt);
      await second.scancel();
    },
  ),

  longStory(
    ["2.8 held dependents"],
    "a held dependent is looked at once a minute: fulfilled, it shows nothing more; failed, its hold is an administrator's",
    async (world) => {
      const args = ["--job-name=held-chain", "--dependency=singleton"];
      const parent = await submitted(world, { does: "run", args }, { state: "RUNNING" });
      const ok = await dependent(world, `afterok:${parent.jobId}`, "--hold");
      const killed = await dependent(world, `afterok:${parent.jobId}`, "--hold", "--kill-on-invalid-dep=yes");
      const any = await dependent(world, `afterany:${parent.jobId}`, "--hold");
      const second = await waiting(world, ...args);
      const third = await waiting(world, ...args);
      await parent.scancel();
      await parent.until({ state: "CANCELLED" });

      const failed = { dependency: `afterok:${parent.jobId}(failed)` };
      await ok.until({ ...held, ...failed, reason: "JobHeldAdmin" }, lookedAtWithinMs);
      expect(await ok.holdReason()).toBe("admin");
      expect(await killed.now()).toMatchObject({ state: "CANCELLED", ...failed, reason: "DependencyNeverSatisfied" });
      for (const job of [any, second]) {
        expect(await job.now()).toMatchObject({ ...held, reason: "JobHeldUser" });
        expect(await job.now()).not.toHaveProperty("dependency");
      }
      // The second still comes before it, held or not.
      expect(await third.now()).toMatchObject({ ...held, dependency: "singleton(unfulfilled)" });
      expect(await second.update(["Dependency=singleton"])).toBe("0");
      expect(await second.now()).toMatchObject({ ...held, dependency: "singleton(unfulfilled)" });
      for (const job of [ok, any, second, third]) await job.scancel();
    },
  ),

  story(
    ["2.8 repair"],
    "a lost afterok that is set again once its parent is requeued: judged anew, and the dependent runs after the second run",
    async (world) => {
      const parent = await submitted(world, { does: "fail", afterSeconds: 2 });
      const child = await dependent(world, `afterok:${parent.jobId}`);
      await child.until({ reason: "DependencyNeverSatisfied" }, decidedWithinMs);
      await parent.apply({ kind: "requeue-hold", isRunning: false });
      await parent.until({ ...held, restartCount: 1 });
      const dependency = `afterok:${parent.jobId}`;
      expect(await child.apply({ kind: "repair-dependency", dependency })).toEqual({ kind: "done" });
      expect(await child.now()).toMatchObject({ dependency: `${dependency}(unfulfilled)` });
      await parent.apply({ kind: "release" });
      await parent.until({ state: "FAILED", restartCount: 1 });
      await child.until({ reason: "DependencyNeverSatisfied", dependency: `${dependency}(failed)` }, decidedWithinMs);
      await child.scancel();
    },
  ),

  story(
    ["2.8 array dependents"],
    "of an array: aftercorr waits task by task and can be set again; afterok of the whole remembers a task that failed",
    async (world) => {
      const array = await world.submit({ does: "fail", afterSeconds: 2, args: ["--array=0-1", "--nodes=1"] });
      const dependents = await world.submit({ does: "run", args: ["--array=0-1", `--dependency=aftercorr:${array}`] });
      const whole = await dependent(world, `afterok:${array}`);
      expect(await whole.now()).toMatchObject({ dependency: `afterok:${array}_*(unfulfilled)` });
      const [task, corresponding] = [new ContractJob(world, `${array}_1`), new ContractJob(world, `${dependents}_1`)];
      await task.until({ state: "FAILED" });
      const lost = { reason: "DependencyNeverSatisfied", dependency: `aftercorr:${array}_*(failed)` };
      await corresponding.until({ state: "PENDING", ...lost }, decidedWithinMs);
      await whole.until({ dependency: `afterok:${array}_*(failed)` }, decidedWithinMs);
      await task.apply({ kind: "requeue-hold", isRunning: false });
      await task.until({ ...held, restartCount: 1 });
      const again = { kind: "repair-dependency", dependency: `aftercorr:${array}` } as const;
      expect(await corresponding.apply(again)).toEqual({ kind: "done" });
      expect(await corresponding.now()).toMatchObject({ dependency: `aftercorr:${array}_*(unfulfilled)` });
      expect(await new ContractJob(world, `${dependents}_0`).now()).toMatchObject(lost);
      for (const job of [dependents, whole.jobId]) await new ContractJob(world, job).scancel();
      await task.scancel();
    },
  ),

  story(
    ["2.8 repair"],
    "a dependency on a job that is not there is taken, and dropped once it is released and looked at",
    async (world) => {
      const job = await submitted(world, { does: "run", args: ["--hold"] }, held);
      expect(await job.update(["Dependency=nonsense"])).toBe("1 Job dependency problem for job N");
      expect(await job.update(["Dependency=afterok:999999"])).toBe("0");
      expect(await job.now()).toMatchObject({ ...held, dependency: "afterok:999999(unfulfilled)" });
      await job.apply({ kind: "release" });
      expect(await job.until({ state: "RUNNING" })).not.toHaveProperty("dependency");
      await job.scancel();
    },
  ),
];
