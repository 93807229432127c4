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
import type { Instant, Signal } from "@reprise/core/nouns.ts";
import type { Change, LogPosition, SignalReport, StoredSignal } from "../../store.ts";
import { lockFacts, raiseKnownFacts } from "./facts-store.ts";
import { foldProgress, type ProgressRow } from "./fold-progress.ts";
import { positionsOf, savePositions } from "./position-store.ts";
import { progressOf, saveProgress, withPositions } from "./progress-store.ts";
import type { Written } from "./changes.ts";
import type { Db, Tx } from "./schema.ts";
import { areEqual, json, present, storable } from "./storable.ts";
import { closeTargets, heldByOthers } from "./target-store.ts";

type NewSignal = SignalReport["signals"][number];

/** Only folded: a row for every step would outgrow everything else. */
const isFolded = ({ kind }: Signal): boolean => kind === "progress" || kind === "checkpoint-saved";

export async function recordSignals(
  tx: Tx,
  given: SignalReport,
  now: Instant,
): Promise<Written<{ readonly recorded: number; readonly repeated: number }>> {
  const { reporter, signals, positions } = withLowerIds(storable(given));
  const uuids = [...new Set([...signals, ...positions].map(({ heimdallJobId }) => heimdallJobId))];
  await lockFacts(tx, uuids);

  const recorded = await insertSignals(
    tx,
    reporter,
    signals.filter((signal) => !isFolded(signal)),
    now,
  );
  const before = await progressOf(tx, uuids);
  const progress = foldAll(before, signals);
  const others = await heldByOthers(tx, reporter, uuids, now);
  const moved = positions.filter(({ heimdallJobId }) => !others.has(heimdallJobId));
  await savePositions(tx, moved);
  const read = await foldPositions(tx, progress.rows, moved);
  await saveProgress(tx, differing(before, progress.rows));
  await closeTargets(tx, read.ended);

  const stirred = new Set([...recorded, ...progress.saved, ...read.justEnded]);
  const waiting = await whereSomethingWaits(
    tx,
    [...progress.stepped].filter((uuid) => !stirred.has(uuid)),
  );
  await raiseKnownFacts(tx, [...stirred, ...waiting], now);
  const count = recorded.length + progress.folded;
  const changes = [...new Set([...recorded, ...progress.saved, ...progress.stepped, ...read.justEnded])].map(
    (heimdallJobId): Change => ({ kind: "signal", heimdallJobId }),
  );
  return { answer: { recorded: count, repeated: signals.length - count }, changes };
}

function withLowerIds(report: SignalReport): SignalReport {
  const lower = <T extends { readonly heimdallJobId: string }>(rows: readonly T[]): T[] =>
    rows.map((row) => ({ ...row, heimdallJobId: row.heimdallJobId.toLowerCase() }));
  return { ...report, signals: lower(report.signals), positions: lower(report.positions) };
}

/** @returns The UUID of each that was new, once a signal. */
async function insertSignals(tx: Tx, reporter: string, signals: readonly NewSignal[], now: Instant): Promise<string[]> {
  if (signals.length === 0) return [];
  const { rows } = await sql<{ uuid: string }>`
    insert into signal (heimdall_job_id, key, kind, at, evidence, cause, cause_class, domain, root, exit_independent, nodes, rank,
      step, step_spacing_ms, reporter, recorded_at)
    select "heimdallJobId", key, kind, at, evidence, cause, "causeClass", domain, root, "exitIndependent", nodes, rank, step,
      "stepSpacingMs", ${reporter}, ${now}
    from jsonb_to_recordset(${json(signals)}::jsonb) as s ("heimdallJobId" text, key text, kind text, at bigint, evidence jsonb,
      cause text, "causeClass" text, domain text, root boolean, "exitIndependent" boolean, nodes jsonb, rank integer, step bigint,
      "stepSpacingMs" bigint)
    on conflict (heimdall_job_id, md5(key)) do nothing
    returning heimdall_job_id as uuid`.execute(tx);
  return rows.map(({ uuid }) => uuid);
}

interface Folded {
  readonly rows: Map<string, ProgressRow>;
  /** How many signals that are only folded said something new. */
  readonly folded: number;
  readonly stepped: ReadonlySet<string>;
  readonly saved: ReadonlySet<string>;
}

/** In the order of their times: a report may bring the lines of several ranks. */
function foldAll(before: ReadonlyMap<string, ProgressRow>, signals: readonly NewSignal[]): Folded {
  const rows = new Map(before);
  const [stepped, saved] = [new Set<string>(), new Set<string>()];
  let folded = 0;
  for (const signal of [...signals].sort((a, b) => a.at - b.at)) {
    const known = rows.get(signal.heimdallJobId) ?? {};
    const next = foldProgress(known, signal);
    if (next === known) continue;
    rows.set(signal.heimdallJobId, next);
    if (!isFolded(signal)) continue;
    folded++;
    (signal.kind === "progress" ? stepped : saved).add(signal.heimdallJobId);
  }
  return { rows, folded, stepped, saved };
}

/** Lays the positions over `rows`. */
async function foldPositions(tx: Tx, rows: Map<string, ProgressRow>, moved: readonly LogPosition[]) {
  const uuids = [...new Set(moved.map(({ heimdallJobId }) => heimdallJobId))];
  const ended: string[] = [];
  const justEnded: string[] = [];
  if (uuids.length === 0) return { ended, justEnded };
  const positions = await positionsOf(tx, uuids);
  for (const uuid of uuids) {
    const known = rows.get(uuid) ?? {};
    const next = withPositions(known, positions.get(uuid) ?? []);
    rows.set(uuid, next);
    if (next.logEndedAt === undefined) continue;
    ended.push(uuid);
    if (known.logEndedAt === undefined) justEnded.push(uuid);
  }
  return { ended, justEnded };
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

/** Of each attempt at most `situationSignalsMax`: roots and the end marker before consequences, earliest first. */
export async function signalsOf(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredSignal[]>> {
  const found = new Map<string, StoredSignal[]>();
  if (uuids.length === 0) return found;
  const rows = await db
    .with("ranked", (query) =>
      query
        .selectFrom("signal")
        .selectAll()
        .select(
          sql<number>`row_number() over (partition by heimdall_job_id order by (root or kind = 'finished') desc, at, id)`.as(
            "place",
          ),
        )
        .where("heimdall_job_id", "in", [...uuids]),
    )
    .selectFrom("ranked")
    .selectAll()
    .where("place", "<=", limits.situationSignalsMax)
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
      }),
    } as StoredSignal;
    found.set(row.heimdall_job_id, [...(found.get(row.heimdall_job_id) ?? []), signal]);
  }
  return found;
}
