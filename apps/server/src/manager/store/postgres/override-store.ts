/**
 * override-store: what people order about jobs.
 *
 * In the loop   order → **record** → facts → decide
 * Writes        table `job_override`; through their stores `advice` (withdrawals) and `audit`, in one transaction.
 * Keeps         the fence of the facts is held for all attempts of the job, and for every job of the cluster that waits for others, whose gates
 *               it may be: a decision that was made before the order is stale after it, and SAC begins nothing that was decided before.
 */
import { sql, type Selectable } from "kysely";
import { latestAttempt } from "@reprise/core/identity/latest-attempt.ts";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { Override } from "@reprise/core/override/override.ts";
import { auditOf } from "../rules/next-generation.ts";
import type { Order, Ordered, OverrideTarget } from "../../override-order.ts";
import { judge, type Judged, overrideEvent, unknownTarget } from "../rules/override-rules.ts";
import { addGenerations, adviceOf } from "./advice-store.ts";
import { ahead } from "./ahead.ts";
import { recordOwnEvents } from "./audit-store.ts";
import type { Written } from "./changes.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import { waitingOf } from "./graph-store.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, OverrideTable, Tx } from "./schema.ts";
import { incarnationsOf, newestIncarnation } from "./select-jobs.ts";
import { present, storable } from "./storable.ts";

export async function setOverride(
  tx: Tx,
  target: OverrideTarget,
  given: Order,
  now: Instant,
): Promise<Written<Ordered>> {
  const before = await familyOf(tx, target);
  const cluster = before.at(-1)?.cluster;
  const waiting = cluster === undefined ? [] : await waitingOf(tx, cluster);
  await lockFacts(tx, [...new Set([...before.map(uuidOf), ...waiting])].sort());
  const { judged, uuids } = await judgeOrder(tx, target, given, now);
  const { attempt, override, effect } = judged;

  if (override.action === "clear") await tx.deleteFrom("job_override").where("heimdall_job_id", "in", uuids).execute();
  await insert(tx, attempt, override);
  await recordOwnEvents(tx, [overrideEvent(judged)]);
  const withdrawn = await withdraw(tx, judged, now);
  await raiseKnownFacts(tx, [...new Set([...uuids, ...waiting])].sort(), now);
  const changes = [uuidOf(attempt), ...withdrawn].map((heimdallJobId) => ({ kind: "advice" as const, heimdallJobId }));
  return { answer: { attempt, override, effect }, changes };
}

export async function previewOverride(db: Db, target: OverrideTarget, order: Order, now: Instant): Promise<Ordered> {
  const { attempt, override, effect } = (await judgeOrder(db, target, order, now)).judged;
  return { attempt, override, effect };
}

/** @returns Also the UUIDs of all attempts of the job. */
async function judgeOrder(
  db: Db,
  target: OverrideTarget,
  given: Order,
  now: Instant,
): Promise<{ readonly judged: Judged; readonly uuids: string[] }> {
  const family = await familyOf(db, target);
  const attempt =
    "jobId" in target
      ? latestAttempt(family)
      : family.find((one) => uuidOf(one) === target.heimdallJobId.toLowerCase());
  if (attempt === undefined) throw unknownTarget(target);
  const uuids = family.map(uuidOf);
  const advice = await adviceOf(db, uuids);
  const count = (await overridesOf(db, uuids)).length;
  return { judged: judge(storable(given), attempt, family, (uuid) => advice.get(uuid), count, now), uuids };
}

const uuidOf = ({ heimdallJobId }: Pick<AttemptRecord, "heimdallJobId">) => heimdallJobId;

/** The attempts of the incarnation that is meant, oldest first. */
async function familyOf(db: Db, target: OverrideTarget): Promise<readonly AttemptRecord[]> {
  if ("jobId" in target) return await newestIncarnation(db, target.cluster, target.jobId);
  const uuid = target.heimdallJobId.toLowerCase();
  return (await incarnationsOf(db, [uuid])).get(uuid) ?? [];
}

async function insert(tx: Tx, { heimdallJobId }: AttemptRecord, override: Override): Promise<void> {
  await tx
    .insertInto("job_override")
    .values({
      heimdall_job_id: heimdallJobId,
      action: override.action,
      attempt_index: override.attemptIndex,
      reason: override.reason,
      by_whom: override.by,
      ordered_at: override.at,
      generation: null,
    })
    .execute();
}

async function withdraw(tx: Tx, { withdrawals }: Judged, now: Instant): Promise<string[]> {
  const advised = withdrawals.map(({ advice, said }) => ({ source: advice, generation: advice.generation + 1, said }));
  await addGenerations(tx, advised, now);
  const events = advised.map(({ source, generation, said }) =>
    auditOf(generation, said, said, { ...source, isRolledBack: false }, now),
  );
  await recordOwnEvents(tx, events);
  return withdrawals.map(({ advice }) => advice.heimdallJobId);
}

/** Of all these attempts, oldest first; and whose each one is. */
export async function overridesOf(
  db: Db,
  uuids: readonly string[],
): Promise<readonly { readonly heimdallJobId: string; readonly override: Override }[]> {
  if (uuids.length === 0) return [];
  const rows = await db
    .selectFrom("job_override")
    .selectAll()
    .modifyFront(hot)
    .where(isAmong("heimdall_job_id", uuids))
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ heimdallJobId: row.heimdall_job_id, override: toOverride(row) }));
}

const toOverride = (row: Selectable<OverrideTable>): Override => ({
  action: row.action,
  attemptIndex: row.attempt_index,
  reason: row.reason,
  by: row.by_whom,
  at: row.ordered_at,
  ...present({ generation: row.generation }),
});

/** The ordered restarts of these attempts have become Advice. */
export async function markFulfilled(
  tx: Tx,
  advised: readonly { readonly source: { readonly heimdallJobId: string }; readonly generation: number }[],
): Promise<void> {
  if (advised.length === 0) return;
  await sql`${ahead}
    update job_override set generation = a.generation
    from unnest(${advised.map(({ source }) => source.heimdallJobId)}::text[],
      ${advised.map(({ generation }) => generation)}::integer[]) as a (uuid, generation)
    where heimdall_job_id = a.uuid and action = 'restart' and job_override.generation is null`.execute(tx);
}
