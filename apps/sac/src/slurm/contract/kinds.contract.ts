/** What a job was submitted with, over its requeue: exclusions of its owner, a begin time, a license, a reservation, features (slurm.md §2.8). */
import { expect } from "vitest";
import { clusterOfStories, delayOf, delaysMs, held, submitted, type ContractJob } from "../contract-world.ts";
import { story, type Story } from "./story.ts";

const { license, reservation, features } = clusterOfStories;

async function requeuedHeld(job: ContractJob): Promise<void> {
  await job.apply({ kind: "requeue-hold", isRunning: false });
  await job.until({ ...held, restartCount: 1 });
}

export const kindStories: readonly Story[] = [
  story(
    ["2.8 own exclusions"],
    "what its owner excludes stays over the requeue; with ours beside it, it runs on neither",
    async (world) => {
      const job = await submitted(world, { does: "fail", args: ["--exclude=n1"] }, { state: "FAILED" });
      await requeuedHeld(job);
      expect(await job.now()).toMatchObject({ excludedNodes: ["n1"] });
      await job.apply({ kind: "update-constraints", exclude: ["n1", "n2"] });
      await job.apply({ kind: "release" });
      const again = await job.until({ state: "FAILED", restartCount: 1 });
      expect(again.nodes).toEqual(["n3"]);
      expect([...again.excludedNodes].sort()).toEqual(["n1", "n2"]);
    },
  ),

  story(["2.8 begin"], "a begin time that is over is not asked again: Slurm's delay alone counts", async (world) => {
    const job = await submitted(world, { does: "fail", args: ["--begin=now+2"] });
    await job.until({ state: "FAILED" });
    await requeuedHeld(job);
    expect(delaysMs).toContain(delayOf(await job.now()));
    await job.apply({ kind: "release" });
    await job.apply({ kind: "set-start", inSeconds: 2 });
    await job.until({ state: "FAILED", restartCount: 1 });
  }),

  story(
    ["2.8 license"],
    "its license is anybody's while it is held; released, it waits for it, and is not held",
    async (world) => {
      const args = [`--licenses=${license}:1`];
      const first = await submitted(world, { does: "fail", args }, { state: "FAILED" });
      const second = await submitted(world, { does: "run", args }, { state: "RUNNING" });
      await requeuedHeld(first);
      await first.apply({ kind: "release" });
      await first.apply({ kind: "set-start", inSeconds: 2 });
      expect((await first.until({ state: "PENDING", reason: "Licenses" })).priority).toBeGreaterThan(0);
      await second.scancel();
      await first.until({ state: "FAILED", restartCount: 1 });
    },
  ),

  story(
    ["2.8 reservation", "2.8 own exclusions"],
    "in a reservation of as many nodes as it needs, an exclusion is BadConstraints; without it, it runs there again",
    async (world) => {
      const where = [`--partition=${reservation.name}`, `--reservation=${reservation.name}`, "--nodes=2"];
      const job = await submitted(world, { does: "fail", args: where }, { state: "FAILED" });
      await requeuedHeld(job);
      const [excluded] = reservation.nodes;
      expect(await job.now()).toMatchObject({ reservation: reservation.name });
      expect((await job.view()).nodes.get(excluded)).toMatchObject({ reservations: [reservation.name] });
      // Its state says so some seconds later: until then it is as idle as any.
      await world.until(`${excluded} is reserved`, async () => {
        const node = (await job.view()).nodes.get(excluded);
        return node?.state === "reserved" && !node.isEligible;
      });
      expect((await job.view()).nodes.get("n1")).toMatchObject({ reservations: [] });
      await job.apply({ kind: "update-constraints", exclude: [excluded] });
      await job.apply({ kind: "release" });
      await job.until({ state: "PENDING", reason: "BadConstraints", priority: 0 });
      await job.apply({ kind: "update-constraints", exclude: [] });
      const again = await job.until({ state: "FAILED", restartCount: 1 });
      expect([...again.nodes].sort()).toEqual([...reservation.nodes].sort());
    },
  ),

  story(
    ["2.8 constraint"],
    "of nodes with the features that it asks for, an exclusion is BadConstraints though another is free; without it, it runs there again",
    async (world) => {
      const constraint = "rack1|rack2&rack2"; // (rack1|rack2)&rack2
      const job = await submitted(
        world,
        { does: "fail", args: ["--nodes=2", `--constraint=${constraint}`] },
        { state: "FAILED" },
      );
      expect([...(await job.now()).nodes].sort()).toEqual(["n2", "n3"]);
      await requeuedHeld(job);
      expect(await job.now()).toMatchObject({ constraint });
      const { nodes } = await job.view();
      expect(["n1", "n2", "n3"].map((name) => nodes.get(name)?.features)).toEqual(Object.values(features));
      await job.apply({ kind: "update-constraints", exclude: ["n2"] });
      await job.apply({ kind: "release" });
      await job.until({ state: "PENDING", reason: "BadConstraints", priority: 0 });
      await job.apply({ kind: "update-constraints", exclude: [] });
      const again = await job.until({ state: "FAILED", restartCount: 1 });
      expect([...again.nodes].sort()).toEqual(["n2", "n3"]);
    },
  ),

  story(
    ["2.8 hardware"],
    "the CPUs, memory and GPUs that a job asks of each node, and what nodes have, are shown as they were asked and configured",
    async (world) => {
      const args = ["--hold", "--nodes=2", "--mincpus=5", "--mem=2000", "--gpus-per-node=h100:2"];
      const job = await submitted(world, { does: "run", args }, { state: "PENDING" });
      const asked = { cpusPerNode: 5, memoryMbPerNode: 2000, gresPerNode: "gres:gpu:h100:2" };
      expect(await job.now()).toMatchObject(asked);
      const hardware = { cpus: 16, memoryMb: 64_000, gres: "gpu:h100:8" };
      expect((await job.view()).nodes.get("n1")).toMatchObject({ hardware });
      await job.scancel();
    },
  ),

  story(
    ["2.8 matching constraint", "2.8 constraint"],
    "of [rack1|rack2] all its nodes are of one rack: without one node of either it cannot be placed, though two are left",
    async (world) => {
      const args = ["--nodes=2", "--constraint=[rack1|rack2]"];
      const job = await submitted(world, { does: "fail", args }, { state: "FAILED" });
      expect([
        ["n1", "n2"],
        ["n2", "n3"],
      ]).toContainEqual([...(await job.now()).nodes].sort());
      await requeuedHeld(job);
      await job.apply({ kind: "update-constraints", exclude: ["n2"] });
      await job.apply({ kind: "release" });
      await job.until({ state: "PENDING", reason: "BadConstraints", priority: 0 });
      await job.scancel();
    },
  ),
];
