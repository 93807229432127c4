/**
 * passGate: asks the gate for one step, and tells of a no: to the server as a status, to the audit trail once, and what held it back.
 *
 * In the loop   plan → **gate** → begin → apply
 */
import type { BrakeKind } from "@reprise/core/mode/cluster-orders.ts";
import type { Seen } from "@reprise/core/nouns.ts";
import { type Act, mayHaveActed } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { mayTake } from "../gate.ts";
import type { Pass } from "../slurm/slurm.ts";
import { holdsStill } from "../standing.ts";
import type { Parts, State } from "../state.ts";
import { reportStatus } from "./report-status.ts";

/** @param view What the step was planned from. */
export async function passGate(parts: Parts, state: State, work: Work, next: Act, view: Seen<Pass>): Promise<boolean> {
  const now = parts.clock.now();
  const steps = parts.journal.stepsOf(work.heimdallJobId);
  const isRequeuedByUs = steps.some((step) => step.action === "requeue-hold" && mayHaveActed(step));
  const isHoldOpen = view.kind === "seen" && holdsStill(parts, state, work, view);
  const facts = { ...parts.gateFacts(state), isRequeuedByUs, isHoldOpen };
  const permission = mayTake(next.step, work, next.job, facts, now);
  if (permission.isGiven) return true;
  if (permission.brake !== undefined) noteBrake(state, permission.brake, work);
  const key = `gate:${work.heimdallJobId}:${work.generation}:${next.step.kind}:${permission.why}`;
  if (state.refused.has(key)) return false;
  state.refused.set(key, {
    key,
    action: "refused-by-gate",
    work,
    begunAt: now,
    detail: `${next.step.kind}: ${permission.why}`,
  });
  const message = `${permission.why}; would have been done: ${next.why}`;
  if (!(await reportStatus(parts, work, { disposition: "PENDING", reason: "OBSERVE_MODE", message })))
    state.refused.delete(key);
  return false;
}

function noteBrake({ bitten }: State, brake: BrakeKind, { heimdallJobId }: Work): void {
  bitten.set(brake, (bitten.get(brake) ?? new Set()).add(heimdallJobId));
}
