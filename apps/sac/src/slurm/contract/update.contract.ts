/** When ExcNodeList, comments and the rest may be changed (slurm.md §2.3, §2.8). */
import { expect } from "vitest";
import { ContractJob, failed, held, requeued, running, submitted, viewWith, waiting } from "../contract-world.ts";
import { story, type Story } from "./story.ts";

const tooLong = "1 Pathname of a file, directory or other parameter too long for job N";
const finished = "1 Job has already finished for job N";

export const updateStories: readonly Story[] = [
  story(
    ["2.3 pending only"],
    "exclusions, marker and dependency in one command; a list replaces, an empty one clears",
    async (world) => {
      const job = await waiting(world);
      const adminComment = '{"reprise":{"id":"x"},"o":"it\'s = ä"}';
      expect(
        await job.apply({ kind: "update-constraints", exclude: ["n1", "n2"], adminComment, dependency: "singleton" }),
      ).toEqual({ kind: "done" });
      const updated = await job.now();
      expect(updated).toMatchObject({ adminComment, dependency: expect.stringContaining("singleton") });
      expect([...updated.excludedNodes].sort()).toEqual(["n1", "n2"]);
      await job.apply({ kind: "update-constraints", exclude: ["n3"] });
      expect(await job.now()).toMatchObject({ excludedNodes: ["n3"], adminComment });
      await job.apply({ kind: "update-constraints", exclude: [] });
      expect(await job.now()).toMatchObject({ excludedNodes: [], adminComment });
    },
  ),

  story(
    ["2.3 pending only"],
    "exclusions are refused while it runs, when it has ended, and for a node that is not there",
    async (world) => {
      const update = { kind: "update-constraints", exclude: ["n1"] } as const;
      expect(await (await running(world)).apply(update)).toMatchObject({ kind: "refused", code: "no-longer-pending" });
      const over = await failed(world);
      expect(await over.apply(update)).toMatchObject({ kind: "refused", code: "already-finished" });
      expect(await over.apply({ kind: "set-start", inSeconds: 2 })).toMatchObject({
        kind: "refused",
        code: "already-finished",
      });
      const job = await waiting(world);
      expect(await job.apply({ ...update, exclude: ["nosuchnode"] })).toMatchObject({
        kind: "refused",
        code: "unknown-node",
      });
      expect(await job.now()).toMatchObject({ excludedNodes: [] });
    },
  ),

  story(["2.3 owner"], "the owner may clear our exclusion and overwrite the comment", async (world) => {
    const job = await submitted(world, { does: "fail", user: "owner", args: ["--comment=c"] }, { state: "FAILED" });
    await job.apply({ kind: "requeue-hold", isRunning: false });
    await job.apply({ kind: "update-constraints", exclude: ["n1"], adminComment: "ours" });
    expect(await job.update(["ExcNodeList=", "Comment=d"], "owner")).toBe("0");
    expect(await job.now()).toMatchObject({ excludedNodes: [], comment: "d", adminComment: "ours" });
    expect(await job.update(["AdminComment=his"], "owner")).toBe("1 Access/permission denied for job N");
  }),

  story(
    ["2.3 bad constraints"],
    "with too few nodes left: BadConstraints and priority 0; a shorter list mends it without a release",
    async (world) => {
      const job = await waiting(world);
      expect(await job.apply({ kind: "update-constraints", exclude: ["n1", "n2", "n3"] })).toEqual({ kind: "done" });
      expect(await job.apply({ kind: "release" })).toEqual({ kind: "done" });
      await job.until({ ...held, reason: "BadConstraints" });
      expect(await job.holdReason()).toBe("other");
      await job.apply({ kind: "update-constraints", exclude: ["n1", "n2"] });
      expect(await job.until({ state: "RUNNING" })).toMatchObject({ nodes: ["n3"] });
    },
  ),

  story(
    ["2.3 bad constraints"],
    "inside the delay too few nodes do not show: BadConstraints comes at its end",
    async (world) => {
      const job = await requeued(world);
      await job.apply({ kind: "update-constraints", exclude: ["n1", "n2", "n3"] });
      await job.apply({ kind: "release" });
      await job.until({ reason: "BeginTime" });
      expect((await job.now()).priority).toBeGreaterThan(0);
      await job.until({ ...held, reason: "BadConstraints" });
    },
  ),

  story(["2.3 comment"], "a comment: 1024 bytes, kept byte for byte, and not after the end", async (world) => {
    const job = await running(world);
    const text = '{"a": "b=c \'d\'", "e": "ä"}\n   JobState=RUNNING';
    expect(await job.update([`Comment=${text}`])).toBe("0");
    expect(await job.now()).toMatchObject({ comment: text });
    expect(await job.update([`Comment=${"x".repeat(1024)}`])).toBe("0");
    expect(await job.update([`Comment=${"x".repeat(1025)}`])).toBe(tooLong);
    expect((await job.now()).comment).toHaveLength(1024);
    expect(await (await failed(world)).update(["Comment=x"])).toBe(finished);
  }),

  story(
    ["2.3 admin comment", "2.8 mark"],
    "a mark: taken by a running job, 65 000 bytes, survives the requeue, refused by an ended one",
    async (world) => {
      const job = await running(world);
      expect(await job.apply({ kind: "mark", adminComment: '{"a":1}' })).toEqual({ kind: "done" });
      await job.apply({ kind: "requeue-hold", isRunning: true });
      await job.until({ ...held, adminComment: '{"a":1}' });
      expect(await job.update([`AdminComment=${"x".repeat(65_000)}`])).toBe("0");
      expect((await job.now()).adminComment).toHaveLength(65_000);
      const refused = { kind: "refused", code: "already-finished" };
      expect(await (await failed(world)).apply({ kind: "mark", adminComment: "{}" })).toMatchObject(refused);
    },
  ),

  story(["2.3 system comment"], "a key that scontrol does not know is refused", async (world) => {
    const job = await waiting(world);
    const words = "1 Update of this parameter is not supported: SystemComment=x\nRequest aborted";
    expect(await job.update(["SystemComment=x"])).toBe(words);
  }),

  story(["2.3 not atomic"], "a refused priority or dependency leaves the rest of the update applied", async (world) => {
    const job = await waiting(world);
    const words = "1 Job is in held state, pending scheduler release for job N";
    expect(await job.update(["ExcNodeList=n1", "Comment=c", "Priority=1000"])).toBe(words);
    expect(await job.now()).toMatchObject({ ...held, excludedNodes: ["n1"], comment: "c" });
    const update = { kind: "update-constraints", exclude: ["n2"], dependency: `afterok:${job.jobId}` } as const;
    expect(await job.apply(update)).toMatchObject({ kind: "refused", code: "bad-dependency" });
    expect(await job.now()).toMatchObject({ excludedNodes: ["n2"] });
    expect(await job.update(["Comment=never", "ExcNodeList=nosuchnode"])).toBe(
      "1 Invalid node name specified for job N",
    );
    expect(await job.now()).toMatchObject({ comment: "c", excludedNodes: ["n2"] });
  }),

  story(
    ["2.3 split off", "2.8 tasks"],
    "an update of a task that has not started gives it a record of its own",
    async (world) => {
      const arrayId = await world.submit({ does: "run", args: ["--hold", "--array=0-3"] });
      const [task, sibling] = [new ContractJob(world, `${arrayId}_2`), new ContractJob(world, `${arrayId}_1`)];
      expect(await task.now()).toMatchObject({ ...held, recordId: arrayId, arrayJobId: arrayId, arrayTaskId: "2" });
      expect(await task.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
      const split = await task.now();
      expect(split).toMatchObject({ ...held, excludedNodes: ["n1"] });
      expect(split.recordId).not.toBe(arrayId);
      expect(await sibling.now()).toMatchObject({ ...held, excludedNodes: [], recordId: arrayId });
      await task.apply({ kind: "release" });
      await task.until({ state: "RUNNING" });
      expect(await sibling.now()).toMatchObject(held);
      expect(await task.holdReason()).toBe("none");
      expect(await sibling.holdReason()).toBe("user");
    },
  ),

  story(["2.3 comment"], "a user's text is read as he wrote it, and never as a row", async (world) => {
    const comment = '{"recovery":\n  {"auto_resume_mode":"requeue"}, "ä": "a=b \'"}';
    const forgery = "\x1f\x1e\n1\x1f1\x1fN/A\x1fFAILED";
    const honest = await waiting(world, `--comment=${comment}`, "--job-name=two words\nand a line");
    const forger = await waiting(world, `--comment=${forgery}`);
    const view = await world.until("both are seen", () => viewWith(world, forger.jobId));
    expect(view.jobs.get(honest.jobId)).toMatchObject({ comment, name: "two words\nand a line", ...held });
    expect(view.jobs.get(forger.jobId)).toMatchObject({ comment: forgery, ...held });
    expect(view.unreadable.size).toBe(0);
  }),
];
