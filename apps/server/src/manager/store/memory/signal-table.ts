/**
 * signal-table: what watchers read in logs, how far training came, and how far each file was read.
 *
 * Keeps   as `postgres/signal-store.ts`, `progress-store.ts` and `position-store.ts`.
 */
import { limits } from "@reprise/core/limits.ts";
import { madeOnce } from "@reprise/core/made-once.ts";
import type { Instant, Progress } from "@reprise/core/nouns.ts";
import type { Change, LogPosition, SignalReport, StoredSignal } from "../../store.ts";
import { signalEvents } from "../../audit/own-events.ts";
import type { Written } from "../postgres/changes.ts";
import type { ProgressRow } from "../postgres/fold-progress.ts";
import { present, storable } from "../postgres/storable.ts";
import { foldPositions, foldSignals, isFolded } from "../rules/fold-report.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { raiseKnownFacts } from "./facts-table.ts";
import { at, requireWhole, type Tables } from "./tables.ts";

type NewSignal = SignalReport["signals"][number];

export function recordSignals(
  t: Tables,
  given: SignalReport,
  now: Instant,
): Written<{ readonly recorded: number; readonly repeated: number }> {
  const { reporter, signals, positions, nodeLinesRead = [] } = withLowerIds(storable(given));
  for (const signal of signals) requireWhole("signal", signal, ["at", "rank", "step", "stepSpacingMs"]);
  for (const position of positions) requireWhole("log_position", position, ["offset", "start", "readAt"]);

  const fresh = insertSignals(t, signals, now);
  recordOwnEvents(t, signalEvents(fresh, t.jobs));
  const recorded = fresh.map(({ heimdallJobId }) => heimdallJobId);
  const before = progressOf(t, [...signals, ...positions]);
  const { rows, folded, stepped, saved } = foldSignals(before, signals);
  const moved = positions.filter(({ heimdallJobId }) => !isHeldByOther(t, heimdallJobId, reporter, now));
  for (const position of moved) {
    const { heimdallJobId: uuid, path } = position;
    const files = at(t.positions, uuid, () => new Map<string, LogPosition>());
    const { memory } = files.get(path) ?? {};
    files.set(path, positionRow({ ...(memory === undefined ? {} : { memory }), ...position }));
  }
  const { ended, justEnded } = foldPositions(
    rows,
    new Map(moved.map((p) => [p.heimdallJobId, positionsOf(t, p.heimdallJobId)])),
    now,
  );
  for (const [uuid, row] of rows) t.progress.set(uuid, row);
  for (const uuid of ended) {
    const read = Math.max(
      0,
      ...nodeLinesRead.map(({ heimdallJobId, number }) => (heimdallJobId === uuid ? number : 0)),
    );
    if ((t.targets.get(uuid)?.nodeLinesNumber ?? 0) <= read) t.targets.delete(uuid);
  }

  const told = new Set([...recorded, ...saved, ...justEnded]);
  const waiting = [...stepped].filter((uuid) => !told.has(uuid) && somethingWaits(t, uuid));
  raiseKnownFacts(t, [...told, ...waiting], now);
  const count = recorded.length + folded;
  const changes = [...new Set([...told, ...stepped])].map(
    (heimdallJobId): Change => ({ kind: "signal", heimdallJobId }),
  );
  return { answer: { recorded: count, repeated: signals.length - count }, changes };
}

function withLowerIds(report: SignalReport): SignalReport {
  const lower = <T extends { readonly heimdallJobId: string }>(rows: readonly T[]): T[] =>
    rows.map((row) => {
      const heimdallJobId = row.heimdallJobId.toLowerCase();
      return heimdallJobId === row.heimdallJobId ? row : { ...row, heimdallJobId };
    });
  const { signals, positions, nodeLinesRead = [] } = report;
  return { ...report, signals: lower(signals), positions: lower(positions), nodeLinesRead: lower(nodeLinesRead) };
}

