/**
 * own-events: what Reprise's own parts did, read out of the reports that say so.
 *
 * In the loop   report, Decision, status → **own events** → audit rows, in the same transaction
 * Takes         a report, and what was known before it.
 * Gives         the events that it adds; empty when it repeats what is known: so nothing is told twice, and nothing that was
 *               recorded is not told (docs/decisions/0015-own-audit-events-are-derived.md).
 * Pure, total
 */
import { type AuditProducer, type AuditType, levelOf } from "@reprise/core/audit/catalogue.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Brake } from "@reprise/core/mode/cluster-orders.ts";
import type { Coverage, Instant, JobStatus, JsonObject, ReconciliationStatus } from "@reprise/core/nouns.ts";
import type { PassState, SlurmRelease } from "../pass-state.ts";
import type { PassReport, SignalReport, StepRecord } from "../store.ts";
import type { AuditEvent } from "./audit-trail.ts";

/** Whose event it is. A cluster's own events are no attempt's. */
interface Attempt {
  readonly heimdallJobId: string;
  /** Empty: its publisher knows none. */
  readonly jobId: string;
  readonly attemptIndex: number;
}

export interface OwnEvent {
  readonly attempt?: Attempt;
  readonly producer: AuditProducer;
  readonly type: AuditType;
  readonly payload: JsonObject;
  readonly at: Instant;
}

const microsecondsPerMs = 1000;
/** A year far away is a mistake of its reporter, and must not lose the rest of the report. */
const microseconds = (at: Instant) => Math.min(Math.max(at, 0) * microsecondsPerMs, Number.MAX_SAFE_INTEGER);
/** An index has no room for more. */
const isName = (jobId: string) => jobId !== "" && jobId.length <= limits.workflowIdCharsMax;

export function asAuditEvent({ attempt, producer, type, payload, at }: OwnEvent): AuditEvent {
  const { heimdallJobId, jobId, attemptIndex } = attempt ?? {};
  return {
    ...(heimdallJobId === undefined ? {} : { heimdallJobId: heimdallJobId.toLowerCase() }),
    ...(jobId === undefined || attemptIndex === undefined || !isName(jobId) ? {} : { jobId, attemptIndex }),
    producer,
    type,
    level: levelOf(type),
    payload,
    producedAtUs: microseconds(at),
  };
}

interface Seen extends Attempt {
  readonly workflowId: string;
  readonly status: JobStatus;
  readonly coverage: Coverage;
}

/** @param before The attempt as it was known; absent: it is new. */
export function sightEvents(before: Pick<Seen, "coverage"> | undefined, row: Seen, at: Instant): OwnEvent[] {
  const { workflowId, status: state, coverage } = row;
  const event = (type: AuditType, payload: JsonObject): OwnEvent => ({
    attempt: row,
    producer: "job-manager",
    type,
    payload,
    at,
  });
  const seen =
    before === undefined ? [event("job.seen", { workflowId, state, covered: coverage.kind === "covered" })] : [];
  if (coverage.kind === "covered") return seen;
  const { because, position } = coverage;
  if (before?.coverage.kind === "not-covered" && before.coverage.because === because) return seen;
  return [...seen, event("job.not-covered", { because, ...(position === undefined ? {} : { position }) })];
}

/** @param recorded Those of the report that were new. @param named The attempts that are known by name. */
export function signalEvents(
  recorded: readonly SignalReport["signals"][number][],
  named: ReadonlyMap<string, Attempt>,
): OwnEvent[] {
  return recorded.map((signal) => {
    const { kind, cause = null, causeClass = null, root, nodes, evidence } = signal;
    const { path = null, offset = null } = evidence;
    return {
      attempt: named.get(signal.heimdallJobId) ?? { heimdallJobId: signal.heimdallJobId, jobId: "", attemptIndex: 0 },
      producer: "watcher",
      type: "signal.recorded",
      payload: { kind, cause, causeClass, root, nodes, path, offset },
      at: signal.at,
    };
  });
}

type Outcome = Pick<Decision, "kind" | "because">;

