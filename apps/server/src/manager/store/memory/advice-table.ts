/**
 * advice-table: what was decided, what should happen next, and what SAC observed of it.
 *
 * In the loop   Decision → **record** → Advice → **observe** → Advice is finished, or still open
 * Keeps         as `postgres/decision-store.ts`, `advice-store.ts` and `status-store.ts`.
 */
import { launchFailed } from "@reprise/core/fact/launch-hold.ts";
import type { Advice, Instant, ReconciliationStatus } from "@reprise/core/nouns.ts";
import type { Decided, Recorded } from "../../decisions.ts";
import type { Page, Store, WorkRecord } from "../../store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import type { Course, NewGeneration } from "../rules/next-generation.ts";
import { answerOf, type Recording, recordingOf, requireDistinct, type Stored } from "../rules/recording.ts";
import { effectOf, saysTheSame } from "../rules/status-effect.ts";
import { statusEvents } from "../../audit/own-events.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { isUndecided, markDecided, raiseKnownFacts, releaseClaim } from "./facts-table.ts";
import { attemptOf, siblingsOf } from "./job-table.ts";
import { isOrdered, markFulfilled } from "./order-rows.ts";
import { page } from "./page.ts";
import { beginSequence } from "./sequence-table.ts";
import { logOf } from "../rules/fold-report.ts";
import { at, requireWhole, type GenerationRow, type HeadRow, type Tables } from "./tables.ts";

const untouched: ReconciliationStatus = {
  observedGeneration: 0,
  disposition: "PENDING",
  reason: "UNSPECIFIED",
  message: "",
  observedAt: 0,
};

export function recordDecisions(t: Tables, given: readonly Decided[], now: Instant): Written<readonly Recorded[]> {
  const batch = given.map(({ heimdallJobId, factsSeq, decision }) => {
    return { heimdallJobId: heimdallJobId.toLowerCase(), factsSeq, decision: storable(decision) };
  });
  requireDistinct(batch);
  for (const { decision } of batch) {
    requireWhole("facts", decision, ["reconsiderAt"]);
    if (decision.kind === "advise") requireWhole("advice", decision, ["startDelayMs", "expiresAt"]);
  }
  const recordings = batch.map((decided) => recordingOf(decided, storedOf(t, decided.heimdallJobId), now));
  const written = recordings.filter((one) => one !== undefined);
  for (const [i, { heimdallJobId }] of batch.entries()) if (recordings[i] === undefined) releaseClaim(t, heimdallJobId);
  for (const recording of written) save(t, recording, now);
  recordOwnEvents(
    t,
    written.flatMap(({ events }) => events),
  );
  const changes = written.flatMap(({ advised, decided: { heimdallJobId } }) =>
    advised === undefined ? [] : [{ kind: "advice" as const, heimdallJobId }],
  );
  return { answer: recordings.map(answerOf), changes };
}

function storedOf(t: Tables, uuid: string): Stored | undefined {
  const [facts, row] = [t.facts.get(uuid), t.jobs.get(uuid)];
  if (facts === undefined || row === undefined) return undefined;
  const source = { ...row, ...courseOf(t, row) };
  return { factsSeq: facts.seq, source, before: t.decisions.get(uuid)?.decision, advice: getAdvice(t, uuid) };
}

function save(t: Tables, { decided, source, advised }: Recording, now: Instant): void {
  const { heimdallJobId: uuid, factsSeq, decision } = decided;
  t.decisions.set(uuid, { decision, decidedAt: now });
  markDecided(t, uuid, factsSeq, decision.reconsiderAt);
  if (advised === undefined) return;
  addGeneration(t, source, advised.said, now);
  if (decision.kind === "advise") t.advised.set(uuid, { decision, decidedAt: now });
  if (advised.isOrdered) markFulfilled(t, uuid, advised.generation);
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
  const head = t.heads.get(uuid);
  if (head === undefined) return undefined; // Of most attempts nothing was ever advised.
  const [row, job] = [t.generations.get(uuid)?.at(-1), t.jobs.get(uuid)];
  if (row === undefined || job === undefined) return undefined;
  const last = advices.get(head);
  if (last?.row === row && last.job === job) return last.advice;
  const advice = adviceOf(job, row, head);
  advices.set(head, { row, job, advice });
  return advice;
}

/** Rows are replaced, never changed: what was made of the same ones is the same. It is asked for much more often than it changes. */
const advices = new WeakMap<
  HeadRow,
  { readonly row: GenerationRow; readonly job: NumberedRow; readonly advice: Advice }
>();

/** In any generation. */
export const wasLaunchReleaseAdvised = (t: Tables, uuid: string): boolean =>
  t.generations.get(uuid)?.some(({ because }) => because === launchFailed) === true;

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
    const log = logOf(t.progress.get(advice.heimdallJobId));
    const isDecided = !isUndecided(t, advice.heimdallJobId);
    return source === undefined ? [] : [{ advice, source: attemptOf(t, source), ...log, isDecided }];
  });
}
