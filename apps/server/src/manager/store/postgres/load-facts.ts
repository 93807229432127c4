/**
 * load-facts: everything that decisions about some attempts may use; and the whole story of a job, for people.
 *
 * In the loop   rows → **facts** → fold → Situation
 * Keeps         facts are one snapshot, and their number is part of it: a decision about older ones is stale. Statements that need no
 *               answer of another one are sent at once.
 * Bound         as many statements for a batch as for one attempt.
 */
import { sql } from "kysely";
import type { Advice, AttemptRecord, Disposition, Instant, ReconciliationReason } from "@reprise/core/nouns.ts";
import type { AttemptFacts, EarlierAttempt } from "../../store.ts";
import type { AttemptStoryRecord } from "../../story-store.ts";
import { adviceOf, launchReleasesOf, toAdvice } from "./advice-store.ts";
import { decisionsOf } from "./decision-store.ts";
import { incarnationsOf, newestIncarnation } from "./select-jobs.ts";
import type { NodeCache } from "./node-store.ts";
import { overridesOf } from "./override-store.ts";
import { passOf } from "./pass-store.ts";
import { hot, isAmong } from "./prepared.ts";
import { asProgress, progressOf } from "./progress-store.ts";
import { positionsOf } from "./position-store.ts";
import type { Db } from "./schema.ts";
import { chainsOf } from "./select-chain.ts";
import { signalsOf } from "./signal-store.ts";
import { cancelledOf, requeuedOf, stepsOf } from "./step-store.ts";
import { present } from "./storable.ts";

/** In a transaction of one snapshot. @returns Those that are known. */
export async function loadFacts(
  tx: Db,
  nodes: NodeCache,
  heimdallJobIds: readonly string[],
  now: Instant,
): Promise<readonly AttemptFacts[]> {
  const uuids = heimdallJobIds.map((uuid) => uuid.toLowerCase());
  const [families, numbers] = await Promise.all([incarnationsOf(tx, uuids), numbersOf(tx, uuids)]);
  const asked = uuids.flatMap((uuid) => families.get(uuid)?.find((one) => one.heimdallJobId === uuid) ?? []);
  const chains = await chainsOf(tx, asked);
  const all = [...families.values(), ...chains.values()].flat();
  const known = [...new Map(all.map((one) => [one.heimdallJobId, one])).values()];
  const [told, orders, clusters] = await Promise.all([
    tellOf(tx, known),
    overridesOf(tx, known.map(uuidOf)),
    clustersOf(tx, nodes, new Set(known.map(({ cluster }) => cluster))),
  ]);
  return uuids.flatMap((uuid) => {
    const [family = [], factsSeq] = [families.get(uuid), numbers.get(uuid)];
    const attempt = family.find((one) => one.heimdallJobId === uuid);
    if (attempt === undefined || factsSeq === undefined) return [];
    const members = new Set(family.map(uuidOf));
    const successor = family.find((other) => other.attemptIndex > attempt.attemptIndex);
    return {
      factsSeq,
      ...told(attempt),
      earlier: [
        ...(chains.get(uuid) ?? []),
        ...family.filter((other) => other.attemptIndex < attempt.attemptIndex),
      ].map(told),
      overrides: orders.flatMap(({ heimdallJobId, override }) => (members.has(heimdallJobId) ? [override] : [])),
      ...present({ successor }),
      ...(clusters.get(attempt.cluster) ?? { nodes: [] }),
      now,
    };
  });
}

async function numbersOf(db: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("facts")
    .modifyFront(hot)
    .select(["heimdall_job_id", "seq"])
    .where(isAmong("heimdall_job_id", uuids))
    .execute();
  return new Map(rows.map((row) => [row.heimdall_job_id, row.seq]));
}

type ClusterFacts = Pick<AttemptFacts, "pass" | "nodes">;

