/**
 * signal-store: what watchers read in logs.
 *
 * In the loop   lines → Signal → **store** → facts
 * Writes        table `signal` for what happened once; `progress` for what goes on; `log_position`: one transaction a report, so
 *               that neither signals nor positions are ever ahead of the other.
 * Keeps         a signal known by (attempt, key) is not recorded again. Progress alone makes nobody decide again, unless
 *               something waits for it: a fault was seen, or Advice exists. A watcher that has lost a target moves no position.
 */
import { sql } from "kysely";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Change, SignalReport, StoredSignal } from "../../store.ts";
import { signalEvents } from "../../audit/own-events.ts";
import { recordOwnEvents } from "./audit-store.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import { foldPositions, foldSignals, isFolded } from "../rules/fold-report.ts";
import type { ProgressRow } from "./fold-progress.ts";
import { positionsOf, savePositions } from "./position-store.ts";
import { progressOf, saveProgress } from "./progress-store.ts";
import type { Written } from "./changes.ts";
import { hot, isAmong } from "./prepared.ts";
import type { Db, Tx } from "./schema.ts";
import { areEqual } from "@reprise/core/equal.ts";
import { json, present, storable } from "./storable.ts";
import { closeTargets, heldByOthers } from "./target-store.ts";

type NewSignal = SignalReport["signals"][number];

export async function recordSignals(
  tx: Tx,
  given: SignalReport,
  now: Instant,
): Promise<Written<{ readonly recorded: number; readonly repeated: number }>> {
  const { reporter, signals, positions, nodeLinesRead = [] } = withLowerIds(storable(given));
  const uuids = uuidsOf([...signals, ...positions]);
  await lockFacts(tx, uuids);

  const recorded = await insertSignals(
    tx,
    reporter,
    signals.filter((signal) => !isFolded(signal)),
    now,
  );
  if (recorded.length > 0) await recordOwnEvents(tx, signalEvents(recorded, await namesOf(tx, uuidsOf(recorded))));
  const before = await progressOf(tx, uuids);
  const progress = foldSignals(before, signals);
  const others = await heldByOthers(tx, reporter, uuids, now);
  const moved = positions.filter(({ heimdallJobId }) => !others.has(heimdallJobId));
  await savePositions(tx, moved);
  const read = foldPositions(progress.rows, await positionsOf(tx, uuidsOf(moved)), now);
  await saveProgress(tx, differing(before, progress.rows));
  await closeTargets(tx, read.ended, nodeLinesRead);

  const recordedOf = uuidsOf(recorded);
  const stirred = new Set([...recordedOf, ...progress.saved, ...read.justEnded]);
  const waiting = await whereSomethingWaits(
    tx,
    [...progress.stepped].filter((uuid) => !stirred.has(uuid)),
  );
  await raiseKnownFacts(tx, [...stirred, ...waiting], now);
  const count = recorded.length + progress.folded;
  const changes = [...new Set([...recordedOf, ...progress.saved, ...progress.stepped, ...read.justEnded])].map(
    (heimdallJobId): Change => ({ kind: "signal", heimdallJobId }),
  );
  return { answer: { recorded: count, repeated: signals.length - count }, changes };
}

const uuidsOf = (about: readonly { readonly heimdallJobId: string }[]): string[] => [
  ...new Set(about.map(({ heimdallJobId }) => heimdallJobId)),
];

function withLowerIds(report: SignalReport): SignalReport {
  const lower = <T extends { readonly heimdallJobId: string }>(rows: readonly T[]): T[] =>
    rows.map((row) => ({ ...row, heimdallJobId: row.heimdallJobId.toLowerCase() }));
  const { signals, positions, nodeLinesRead = [] } = report;
  return { ...report, signals: lower(signals), positions: lower(positions), nodeLinesRead: lower(nodeLinesRead) };
}

