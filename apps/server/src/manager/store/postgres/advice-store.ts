/**
 * advice-store: the durable record of what should happen next.
 *
 * In the loop   Decision → **record** → Advice → work for SAC
 * Writes        `advice`: one row a generation, never changed; `advice_head`: which generation counts, and where it stands; the first one of
 *               an operation begins its sequence (`sequence-store`).
 * Keeps         a changed mind, and a withdrawal, is a new row; a new generation begins PENDING.
 */
import { sql, type Selectable } from "kysely";
import { launchFailed } from "@reprise/core/fact/launch-hold.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import type { Page, WorkRecord } from "../../store.ts";
import type { NewGeneration } from "../rules/next-generation.ts";
import { ahead } from "./ahead.ts";
import { logOf } from "../rules/fold-report.ts";
import { undecidedOf } from "./facts-store.ts";
import { page } from "./job-query.ts";
import { hot, isAmong } from "./prepared.ts";
import { selectJobs, toAttempt } from "./select-jobs.ts";
import { progressOf } from "./progress-store.ts";
import { beginSequences } from "./sequence-store.ts";
import type { AdviceHeadTable, AdviceTable, Db, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

interface Generation {
  readonly source: { readonly heimdallJobId: string; readonly cluster: string };
  readonly generation: number;
  readonly said: NewGeneration;
}

/**
 * The next generation of each of these attempts, none of them twice. The caller holds the fence of their facts, and has read the
 * generation before it behind that fence; a number that is there already is refused by its key.
 */
export async function addGenerations(tx: Tx, generations: readonly Generation[], now: Instant): Promise<void> {
  if (generations.length === 0) return;
  const rows = generations.map(({ source: { heimdallJobId: uuid, cluster }, generation, said }) => ({
    uuid,
    cluster,
    generation,
    ...said,
  }));
  await sql`${ahead}${hot}
    with given as materialized (
      select * from jsonb_to_recordset(${json(rows)}::jsonb) as g (uuid text, cluster text, generation integer, desired text,
        exclusions jsonb, issues jsonb, because text, sentence text, "startDelayMs" bigint, charged boolean, "rootKey" text,
        "expiresAt" bigint, "withdrawnAt" bigint)
    ), heads as (
      insert into advice_head (heimdall_job_id, cluster, generation, created_at, updated_at, observed_generation, disposition, reason,
        message, observed_at)
      select uuid, cluster, generation, ${now}::bigint, ${now}::bigint, 0, 'PENDING', 'UNSPECIFIED', '', 0 from given
      on conflict (heimdall_job_id) do update set generation = excluded.generation, updated_at = excluded.updated_at,
        observed_generation = 0, disposition = 'PENDING', reason = 'UNSPECIFIED', message = '', observed_at = 0
    )
    insert into advice (heimdall_job_id, generation, desired, exclusions, issues, because, sentence, start_delay_ms, charged,
      root_key, recorded_at, expires_at, withdrawn_at)
    select uuid, generation, desired, exclusions, issues, because, sentence, "startDelayMs", charged, "rootKey", ${now}::bigint,
      "expiresAt", "withdrawnAt" from given`.execute(tx);
  await beginSequences(
    tx,
    generations.map(({ source, said }) => ({ heimdallJobId: source.heimdallJobId, desired: said.desired })),
    now,
  );
}

/** The lease goes to another SAC: what was open may have been begun by the one before. */
export async function markHandedOver(tx: Tx, cluster: string): Promise<void> {
  await tx
    .updateTable("advice_head as head")
    .set({ handed_over: true })
    .where("cluster", "=", cluster)
    .where("disposition", "=", "PENDING")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("advice")
          .whereRef("advice.heimdall_job_id", "=", "head.heimdall_job_id")
          .where("desired", "=", "RESTARTED"),
      ),
    )
    .execute();
}

/** The generation that counts, its status, and whose it is. */
export function selectAdvice(db: Db) {
  return db
    .selectFrom("advice_head as head")
    .innerJoin("advice", (join) =>
      join
        .onRef("advice.heimdall_job_id", "=", "head.heimdall_job_id")
        .onRef("advice.generation", "=", "head.generation"),
    )
    .innerJoin("job", "job.heimdall_job_id", "head.heimdall_job_id")
    .selectAll(["head", "advice"])
    .select(["job.job_id", "job.attempt_index", "job.workflow_id"]);
}