/** Of those that were ever looked at. */
async function clustersOf(
  db: Db,
  nodes: NodeCache,
  clusters: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ClusterFacts>> {
  const known = new Map<string, ClusterFacts>();
  for (const cluster of clusters) {
    const pass = await passOf(db, cluster);
    if (pass === undefined) continue;
    known.set(cluster, { pass: pass.state, nodes: await nodes.nodesOf(db, cluster, pass.nodesSeq) });
  }
  return known;
}

const uuidOf = ({ heimdallJobId }: AttemptRecord) => heimdallJobId;

async function tellOf(db: Db, attempts: readonly AttemptRecord[]): Promise<(attempt: AttemptRecord) => EarlierAttempt> {
  const uuids = attempts.map(({ heimdallJobId }) => heimdallJobId);
  const ended = attempts.flatMap(({ heimdallJobId, status }) => (status === "CANCELLED" ? [heimdallJobId] : []));
  const [progress, signals, advice, requeued, cancelled, launches] = await Promise.all([
    progressOf(db, uuids),
    signalsOf(db, uuids),
    adviceOf(db, uuids),
    requeuedOf(db, uuids),
    cancelledOf(db, ended),
    launchReleasesOf(db, uuids),
  ]);
  return (attempt) => ({
    attempt,
    progress: asProgress(progress.get(attempt.heimdallJobId)),
    signals: signals.get(attempt.heimdallJobId) ?? [],
    ...present({ advice: advice.get(attempt.heimdallJobId) }),
    requeuedByUs: requeued.has(attempt.heimdallJobId),
    ...(attempt.status === "CANCELLED" ? { cancelledByUs: cancelled.has(attempt.heimdallJobId) } : {}),
    launchReleaseAdvised: launches.has(attempt.heimdallJobId),
  });
}

export async function story(db: Db, cluster: string, jobId: string): Promise<readonly AttemptStoryRecord[]> {
  const attempts = await newestIncarnation(db, cluster, jobId);
  const uuids = attempts.map(({ heimdallJobId }) => heimdallJobId);
  const progress = await progressOf(db, uuids);
  const signals = await signalsOf(db, uuids);
  const generations = await generationsOf(db, uuids);
  const decisions = await decisionsOf(db, uuids);
  const advised = await decisionsOf(db, uuids, "advice_decision");
  const steps = await stepsOf(db, uuids);
  const overrides = await overridesOf(db, uuids);
  const positions = await positionsOf(db, uuids);
  return attempts.map((attempt) => {
    const uuid = attempt.heimdallJobId;
    return {
      attempt,
      progress: asProgress(progress.get(uuid)),
      signals: signals.get(uuid) ?? [],
      ...present({ decision: decisions.get(uuid), advised: advised.get(uuid) }),
      advice: generations.filter(({ heimdallJobId }) => heimdallJobId === uuid),
      overrides: overrides.flatMap(({ heimdallJobId, override }) => (heimdallJobId === uuid ? [override] : [])),
      steps: steps.filter(({ heimdallJobId }) => heimdallJobId === uuid),
      unread: (positions.get(uuid) ?? []).filter(({ unreadable }) => unreadable !== undefined),
    };
  });
}

/** Every generation with the last status that counted for it, oldest first. The head keeps the newest one's, also when the others are gone. */
async function generationsOf(db: Db, uuids: readonly string[]): Promise<Advice[]> {
  if (uuids.length === 0) return [];
  const rows = await db
    .selectFrom("advice")
    .innerJoin("advice_head as head", "head.heimdall_job_id", "advice.heimdall_job_id")
    .innerJoin("job", "job.heimdall_job_id", "advice.heimdall_job_id")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("advice_status")
          .selectAll()
          .whereRef("advice_status.heimdall_job_id", "=", "advice.heimdall_job_id")
          .whereRef("advice_status.observed_generation", "=", "advice.generation")
          .where("effective", "=", true)
          .orderBy("id", "desc")
          .limit(1)
          .as("status"),
      (join) => join.onTrue(),
    )
    .selectAll("advice")
    .select(["head.cluster", "head.created_at", "job.job_id", "job.attempt_index", "job.workflow_id"])
    .select([
      sql<number>`case when ${isNewest} then head.observed_generation else coalesce(status.observed_generation, 0) end`.as(
        "observed_generation",
      ),
      sql<Disposition>`case when ${isNewest} then head.disposition else coalesce(status.disposition, 'PENDING') end`.as(
        "disposition",
      ),
      sql<ReconciliationReason>`case when ${isNewest} then head.reason else coalesce(status.reason, 'UNSPECIFIED') end`.as(
        "reason",
      ),
      sql<string>`case when ${isNewest} then head.message else coalesce(status.message, '') end`.as("message"),
      sql<Instant>`case when ${isNewest} then head.observed_at else coalesce(status.observed_at, 0) end`.as(
        "observed_at",
      ),
      sql<Instant>`case when ${isNewest} then head.updated_at else coalesce(status.recorded_at, advice.recorded_at) end`.as(
        "updated_at",
      ),
    ])
    .where("advice.heimdall_job_id", "in", [...uuids])
    .orderBy("advice.generation")
    .execute();
  return rows.map(toAdvice);
}

const isNewest = sql<boolean>`advice.generation = head.generation`;
