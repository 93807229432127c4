/**
 * fold-report: how far each training came, after one report of a watcher.
 *
 * In the loop   signals and positions → **fold** → progress
 * Pure, total
 * Keeps         signals count in the order of their times, whatever the order in the report.
 */
import type { Instant, Signal } from "@reprise/core/nouns.ts";
import type { LogPosition, SignalReport, WorkRecord } from "../../store.ts";
import { foldProgress, type ProgressRow } from "../postgres/fold-progress.ts";
import { present } from "../postgres/storable.ts";

/** Such a signal is kept nowhere else: a row for every step would outgrow everything. */
export const isFolded = ({ kind }: Pick<Signal, "kind">): boolean => kind === "progress" || kind === "checkpoint-saved";

export interface Folded {
  readonly rows: Map<string, ProgressRow>;
  /** How many signals that are only folded said something new. */
  readonly folded: number;
  /** Attempts that came to a further step; and those that saved a checkpoint. */
  readonly stepped: ReadonlySet<string>;
  readonly saved: ReadonlySet<string>;
}

/** A report may bring the lines of several ranks. */
export function foldSignals(before: ReadonlyMap<string, ProgressRow>, signals: SignalReport["signals"]): Folded {
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

export interface Read {
  /** Attempts whose logs are read to their end; and those of them that were not before. */
  readonly ended: readonly string[];
  readonly justEnded: readonly string[];
}

/**
 * Lays the positions over `rows`.
 *
 * @param positions All of each attempt that the report moved, as they stand after it.
 */
export function foldPositions(
  rows: Map<string, ProgressRow>,
  positions: ReadonlyMap<string, readonly LogPosition[]>,
  now: Instant,
): Read {
  const [ended, justEnded]: [string[], string[]] = [[], []];
  for (const [uuid, files] of positions) {
    const known = rows.get(uuid) ?? {};
    const next = withPositions(known, files, now);
    rows.set(uuid, next);
    if (next.logEndedAt === undefined) continue;
    ended.push(uuid);
    if (known.logEndedAt === undefined) justEnded.push(uuid);
  }
  return { ended, justEnded };
}

/** How far all log files of one attempt were read. A file that cannot be read says nothing: then neither does the log as a whole. */
function withPositions(known: ProgressRow, positions: readonly LogPosition[], now: Instant): ProgressRow {
  const { logReadAt: before, logEndedAt, logHeardAt, ...rest } = known;
  const times = positions.map(({ readAt, unreadable }) => (unreadable === undefined ? readAt : undefined));
  const readTimes = times.filter((at) => at !== undefined);
  const logReadAt = readTimes.length === times.length && times.length > 0 ? Math.min(...readTimes) : undefined;
  const hasEnded = positions.length > 0 && positions.every(({ ended }) => ended);
  const endedAt = hasEnded ? (logEndedAt ?? Math.max(0, ...readTimes)) : undefined;
  // A report that comes twice tells nothing new.
  const heardAt = logReadAt === undefined || logReadAt === before ? logHeardAt : now;
  return { ...rest, ...present({ logReadAt, logEndedAt: endedAt, logHeardAt: heardAt }) };
}

/** What whoever carries Advice out has to know of the log. */
export const logOf = (row: ProgressRow | undefined): Pick<WorkRecord, "logEnded" | "logHeardAt"> => ({
  logEnded: row?.logEndedAt !== undefined,
  ...present({ logHeardAt: row?.logHeardAt }),
});