type Source = { readonly job_id: string; readonly attempt_index: number; readonly workflow_id: string };
type Status = Pick<
  Selectable<AdviceHeadTable>,
  "observed_generation" | "disposition" | "reason" | "message" | "observed_at"
>;
type Row = Selectable<AdviceTable> &
  Status &
  Source & { readonly cluster: string; readonly created_at: Instant; readonly updated_at: Instant };

export function toAdvice(row: Row): Advice {
  return {
    heimdallJobId: row.heimdall_job_id,
    cluster: row.cluster,
    jobId: row.job_id,
    attemptIndex: row.attempt_index,
    workflowId: row.workflow_id,
    generation: row.generation,
    desired: row.desired,
    exclusions: row.exclusions,
    issues: row.issues,
    because: row.because,
    sentence: row.sentence,
    startDelayMs: row.start_delay_ms,
    charged: row.charged,
    rootKey: row.root_key,
    status: {
      observedGeneration: row.observed_generation,
      disposition: row.disposition,
      reason: row.reason,
      message: row.message,
      observedAt: row.observed_at,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    ...present({ withdrawnAt: row.withdrawn_at }),
  };
}

export async function adviceOf(db: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, Advice>> {
  if (uuids.length === 0) return new Map();
  const rows = await selectAdvice(db).modifyFront(hot).where(isAmong("head.heimdall_job_id", uuids)).execute();
  return new Map(rows.map((row) => [row.heimdall_job_id, toAdvice(row)]));
}

/** @returns Those of which any generation was to lift Slurm's hold for a failed launch. */
export async function launchReleasesOf(db: Db, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const rows = await db
    .selectFrom("advice")
    .select("heimdall_job_id")
    .distinct()
    .modifyFront(hot)
    .where(isAmong("heimdall_job_id", uuids))
    .where("because", "=", launchFailed)
    .execute();
  return new Set(rows.map((row) => row.heimdall_job_id));
}

export async function getAdvice(db: Db, heimdallJobId: string): Promise<Advice | undefined> {
  const uuid = heimdallJobId.toLowerCase();
  return (await adviceOf(db, [uuid])).get(uuid);
}

export async function listAdvice(
  db: Db,
  { onlyActive }: { readonly onlyActive: boolean },
  slice: { readonly before?: { readonly createdAt: Instant; readonly heimdallJobId: string }; readonly limit: number },
  now: Instant,
): Promise<Page<Advice>> {
  let query = selectAdvice(db);
  if (onlyActive) {
    query = query
      .where("head.disposition", "=", "PENDING")
      .where("advice.withdrawn_at", "is", null)
      .where("advice.expires_at", ">", now);
  }
  const { before, limit } = slice;
  if (before !== undefined) {
    query = query.where(
      sql<boolean>`(head.created_at, head.heimdall_job_id) < (${before.createdAt}::bigint, ${before.heimdallJobId}::text)`,
    );
  }
  const rows = await query
    .orderBy("head.created_at", "desc")
    .orderBy("head.heimdall_job_id", "desc")
    .limit(limit + 1)
    .execute();
  return page(rows, limit, toAdvice);
}

/** Everything that SAC has not finished, also what was withdrawn or has expired meanwhile. Oldest first. */
export async function listWork(db: Db, cluster: string): Promise<readonly WorkRecord[]> {
  const rows = await selectAdvice(db)
    .where("head.cluster", "=", cluster)
    .where("head.disposition", "=", "PENDING")
    .orderBy("head.created_at")
    .orderBy("head.heimdall_job_id")
    .execute();
  if (rows.length === 0) return [];
  const uuids = rows.map((row) => row.heimdall_job_id);
  const sources = await selectJobs(db).where("job.heimdall_job_id", "in", uuids).execute();
  const sourceOf = new Map(sources.map((row) => [row.heimdall_job_id, toAttempt(row)]));
  const progress = await progressOf(db, uuids);
  const undecided = await undecidedOf(db, uuids);
  return rows.flatMap((row) => {
    const source = sourceOf.get(row.heimdall_job_id);
    const log = logOf(progress.get(row.heimdall_job_id));
    const isDecided = !undecided.has(row.heimdall_job_id);
    return source === undefined ? [] : [{ advice: toAdvice(row), source, ...log, isDecided }];
  });
}
