/**
 * advice-table: what was decided, what should happen next, and what SAC observed of it.
 *
 * In the loop   Decision → **record** → Advice → **observe** → Advice is finished, or still open
 * Keeps         as `postgres/decision-store.ts`, `advice-store.ts` and `status-store.ts`.
 */
import type { Advice, Instant, ReconciliationStatus } from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Page, Recorded, Store, WorkRecord } from "../../store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { auditOf, type Course, fulfils, nextGeneration, type NewGeneration } from "../rules/next-generation.ts";
import { effectOf, saysTheSame } from "../rules/status-effect.ts";
import { decisionEvents, statusEvents } from "../../audit/own-events.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { isUndecided, markDecided, raiseKnownFacts, releaseClaim } from "./facts-table.ts";
import { attemptOf, siblingsOf } from "./job-table.ts";
import { isOrdered, markFulfilled } from "./order-rows.ts";
import { page } from "./page.ts";
import { beginSequence } from "./sequence-table.ts";
import { at, requireWhole, type GenerationRow, type Tables } from "./tables.ts";

const untouched: ReconciliationStatus = {
  observedGeneration: 0,
  disposition: "PENDING",
  reason: "UNSPECIFIED",
  message: "",
  observedAt: 0,
};

export function recordDecision(
  t: Tables,
  heimdallJobId: string,
  factsSeq: number,
  given: Decision,
  now: Instant,
): Written<Recorded> {
  const uuid = heimdallJobId.toLowerCase();
  const decision = storable(given);
  requireWhole("facts", decision, ["reconsiderAt"]);
  if (decision.kind === "advise") requireWhole("advice", decision, ["startDelayMs", "expiresAt"]);
  const source = t.facts.get(uuid)?.seq === factsSeq ? t.jobs.get(uuid) : undefined;
  const course = source === undefined ? undefined : courseOf(t, source);
  if (source === undefined || course === undefined || (course.isOvertaken && decision.kind === "advise")) {
    releaseClaim(t, uuid);
    return { answer: { kind: "stale" }, changes: [] };
  }
  recordOwnEvents(t, decisionEvents(t.decisions.get(uuid)?.decision, decision, source, now));
  t.decisions.set(uuid, { decision, decidedAt: now });
  markDecided(t, uuid, factsSeq, decision.reconsiderAt);
  const next = nextGeneration(getAdvice(t, uuid), decision, course, now);
  if (next === undefined) return { answer: { kind: "unchanged" }, changes: [] };
  const generation = addGeneration(t, source, next, now);
  if (decision.kind === "advise") t.advised.set(uuid, { decision, decidedAt: now });
  if (fulfils(decision, course)) markFulfilled(t, uuid, generation);
  recordOwnEvents(t, [auditOf(generation, next, decision, { ...source, ...course }, now)]);
  return { answer: { kind: "recorded", generation }, changes: [{ kind: "advice", heimdallJobId: uuid }] };
}

function courseOf(t: Tables, source: NumberedRow): Course {
  const later = siblingsOf(t, source).filter(({ attemptIndex }) => attemptIndex > source.attemptIndex);
  return {
    isOvertaken: later.some(({ startedAt }) => startedAt !== undefined),
    isRolledBack: source.isListed && later.length > 0 && later.every(({ status }) => status === "DELETED"),
    isOrdered: isOrdered(t, source.heimdallJobId),
  };
}

export function addGeneration(
  t: Tables,
  { heimdallJobId: uuid, cluster }: Pick<NumberedRow, "heimdallJobId" | "cluster">,
  said: NewGeneration,
  now: Instant,
): number {
  const generations = at(t.generations, uuid, () => []);
  const generation = generations.length + 1;
  generations.push({ ...said, generation, recordedAt: now });
  const { createdAt = now } = t.heads.get(uuid) ?? {};
  t.heads.set(uuid, { cluster, createdAt, updatedAt: now, status: untouched });
  at(t.pending, cluster, () => new Set()).add(uuid);
  beginSequence(t, uuid, said.desired, now);
  return generation;
}

export function getAdvice(t: Tables, heimdallJobId: string): Advice | undefined {
  const uuid = heimdallJobId.toLowerCase();
  const [head, row, job] = [t.heads.get(uuid), t.generations.get(uuid)?.at(-1), t.jobs.get(uuid)];
  if (head === undefined || row === undefined || job === undefined) return undefined;
  return adviceOf(job, row, head);
}