/** @param before The decision that was stored before. The same one about newer facts is no event. */
export function decisionEvents(
  before: Outcome | undefined,
  decision: Decision,
  attempt: Attempt,
  at: Instant,
): OwnEvent[] {
  const { kind, because, sentence } = decision;
  if (before?.kind === kind && before.because === because) return [];
  return [{ attempt, producer: "job-manager", type: "decision.made", payload: { kind, because, sentence }, at }];
}

export function statusEvents(status: ReconciliationStatus, attempt: Attempt): OwnEvent[] {
  const { disposition, observedGeneration, reason, message, observedAt: at } = status;
  if (disposition === "PENDING") return [];
  const type = disposition === "CONVERGED" ? "advice.converged" : "advice.abandoned";
  return [{ attempt, producer: "sac", type, payload: { observedGeneration, reason, message }, at }];
}

/** @param before The same step as it was stored; absent: it is new. One that has ended says no more. */
export function stepEvents(before: StepRecord | undefined, step: StepRecord): OwnEvent[] {
  const { key, action, generation, outcome, detail, begunAt, endedAt } = step;
  if (action === "refused-by-gate") {
    if (before !== undefined) return [];
    const payload = { key, generation, detail };
    return [{ attempt: step, producer: "sac", type: "step.refused-by-gate", payload, at: begunAt }];
  }
  const isWatchdogs = action === "watchdog-release";
  const event = (type: AuditType, payload: JsonObject, at: Instant): OwnEvent => ({
    attempt: step,
    producer: isWatchdogs ? "watchdog" : "sac",
    type,
    payload: { key, action, generation, ...payload },
    at,
  });
  const begun = before === undefined ? [event("step.begun", {}, begunAt)] : [];
  if (endedAt === undefined || before?.endedAt !== undefined) return begun;
  const type = isWatchdogs && outcome === "done" ? "watchdog.released" : "step.ended";
  return [...begun, event(type, { outcome, detail }, endedAt)];
}

/**
 * @param last The pass before this one; both count. @param setsMode This one says what SAC may do. (Partitions matter to who acts:
 *   two observers that were given different ones are no news at every pass.)
 */
export function passEvents(last: PassState | undefined, report: PassReport, setsMode: boolean): OwnEvent[] {
  const { cluster, takenAt: at, unavailable: why, mode, partitions } = report;
  const event = (type: AuditType, payload: JsonObject): OwnEvent => ({
    producer: "sac",
    type,
    payload: { cluster, ...payload },
    at,
  });
  const events: OwnEvent[] = [];
  if (why !== undefined && last?.unavailable === undefined) events.push(event("slurm.unavailable", { why }));
  if (why === undefined && last?.unavailable !== undefined) events.push(event("slurm.available", {}));
  const { slurm } = report;
  if (setsMode && slurm !== undefined && !isSameRelease(slurm, last?.slurm)) {
    const [versionBefore, standingBefore] = [last?.slurm?.version ?? null, last?.slurm?.standing ?? null];
    events.push(event("slurm.release-seen", { ...slurm, versionBefore, standingBefore }));
  }
  const isOther = last?.mode !== mode || (mode === "act" && last.partitions.join() !== partitions.join());
  if (setsMode && isOther) {
    const [modeBefore, partitionsBefore] = [last?.mode ?? null, last?.partitions ?? null];
    events.push(event("sac.mode-changed", { mode, partitions, modeBefore, partitionsBefore }));
  }
  if (!setsMode) return events;
  const [before, brakes] = [last?.sac?.brakes ?? [], report.sac?.brakes ?? []];
  const isIn = (list: typeof brakes, { kind }: Brake) => list.some((one) => one.kind === kind);
  for (const brake of brakes)
    if (!isIn(before, brake)) events.push(event("brake.bites", { kind: brake.kind, heldBack: brake.heldBack }));
  for (const brake of before) if (!isIn(brakes, brake)) events.push(event("brake.released", { kind: brake.kind }));
  return events;
}

const isSameRelease = (a: SlurmRelease, b: SlurmRelease | undefined): boolean =>
  a.version === b?.version && a.standing === b.standing;
