/**
 * slurm.contract: what every body of `Slurm` must do; a simulated one is trusted because it passes what the real one passes.
 *
 * Takes   a `World`: a cluster of at least two nodes with nobody else in it, and a person who uses it beside us.
 * Source  slurm.md §2 and slurm-new.md §2; each story was first seen on a real 22.05.8.
 */
import type { SlurmJob } from "@reprise/core/nouns.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { ContractJob, type JobSpec, viewWith, type World } from "./contract-world.ts";
import type { Command, Expected } from "./slurm.ts";

export function slurmContract(name: string, makeWorld: () => Promise<World>): void {
  describe(`${name} keeps the contract of Slurm`, () => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld();
    });
    const at = (jobId: string) => new ContractJob(world, jobId);
    const submitted = async (spec: JobSpec, until?: Partial<SlurmJob>) => {
      const job = at(await world.submit(spec));
      await job.until(until ?? {});
      return job;
    };
    const held = { state: "PENDING", priority: 0 };
    const failed = () => submitted({ does: "fail" }, { state: "FAILED" });
    const running = () => submitted({ does: "run" }, { state: "RUNNING" });

    describe("requeue-hold", () => {
      test("of a failed job: pending, held, counted; its attempt is named by a new submit time", async () => {
        const job = await failed();
        const before = await job.now();
        expect(before).toMatchObject({ exitCode: 7, signal: 0, restartCount: 0, endAt: expect.any(Number) });
        expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
        const after = await job.until({ ...held, restartCount: 1 });
        expect(after).toMatchObject({ jobId: before.jobId, exitCode: 7, nodes: [] });
        expect(after.submitAt).toBeGreaterThanOrEqual(before.endAt ?? 0);
        expect(await job.holdReason()).toBe("user");
      });

      test("of a running job, by Incomplete: stopped, then pending and held", async () => {
        const job = await running();
        expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
        await job.until({ ...held, restartCount: 1 });
      });

      test("of a suspended job the same", async () => {
        const job = await running();
        await world.admin("scontrol", "suspend", job.jobId);
        await job.until({ state: "SUSPENDED" });
        expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
        await job.until({ ...held, restartCount: 1 });
      });

      test("by Incomplete, of a job that has ended: done, and nothing happens", async () => {
        for (const job of [await failed(), await submitted({ does: "complete" }, { state: "COMPLETED" })]) {
          const { state } = await job.now();
          expect(await job.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
          expect(await job.now()).toMatchObject({ state, restartCount: 0 });
        }
      });

      test("of a completed or a cancelled job is accepted: only we can refuse it", async () => {
        const completed = await submitted({ does: "complete" }, { state: "COMPLETED" });
        const cancelled = await running();
        await world.admin("scancel", cancelled.jobId);
        await cancelled.until({ state: "CANCELLED" });
        for (const job of [completed, cancelled]) {
          expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toEqual({ kind: "done" });
          await job.until({ ...held, restartCount: 1 });
        }
      });

      test("of a pending job is refused: twice is once", async () => {
        const job = await failed();
        await job.apply({ kind: "requeue-hold", isRunning: false });
        await job.until(held);
        expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({
          kind: "refused",
          code: "pending",
        });
        expect(await job.now()).toMatchObject({ restartCount: 1 });
      });

      test("of a job that may not be requeued is refused", async () => {
        const job = await submitted({ does: "fail", args: ["--no-requeue"] }, { state: "FAILED", requeueable: false });
        expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({
          kind: "refused",
          code: "requeue-disabled",
        });
      });

      test("of one task leaves its siblings alone", async () => {
        const arrayId = await world.submit({ does: "run", args: ["--array=0-1"] });
        const [task, sibling] = [at(`${arrayId}_0`), at(`${arrayId}_1`)];
        await sibling.until({ state: "RUNNING", arrayJobId: arrayId, arrayTaskId: "1" });
        await task.until({ state: "RUNNING" });
        expect(await task.apply({ kind: "requeue-hold", isRunning: true })).toEqual({ kind: "done" });
        await task.until({ ...held, restartCount: 1 });
        expect(await task.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({
          kind: "refused",
          code: "pending",
        });
        expect(await sibling.now()).toMatchObject({ state: "RUNNING", restartCount: 0 });
      });

      test("of a job that Slurm does not know", async () => {
        const gone = at("999999");
        const fence = { jobId: "999999", restartCount: 0, submitAt: 0, states: ["FAILED"] };
        expect(await gone.apply({ kind: "requeue-hold", isRunning: false }, fence)).toMatchObject({
          kind: "refused",
          code: "gone",
        });
        expect(await gone.holdReason()).toBeUndefined();
      });
    });

    describe("look", () => {
      test("a user's text is read as he wrote it, and never as a row", async () => {
        const comment = '{"recovery":\n  {"auto_resume_mode":"requeue"}, "ä": "a=b \'"}';
        const forgery = "\x1f\x1e\n1\x1f1\x1fN/A\x1fFAILED";
        const honest = await submitted({
          does: "run",
          args: ["--hold", `--comment=${comment}`, "--job-name=two words\nand a line"],
        });
        const forger = await world.submit({ does: "run", args: ["--hold", `--comment=${forgery}`] });
        const view = await world.until("both are seen", () => viewWith(world, honest.jobId));
        expect(view.jobs.get(honest.jobId)).toMatchObject({ comment, name: "two words\nand a line", ...held });
        expect(view.jobs.get(forger)).toMatchObject({ comment: forgery, ...held });
        expect(view.unreadable.size).toBe(0);
      });

      test("a node that is drained is not eligible, and is again when it is resumed", async () => {
        const job = await submitted({ does: "run", args: ["--hold"] });
        const [name = ""] = (await job.view()).nodes.keys();
        const isEligible = (now: boolean) =>
          world.until(
            `${name} is eligible: ${now}`,
            async () => (await job.view()).nodes.get(name)?.isEligible === now,
          );
        await isEligible(true);
        await world.admin("scontrol", "update", `NodeName=${name}`, "State=DRAIN", "Reason=contract");
        await isEligible(false);
        await world.admin("scontrol", "update", `NodeName=${name}`, "State=RESUME");
        await isEligible(true);
      });
    });

    describe("update-constraints", () => {
      test("of a held job: exclusions, marker and dependency in one command; an empty list clears", async () => {
        const job = await submitted({ does: "run", args: ["--hold"] });
        const nodes = [...(await job.view()).nodes.keys()].slice(0, 2);
        const adminComment = '{"reprise":{"id":"x"},"o":"it\'s = ä"}';
        expect(
          await job.apply({ kind: "update-constraints", exclude: nodes, adminComment, dependency: "singleton" }),
        ).toEqual({ kind: "done" });
        const updated = await job.now();
        expect(updated).toMatchObject({ adminComment, dependency: expect.stringContaining("singleton") });
        expect([...updated.excludedNodes].sort()).toEqual([...nodes].sort());
        expect(await job.apply({ kind: "update-constraints", exclude: [] })).toEqual({ kind: "done" });
        expect(await job.now()).toMatchObject({ excludedNodes: [], adminComment });
      });

      test("is refused while it runs, when it has ended, and for a node that is not there", async () => {
        const update = (exclude: string[]): Command => ({ kind: "update-constraints", exclude });
        const [node = ""] = (await (await running()).view()).nodes.keys();
        expect(await (await running()).apply(update([node]))).toMatchObject({
          kind: "refused",
          code: "no-longer-pending",
        });
        expect(await (await failed()).apply(update([node]))).toMatchObject({
          kind: "refused",
          code: "already-finished",
        });
        const job = await submitted({ does: "run", args: ["--hold"] });
        expect(await job.apply(update(["nosuchnode"]))).toMatchObject({ kind: "refused", code: "unknown-node" });
        expect(await job.now()).toMatchObject({ excludedNodes: [] });
      });

      test("a mark is taken by a running job, refused by an ended one, and survives the requeue", async () => {
        const job = await running();
        expect(await job.apply({ kind: "mark", adminComment: '{"a":1}' })).toEqual({ kind: "done" });
        await job.apply({ kind: "requeue-hold", isRunning: true });
        await job.until({ ...held, adminComment: '{"a":1}' });
        expect(await (await failed()).apply({ kind: "mark", adminComment: "{}" })).toMatchObject({
          kind: "refused",
          code: "already-finished",
        });
      });
    });

    describe("release, set-start, cancel", () => {
      test("a release may be sent twice; then it runs", async () => {
        const job = await submitted({ does: "run", args: ["--hold"] }, held);
        expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
        expect(
          await job.apply({ kind: "release" }, { ...(await job.expected()), states: ["PENDING", "RUNNING"] }),
        ).toMatchObject({ kind: "done" });
        await job.until({ state: "RUNNING" });
        expect(await job.holdReason()).toBe("none");
      });

      test("a start time moves the start", async () => {
        const job = await running();
        await job.apply({ kind: "requeue-hold", isRunning: true });
        await job.until(held);
        await job.apply({ kind: "release" });
        expect(await job.apply({ kind: "set-start", inSeconds: 600 })).toEqual({ kind: "done" });
        const { startAt = 0, submitAt } = await job.now();
        expect(startAt - submitAt).toBeGreaterThan(590_000);
        expect(await job.apply({ kind: "set-start", inSeconds: 2 })).toEqual({ kind: "done" });
        await job.until({ state: "RUNNING", restartCount: 1 });
      });

      test("a cancel ends it; a cancel of what is over says nothing", async () => {
        const job = await running();
        expect(await job.apply({ kind: "cancel" })).toEqual({ kind: "done" });
        await job.until({ state: "CANCELLED" });
        expect(await job.apply({ kind: "cancel" })).toEqual({ kind: "done" });
      });

      test("an administrator's hold over ours shows only in the reason", async () => {
        const job = await failed();
        await job.apply({ kind: "requeue-hold", isRunning: false });
        await job.until(held);
        await world.admin("scontrol", "hold", job.jobId);
        expect(await job.now()).toMatchObject({ reason: "job requeued in held state" });
        expect(await job.holdReason()).toBe("admin");
      });
    });

    describe("what must be true for a command to be sent", () => {
      test("not when the count, the submit time or the state has moved", async () => {
        const job = await failed();
        const expected = await job.expected();
        const moved: Expected[] = [
          { ...expected, restartCount: 1 },
          { ...expected, submitAt: expected.submitAt + 1_000 },
          { ...expected, states: ["RUNNING"] },
        ];
        for (const other of moved)
          expect(await job.apply({ kind: "requeue-hold", isRunning: false }, other)).toMatchObject({ kind: "moved" });
        expect(await job.now()).toMatchObject({ state: "FAILED", restartCount: 0 });
      });

      test("a lost answer is unknown, and what it did is seen", async () => {
        const job = await failed();
        world.loseNextAnswer();
        expect(await job.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject({ kind: "unknown" });
        await job.until({ ...held, restartCount: 1 });
      });

      test("a controller that does not answer: the view is unavailable, nothing is sent", async () => {
        const job = await failed();
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
      });
    });
  });
}
