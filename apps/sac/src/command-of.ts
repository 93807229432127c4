/**
 * command-of: a planned step as a command, and what must be true of the job for it to be sent.
 *
 * In the loop   plan → **command, expected** → apply
 * Pure, total
 * Keeps         invariant 4: every command names the attempt (count, submit time), the states it was planned for, and what else its
 *               plan depended on: whether the job was held, and its exclusions.
 */
import { isLeader } from "@reprise/core/fact/heterogeneous.ts";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Step } from "@reprise/core/plan/step.ts";
import { mergeMarker } from "./slurm/admin-comment.ts";
import type { Command, Expected } from "./slurm/slurm.ts";

export function commandOf(step: Step, job: SlurmJob): Command {
  switch (step.kind) {
    case "mark":
      return { kind: "mark", adminComment: mergeMarker(job.adminComment, step.marker) ?? job.adminComment };
    case "update-constraints": {
      const adminComment = step.marker === undefined ? undefined : mergeMarker(job.adminComment, step.marker);
      return {
        kind: "update-constraints",
        exclude: step.exclude,
        ...(step.dependency === undefined ? {} : { dependency: step.dependency }),
        ...(adminComment === undefined ? {} : { adminComment }),
      };
    }
    case "set-start": {
      const adminComment = step.marker === undefined ? undefined : mergeMarker(job.adminComment, step.marker);
      return { kind: "set-start", inSeconds: step.inSeconds, ...(adminComment === undefined ? {} : { adminComment }) };
    }
    case "requeue-hold":
    case "release":
    case "repair-dependency":
    case "cancel":
      return step;
  }
}

/** The plan was made for exactly this state; whatever else the child sees is for the next plan. */
export function expectedOf(step: Step, job: SlurmJob): Expected {
  const { jobId, restartCount, submitAt, state, priority, excludedNodes, sluid } = job;
  const states = step.kind === "requeue-hold" && step.isRunning ? ["RUNNING", "SUSPENDED"] : [state];
  const endsHeld = step.kind === "cancel" && priority === 0;
  const dependsOnHold =
    step.kind === "requeue-hold" || step.kind === "release" || step.kind === "set-start" || endsHeld;
  const dependsOnExclusions = step.kind === "release" || step.kind === "update-constraints";
  return {
    jobId,
    restartCount,
    submitAt,
    states,
    ...(sluid === undefined ? {} : { sluid }),
    ...(isLeader(job) ? { isHetLeader: true } : {}),
    ...(dependsOnHold ? { isHeld: priority === 0 } : {}),
    ...(dependsOnExclusions ? { excludedNodes } : {}),
  };
}
