/** Nodes that are lost, drained, or fail a start; and which partition a job shows (slurm.md §2.4, §2.8). */
import { expect } from "vitest";
import { delayOf, delaysMs, held, running, submitted, type World } from "../contract-world.ts";
import { story, storyOfForgetful, type Story } from "./story.ts";

/** Each the only node of its partition (`broken`, `prolog`), and of one story. */
const [brokenNode, prologNode] = ["n6", "n8"];

async function resume(world: World, node: string): Promise<void> {
  await world.until(`${node} is eligible`, async () => {
    await world.type("root", "scontrol", "update", `NodeName=${node}`, "State=RESUME");
    const seen = await world.slurm.look();
    return seen.kind === "seen" && seen.value.nodes.get(node)?.isEligible;
  });
}

export const nodeStories: readonly Story[] = [
  story(
    [
      "2.4 node down",
      "2.4 node down for good",
      "2.4 node down completing",
      "2.4 hold in the window",
      "2.8 lost node",
      "2.2 node fail",
    ],
    "a node that is lost: Slurm requeues what may be, by itself; exclusions are taken inside the delay, with or without a hold",
    async (world) => {
      const here = (...args: string[]) =>
        submitted(world, { does: "run", args: ["--partition=broken", ...args] }, { state: "RUNNING" });
      const [job, other, forGood] = [await here(), await here(), await here("--no-requeue")];
      const args = ["--partition=broken"];
      const leaving = await submitted(world, { does: "trap", args }, { state: "RUNNING" });
      await leaving.scancel();
      await leaving.until({ state: "COMPLETING" });
      await world.nodeLost(brokenNode);
      await leaving.until({ state: "CANCELLED", restartCount: 0 });
      const requeued = await job.until({ state: "PENDING", restartCount: 1 });
      expect(requeued).toMatchObject({ nodes: [] });
      expect(requeued.priority).toBeGreaterThan(0);
      expect(delaysMs).toContain(delayOf(requeued));
      expect(await job.apply({ kind: "update-constraints", exclude: ["n1"] })).toEqual({ kind: "done" });
      await other.until({ state: "PENDING", restartCount: 1 });
      expect(await other.scontrol("hold")).toBe("0");
      expect(await other.update(["ExcNodeList=n1"])).toBe("0");
      expect(await other.scontrol("release")).toBe("0");
      expect(await other.now()).toMatchObject({ state: "PENDING", excludedNodes: ["n1"] });
      expect(await forGood.until({ state: "NODE_FAIL" })).toMatchObject({ reason: "NodeDown", restartCount: 0 });
      const refused = { kind: "refused", code: "requeue-disabled" };
      expect(await forGood.apply({ kind: "requeue-hold", isRunning: false })).toMatchObject(refused);
      for (const one of [job, other]) await one.scancel();
      await world.nodeBack(brokenNode);
      await resume(world, brokenNode);
      expect((await forGood.view()).nodes.get(brokenNode)).toMatchObject({ state: "idle" });
    },
  ),

  story(
    ["2.4 prolog"],
    "a prolog that fails: the node is drained, the job held and counted; released, it runs once the node is resumed",
    async (world) => {
      world.failProlog(prologNode);
      const launched = await submitted(
        world,
        { does: "run", args: ["--partition=prolog"] },
        { ...held, restartCount: 1 },
      );
      expect(await launched.now()).toMatchObject({ reason: "launch failed requeued held", nodes: [], exitCode: 0 });
      expect(await launched.holdReason()).toBe("user");
      expect((await launched.view()).nodes.get(prologNode)).toMatchObject({ state: "drained", isEligible: false });
      await resume(world, prologNode);
      expect(await launched.apply({ kind: "release" })).toEqual({ kind: "done" });
      await launched.until({ state: "RUNNING", restartCount: 1 });
      await launched.scancel();
    },
  ),

  storyOfForgetful(
    ["2.4 prolog no hold"],
    "a failed prolog that does not hold: pending for its delay",
    async (world) => {
      world.failProlog(prologNode);
      const job = await submitted(
        world,
        { does: "run", args: ["--partition=prolog"] },
        { state: "PENDING", restartCount: 1 },
      );
      expect((await job.now()).priority).toBeGreaterThan(0);
      await job.until({ reason: "BeginTime" });
      await job.scancel();
    },
  ),

  story(
    ["2.4 drain"],
    "a job on a drained node goes on and ends in its own state; the next waits until the node is resumed",
    async (world) => {
      const args = ["--partition=drained"];
      const job = await submitted(world, { does: "fail", afterSeconds: 3, args }, { state: "RUNNING" });
      const isEligible = (now: boolean) =>
        world.until(`n7 is eligible: ${now}`, async () => (await job.view()).nodes.get("n7")?.isEligible === now);
      await isEligible(true);
      await world.type("root", "scontrol", "update", "NodeName=n7", "State=DRAIN", "Reason=contract");
      await isEligible(false);
      const next = await submitted(world, { does: "complete", args });
      await job.until({ state: "FAILED", exitCode: 7, restartCount: 0 });
      expect(await next.now()).toMatchObject({ state: "PENDING", restartCount: 0 });
      expect((await next.now()).priority).toBeGreaterThan(0);
      await world.type("root", "scontrol", "update", "NodeName=n7", "State=RESUME");
      await isEligible(true);
      await next.until({ state: "COMPLETED" });
    },
  ),

  story(
    ["2.8 partitions"],
    "of several partitions it shows the one it got, and all again after the requeue",
    async (world) => {
      const job = await running(world, "--partition=drained,gpu");
      expect(["drained", "gpu"]).toContain((await job.now()).partition);
      await job.apply({ kind: "requeue-hold", isRunning: true });
      expect((await job.until({ ...held, restartCount: 1 })).partition.split(",").sort()).toEqual(["drained", "gpu"]);
    },
  ),
];
