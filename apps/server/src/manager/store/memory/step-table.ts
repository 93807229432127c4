/** step-table: what SAC and the watchdog did, as their journals have it. See `postgres/step-store.ts`. */
import { type OwnEvent, stepEvents } from "../../audit/own-events.ts";
import type { StepRecord } from "../../store.ts";
import { present } from "../postgres/storable.ts";
import { at, requireWhole, type Tables } from "./tables.ts";

export function requireSteps(steps: readonly StepRecord[]): void {
  for (const step of steps) requireWhole("step", step, ["attemptIndex", "generation", "begunAt", "endedAt"]);
}

/** A step that has ended does not begin again: what its end says is kept. @returns What is new in them. */
export function saveSteps(t: Tables, steps: readonly StepRecord[]): OwnEvent[] {
  const before = new Map(steps.map(({ key }) => [key, t.steps.get(key)]));
  for (const given of steps) {
    const { key, endedAt, outcome, detail } = given;
    const known = t.steps.get(key);
    if (known?.endedAt !== undefined) continue;
    const step = known ?? rowOf(given);
    t.steps.set(key, { ...step, outcome, detail, ...present({ endedAt }) });
    at(t.stepKeys, step.heimdallJobId, () => new Set()).add(key);
  }
  return [...before].flatMap(([key, known]) => {
    const step = t.steps.get(key);
    return step === undefined ? [] : stepEvents(known, step);
  });
}

const rowOf = ({ key, heimdallJobId, jobId, attemptIndex, generation, action, begunAt }: StepRecord) => ({
  key,
  heimdallJobId: heimdallJobId.toLowerCase(),
  jobId,
  attemptIndex,
  generation,
  action,
  begunAt,
});

/** In the order in which they were begun. */
export function stepsOf(t: Tables, uuid: string): StepRecord[] {
  const steps = [...(t.stepKeys.get(uuid) ?? [])].flatMap((key) => t.steps.get(key) ?? []);
  return steps.sort((a, b) => a.begunAt - b.begunAt || (a.key < b.key ? -1 : 1));
}

/** SAC cancelled it, or may have. */
export const wasCancelled = (t: Tables, uuid: string): boolean => mayHaveDone(t, uuid, "cancel");

/** SAC requeued it, or may have: a lost answer counts, and what only a SAC without the lease can tell, since retries must end (invariant 9). */
export const wasRequeued = (t: Tables, uuid: string): boolean =>
  t.handedOver.has(uuid) || mayHaveDone(t, uuid, "requeue-hold");

const mayHaveDone = (t: Tables, uuid: string, action: string): boolean =>
  [...(t.stepKeys.get(uuid) ?? [])].some((key) => {
    const step = t.steps.get(key);
    return step !== undefined && isOrMayBeDone(step, action);
  });

/** A lost answer counts. */
export const isOrMayBeDone = (step: StepRecord, action: string): boolean =>
  step.action === action && step.outcome !== "refused" && step.outcome !== "moved";