/** @returns Those that were new, each once. */
async function insertSignals(
  tx: Tx,
  reporter: string,
  signals: readonly NewSignal[],
  now: Instant,
): Promise<NewSignal[]> {
  if (signals.length === 0) return [];
  const { rows } = await sql<{ uuid: string; key: string }>`
    insert into signal (heimdall_job_id, key, kind, at, evidence, cause, cause_class, domain, root, exit_independent, nodes, rank,
      step, step_spacing_ms, detail, reporter, recorded_at)
    select "heimdallJobId", key, kind, at, evidence, cause, "causeClass", domain, root, "exitIndependent", nodes, rank, step,
      "stepSpacingMs", detail, ${reporter}, ${now}
    from jsonb_to_recordset(${json(signals)}::jsonb) as s ("heimdallJobId" text, key text, kind text, at bigint, evidence jsonb,
      cause text, "causeClass" text, domain text, root boolean, "exitIndependent" boolean, nodes jsonb, rank integer, step bigint,
      "stepSpacingMs" bigint, detail text)
    on conflict (heimdall_job_id, md5(key)) do nothing
    returning heimdall_job_id as uuid, key`.execute(tx);
  const fresh = new Set(rows.map(({ uuid, key }) => `${uuid} ${key}`));
  return signals.filter(({ heimdallJobId, key }) => fresh.delete(`${heimdallJobId} ${key}`));
}

async function namesOf(tx: Tx, uuids: readonly string[]) {
  const rows = await tx
    .selectFrom("job")
    .select(["heimdall_job_id as heimdallJobId", "job_id as jobId", "attempt_index as attemptIndex"])
    .where("heimdall_job_id", "in", [...uuids])
    .execute();
  return new Map(rows.map((row) => [row.heimdallJobId, row]));
}

function differing(before: ReadonlyMap<string, ProgressRow>, after: ReadonlyMap<string, ProgressRow>) {
  return new Map([...after].filter(([uuid, row]) => !areEqual(row, before.get(uuid))));
}

async function whereSomethingWaits(tx: Tx, uuids: readonly string[]): Promise<string[]> {
  if (uuids.length === 0) return [];
  const { rows } = await sql<{ uuid: string }>`
    select uuid from unnest(${[...uuids]}::text[]) as uuid
    where exists (select from advice_head where heimdall_job_id = uuid)
      or exists (select from signal where heimdall_job_id = uuid and kind in ('crash', 'hang', 'slowdown', 'numerics'))`.execute(
    tx,
  );
  return rows.map(({ uuid }) => uuid);
}

/**
 * Of each attempt at most `situationSignalsMax`: roots and the end marker before consequences, earliest first. A cause that hundreds of
 * ranks repeat leaves room for every other one.
 */
export async function signalsOf(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredSignal[]>> {
  const found = new Map<string, StoredSignal[]>();
  if (uuids.length === 0) return found;
  const rows = await db
    .with("told", (query) =>
      query
        .selectFrom("signal")
        .modifyFront(hot)
        .selectAll()
        .select([
          sql<number>`row_number() over (partition by heimdall_job_id order by (root or kind = 'finished') desc, at, id)`.as(
            "place",
          ),
          sql<number>`row_number() over (partition by heimdall_job_id, root, kind, cause order by at, id)`.as(
            "repetition",
          ),
        ])
        .where(isAmong("heimdall_job_id", uuids)),
    )
    .with("ranked", (query) =>
      query
        .selectFrom("told")
        .selectAll()
        .select(
          sql<number>`row_number() over (partition by heimdall_job_id order by repetition > ${sql.lit(limits.situationRepeatsMax)}, place)`.as(
            "precedence",
          ),
        ),
    )
    .selectFrom("ranked")
    .selectAll()
    .where("precedence", "<=", limits.situationSignalsMax)
    .orderBy("heimdall_job_id")
    .orderBy("place")
    .execute();
  for (const row of rows) {
    const signal = {
      key: row.key,
      heimdallJobId: row.heimdall_job_id,
      kind: row.kind,
      at: row.at,
      evidence: row.evidence,
      root: row.root,
      exitIndependent: row.exit_independent,
      nodes: row.nodes,
      recordedAt: row.recorded_at,
      ...present({
        cause: row.cause,
        causeClass: row.cause_class,
        domain: row.domain,
        rank: row.rank,
        step: row.step,
        stepSpacingMs: row.step_spacing_ms,
        detail: row.detail,
      }),
    } as StoredSignal;
    found.set(row.heimdall_job_id, [...(found.get(row.heimdall_job_id) ?? []), signal]);
  }
  return found;
}