/** @returns Those that were new, each once. */
function insertSignals(t: Tables, signals: readonly NewSignal[], now: Instant): NewSignal[] {
  const recorded: NewSignal[] = [];
  for (const signal of signals) {
    if (isFolded(signal)) continue;
    const known = at(t.signals, signal.heimdallJobId, () => new Map<string, StoredSignal>());
    if (known.has(signal.key)) continue;
    known.set(signal.key, signalRow(signal, now));
    recorded.push(signal);
  }
  return recorded;
}

const signalRow = (signal: NewSignal, recordedAt: Instant): StoredSignal => ({
  key: signal.key,
  heimdallJobId: signal.heimdallJobId,
  kind: signal.kind,
  at: signal.at,
  evidence: signal.evidence,
  root: signal.root,
  exitIndependent: signal.exitIndependent,
  nodes: signal.nodes,
  recordedAt,
  ...present({
    cause: signal.cause,
    causeClass: signal.causeClass,
    domain: signal.domain,
    rank: signal.rank,
    step: signal.step,
    stepSpacingMs: signal.stepSpacingMs,
    detail: signal.detail,
  }),
});

const positionRow = ({
  heimdallJobId,
  path,
  device,
  inode,
  offset,
  start,
  ended,
  readAt,
  unreadable,
  memory,
}: LogPosition): LogPosition => ({
  heimdallJobId,
  path,
  device,
  inode,
  offset,
  start,
  ended,
  ...present({ readAt, unreadable, memory }),
});

function progressOf(t: Tables, about: readonly { readonly heimdallJobId: string }[]): Map<string, ProgressRow> {
  const rows = new Map<string, ProgressRow>();
  for (const { heimdallJobId } of about) {
    const row = t.progress.get(heimdallJobId);
    if (row !== undefined) rows.set(heimdallJobId, row);
  }
  return rows;
}

function isHeldByOther(t: Tables, uuid: string, reporter: string, now: Instant): boolean {
  const target = t.targets.get(uuid);
  return target?.watcher !== undefined && target.watcher !== reporter && target.expiresAt > now;
}

const faults: ReadonlySet<string> = new Set(["crash", "hang", "slowdown", "numerics"]);

function somethingWaits(t: Tables, uuid: string): boolean {
  if (t.heads.has(uuid)) return true;
  for (const { kind } of t.signals.get(uuid)?.values() ?? []) if (faults.has(kind)) return true;
  return false;
}

/** By path. */
export function positionsOf(t: Tables, uuid: string): readonly LogPosition[] {
  return [...(t.positions.get(uuid)?.values() ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** At most `situationSignalsMax`: roots and the end marker before consequences, earliest first. See `postgres/signal-store.ts`. */
export function signalsOf(t: Tables, uuid: string): readonly StoredSignal[] {
  const signals = [...(t.signals.get(uuid)?.values() ?? [])];
  const place = ({ root, kind }: StoredSignal) => (root || kind === "finished" ? 0 : 1);
  const sorted = signals.sort((a, b) => place(a) - place(b) || a.at - b.at);
  if (sorted.length <= limits.situationSignalsMax) return sorted;
  const repetitions = new Map<string, number>();
  const [first, repeated]: [StoredSignal[], StoredSignal[]] = [[], []];
  for (const signal of sorted) {
    const said = `${signal.root} ${signal.kind} ${signal.cause ?? ""}`;
    const repetition = (repetitions.get(said) ?? 0) + 1;
    repetitions.set(said, repetition);
    (repetition > limits.situationRepeatsMax ? repeated : first).push(signal);
  }
  const kept = new Set([...first, ...repeated].slice(0, limits.situationSignalsMax));
  return sorted.filter((signal) => kept.has(signal));
}

export function shownProgress(t: Tables, uuid: string): Progress {
  const row = t.progress.get(uuid);
  return row === undefined ? {} : shown(row);
}

/** What leaves the store: it is asked for much more often than it changes. */
const shown = madeOnce(({ lastResumedAt: _, logHeardAt: __, ...progress }: ProgressRow): Progress => progress);
