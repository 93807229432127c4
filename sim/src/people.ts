/**
 * people: users and operators who act at the same moment as we.
 *
 * Keeps   an owner acts on his own jobs; `op` is an operator; nobody here is root, which is us.
 */
import type { OverrideAction } from "@reprise/core/override/override.ts";
import type { Lots } from "./chance.ts";
import { order, orderCluster, orderOn } from "./orders.ts";
import type { JobTruth } from "./slurm/sim-slurm.ts";
import { cluster } from "./roles.ts";
import type { PeopleAct } from "./spec.ts";
import type { World } from "./world.ts";

export const operator = "op";

/** What is about no job: its own way of being done. */
const ofCluster = {
  "kill-switch": killSwitch,
  drain: (world, of) => takeNode(world, of, "DRAIN"),
  "node-down": (world, of) => takeNode(world, of, "DOWN"),
  "order-observe": (world, of) => orderForAWhile(world, of, "mode observe"),
  "order-fewer-partitions": (world, of) =>
    orderForAWhile(world, of, `mode act ${of.pick(world.spec.reprise.partitions)}`),
  "order-stop": (world, of) => orderForAWhile(world, of, "stop"),
  "clear-node": clearNode,
} as const satisfies Partial<Record<PeopleAct, (world: World, of: Lots) => void>>;

export const isOfCluster = (what: PeopleAct): what is keyof typeof ofCluster => what in ofCluster;

/** @param jobId  Whose job. Absent: one by lot. */
export function act(world: World, of: Lots, what: PeopleAct, jobId?: string): void {
  if (isOfCluster(what)) {
    world.fault(`people: ${what}`);
    return ofCluster[what](world, of);
  }
  const jobs = world.slurm.jobs();
  // Those that recovery is busy with are the interesting ones.
  const busy = jobs.filter((j) => j.restartCount > 0 || j.state === "FAILED" || j.state === "COMPLETING");
  const candidates = busy.length > 0 && of.yes(0.7) ? busy : jobs;
  if (candidates.length === 0) return;
  world.fault(`people: ${what}`);
  actOn(world, of, what, jobs.find((j) => j.jobId === jobId) ?? of.pick(candidates));
}

function killSwitch({ hosts, diary, clock }: World, of: Lots): void {
  const { disk } = hosts[0]!;
  diary.write(operator, "turns the kill switch on");
  disk.isKillSwitchOn = true;
  clock.after(of.spread(10_000, 1_200_000), () => {
    disk.isKillSwitchOn = false;
  });
}

function takeNode({ spec, slurm, clock }: World, of: Lots, state: "DRAIN" | "DOWN"): void {
  const node = of.pick(spec.nodes).name;
  slurm.type(operator, "scontrol", "update", `NodeName=${node}`, `State=${state}`, "Reason=people");
  clock.after(of.spread(60_000, 3_600_000), () =>
    slurm.type("root", "scontrol", "update", `NodeName=${node}`, "State=RESUME"),
  );
}

/** Whether anything was repaired or not. */
function clearNode({ spec, diary, memory, serverHost }: World, of: Lots): void {
  const node = spec.lemons.length > 0 && of.yes(0.5) ? of.pick(spec.lemons) : of.pick(spec.nodes).name;
  diary.write(operator, `says that ${node} was repaired`);
  void memory.clearNode(cluster, { node, by: operator, reason: "repaired" }, serverHost.now());
}

function orderForAWhile(world: World, of: Lots, words: string): void {
  const tell = (said: string) => world.diary.write(operator, said);
  void orderCluster(world, words).then(tell);
  world.clock.after(of.spread(1_000, 1_200_000), () => void orderOn(world).then(() => tell("lets everything go on")));
}

function actOn(world: World, of: Lots, what: Exclude<PeopleAct, keyof typeof ofCluster>, job: JobTruth): void {
  const { slurm, clock } = world;
  const type = (user: string, program: "scontrol" | "scancel", ...args: string[]) => {
    slurm.type(user, program, ...args);
  };
  switch (what) {
    case "scancel":
      return type(job.user, "scancel", job.jobId);
    case "hold":
      return type(job.user, "scontrol", "hold", job.jobId);
    case "admin-hold":
      return type(operator, "scontrol", "hold", job.jobId);
    case "release":
      return type(of.pick([job.user, operator]), "scontrol", "release", job.jobId);
    case "requeue":
      return type(of.pick([job.user, operator]), "scontrol", "requeue", job.jobId);
    case "requeuehold":
      return type(of.pick([job.user, operator]), "scontrol", "requeuehold", job.jobId);
    case "update-exclude":
      return type(
        job.user,
        "scontrol",
        "update",
        `JobId=${job.jobId}`,
        `ExcNodeList=${of.yes(0.5) ? "" : of.pick(world.spec.nodes).name}`,
      );
    case "suspend":
      type(operator, "scontrol", "suspend", job.jobId);
      clock.after(of.spread(5_000, 600_000), () => slurm.type(operator, "scontrol", "resume", job.jobId));
      return;
    case "order-never":
    case "order-restart":
    case "order-withdraw":
      return void order(world, job.jobId, what.slice("order-".length) as OverrideAction).then((said) =>
        world.diary.write(operator, `${job.jobId} ${said}`),
      );
    case "edit-comment":
      return type(
        job.user,
        "scontrol",
        "update",
        `JobId=${job.jobId}`,
        'Comment={"recovery": {"auto_resume_mode": "off"}}',
      );
  }
}