function adviceOf(
  { heimdallJobId, cluster, jobId, attemptIndex, workflowId }: NumberedRow,
  { recordedAt: _, ...said }: GenerationRow,
  { createdAt, updatedAt, status }: Pick<Advice, "createdAt" | "updatedAt" | "status">,
): Advice {
  return { heimdallJobId, cluster, jobId, attemptIndex, workflowId, ...said, status, createdAt, updatedAt };
}

/** Every generation with the last status that counted for it, oldest first. The head keeps the newest one's, also when the others are gone. */
export function generationsOf(t: Tables, job: NumberedRow): Advice[] {
  const { heimdallJobId: uuid } = job;
  const head = t.heads.get(uuid);
  const generations = t.generations.get(uuid) ?? [];
  return generations.map((row) => {
    if (head !== undefined && row === generations.at(-1)) return adviceOf(job, row, head);
    const last = (t.statuses.get(uuid) ?? []).findLast(
      ({ isEffective, status }) => isEffective && status.observedGeneration === row.generation,
    );
    const updatedAt = last?.recordedAt ?? row.recordedAt;
    return adviceOf(job, row, { createdAt: head?.createdAt ?? 0, updatedAt, status: last?.status ?? untouched });
  });
}

export function observeStatus(
  t: Tables,
  heimdallJobId: string,
  given: ReconciliationStatus,
  now: Instant,
): Written<Advice> {
  const uuid = heimdallJobId.toLowerCase();
  const status = storable(given);
  requireWhole("advice_status", status, ["observedGeneration", "observedAt"]);
  const { advice, isEffective } = effectOf(getAdvice(t, uuid), status, heimdallJobId);
  const statuses = at(t.statuses, uuid, () => []);
  const isKnown = !isEffective && statuses.some((row) => saysTheSame(row.status, status));
  if (!isKnown) statuses.push({ status, recordedAt: now, isEffective });
  if (!isEffective) return { answer: advice, changes: [] };

  t.heads.set(uuid, { cluster: advice.cluster, createdAt: advice.createdAt, updatedAt: now, status });
  if (status.disposition !== "PENDING") {
    t.pending.get(advice.cluster)?.delete(uuid);
    raiseKnownFacts(t, [uuid], now);
  }
  recordOwnEvents(t, statusEvents(status, advice));
  return { answer: { ...advice, status, updatedAt: now }, changes: [{ kind: "status", heimdallJobId: uuid }] };
}

/** The lease goes to another SAC: what was open may have been begun by the one before. */
export function markHandedOver(t: Tables, cluster: string): void {
  for (const uuid of t.pending.get(cluster) ?? [])
    if (t.generations.get(uuid)?.some(({ desired }) => desired === "RESTARTED") === true) t.handedOver.add(uuid);
}

type AdviceSlice = Parameters<Store["listAdvice"]>[1];

/** Newest first, ties by UUID. */
export function listAdvice(
  t: Tables,
  { onlyActive }: { readonly onlyActive: boolean },
  { before, limit }: AdviceSlice,
  now: Instant,
): Page<Advice> {
  const isAsked = ({ status, withdrawnAt, expiresAt }: Advice) =>
    !onlyActive || (status.disposition === "PENDING" && withdrawnAt === undefined && expiresAt > now);
  const all = [...t.heads.keys()].flatMap((uuid) => getAdvice(t, uuid) ?? []).filter(isAsked);
  const sorted = all.sort((a, b) => byAge(b, a));
  const rest = before === undefined ? sorted : sorted.filter((advice) => byAge(advice, before) < 0);
  return page(rest, { offset: 0, limit });
}

type Aged = Pick<Advice, "createdAt" | "heimdallJobId">;
export const byAge = (a: Aged, b: Aged): number =>
  a.createdAt - b.createdAt || (a.heimdallJobId < b.heimdallJobId ? -1 : a.heimdallJobId > b.heimdallJobId ? 1 : 0);

/** Everything that SAC has not finished, also what was withdrawn or has expired meanwhile. Oldest first. */
export function listWork(t: Tables, cluster: string): readonly WorkRecord[] {
  const open = [...(t.pending.get(cluster) ?? [])].flatMap((uuid) => getAdvice(t, uuid) ?? []);
  return open.sort(byAge).flatMap((advice) => {
    const source = t.jobs.get(advice.heimdallJobId);
    const logEnded = t.progress.get(advice.heimdallJobId)?.logEndedAt !== undefined;
    const isDecided = !isUndecided(t, advice.heimdallJobId);
    return source === undefined ? [] : [{ advice, source: attemptOf(t, source), logEnded, isDecided }];
  });
}
