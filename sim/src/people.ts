/**
 * people: users and operators who act at the same moment as we.
 *
 * Keeps   an owner acts on his own jobs; `op` is an operator; nobody here is root, which is us.
 */
import type { OverrideAction } from "@reprise/core/override/override.ts";
import type { Lots } from "./chance.ts";
import { order } from "./orders.ts";
import type { PeopleAct } from "./spec.ts";
import type { World } from "./world.ts";

export const operator = "op";

/** @param jobId  Whose job. Absent: one by lot. */
export function act(world: World, of: Lots, what: PeopleAct, jobId?: string): void {
  const jobs = world.slurm.jobs();
  const { hosts, slurm, clock } = world;
  if (what === "kill-switch") {
    const { disk } = hosts[0]!;
    world.fault("people: kill-switch");
    world.diary.write(operator, "turns the kill switch on");
    disk.isKillSwitchOn = true;
    clock.after(of.spread(10_000, 1_200_000), () => {
      disk.isKillSwitchOn = false;
    });
    return;
  }
  if (what === "drain" || what === "node-down") {
    const node = of.pick(world.spec.nodes).name;
    world.fault(`people: ${what}`);
    slurm.type(
      operator,
      "scontrol",
      "update",
      `NodeName=${node}`,
      `State=${what === "drain" ? "DRAIN" : "DOWN"}`,
      "Reason=people",
    );
    clock.after(of.spread(60_000, 3_600_000), () =>
      slurm.type("root", "scontrol", "update", `NodeName=${node}`, "State=RESUME"),
    );
    return;
  }
  // Those that recovery is busy with are the interesting ones.
  const busy = jobs.filter((j) => j.restartCount > 0 || j.state === "FAILED" || j.state === "COMPLETING");
  const candidates = busy.length > 0 && of.yes(0.7) ? busy : jobs;
  if (candidates.length === 0) return;
  const job = jobs.find((j) => j.jobId === jobId) ?? of.pick(candidates);
  world.fault(`people: ${what}`);
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
