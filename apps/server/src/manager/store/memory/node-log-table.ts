/** node-log-table: lines of nodes' own logs, and who reads them. See `postgres/node-line-store.ts` and `postgres/node-log-store.ts`. */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLine } from "@reprise/protocol/wire/node-line.ts";
import type { NodeLinesReport, NodeLog, NodeLogStore, TargetLine } from "../../node-log-store.ts";
import type { Change } from "../../store.ts";
import { hasLogs } from "../attempt/job-row.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import type { Look } from "../postgres/read-node-lines.ts";
import { present, storable } from "../postgres/storable.ts";
import { awaitedBy, awaitedSince, linesConcerning, mayConcern, residentSince } from "../rules/node-window.ts";
import { nameOf, type WantedNode, wantedNodes } from "../rules/wanted-nodes.ts";
import { seen } from "./job-table.ts";
import { at, requireWhole, type Tables } from "./tables.ts";

type NodeLogAsk = Parameters<NodeLogStore["claimNodeLogs"]>[0];

export function reportNodeLines(
  t: Tables,
  given: NodeLinesReport,
  now: Instant,
): Written<{ readonly recorded: number; readonly repeated: number }> {
  const { reporter, cluster, lines, positions } = storable(given);
  for (const line of lines) requireWhole("node_line", line, ["at", "offset"]);
  const fresh = insertLines(t, cluster, lines, now);
  for (const [node, files] of Map.groupBy(positions, (position) => position.node)) {
    const row = t.nodeLogs.get(nameOf({ cluster, node }));
    const isOurs = row?.watcher === undefined || row.watcher === reporter || row.expiresAt <= now;
    if (row !== undefined && isOurs) t.nodeLogs.set(nameOf({ cluster, node }), { ...row, positions: files });
  }
  const residents = residentsOf(t, cluster, fresh, now);
  const concerned = residents.filter((row) => hasLogs(row) && fresh.some((line) => mayConcern(row, line)));
  const uuids = concerned.map(({ heimdallJobId }) => heimdallJobId);
  stirTargets(t, uuids);
  const changes = uuids.map((heimdallJobId): Change => ({ kind: "job", heimdallJobId }));
  return { answer: { recorded: fresh.length, repeated: lines.length - fresh.length }, changes };
}

export function stirTargets(t: Tables, uuids: readonly string[]): void {
  for (const uuid of uuids) {
    const row = t.targets.get(uuid) ?? { expiresAt: 0 };
    t.targets.set(uuid, { ...row, nodeLinesNumber: (row.nodeLinesNumber ?? 0) + 1 });
  }
}

/** See `postgres/read-node-lines.ts`. */
export function awaitedLinesIn(t: Tables, { cluster, takenAt, lists, before = {} }: Look, now: Instant): string[] {
  if (t.nodeLines.size === 0) return [];
  const { completeAt = 0 } = before;
  const since = awaitedSince(before);
  const isOpen = (line: NodeLine & { readonly recordedAt: Instant }) =>
    line.at > completeAt && line.at <= takenAt && line.recordedAt > since;
  const lines = [...t.nodeLines]
    .filter(([name]) => name.startsWith(nameOf({ cluster, node: "" })))
    .flatMap(([, of]) => [...of.values()].filter(isOpen));
  const residents = residentsOf(t, cluster, lines, now).filter((row) => hasLogs(row) && lists(row));
  return awaitedBy(lines, residents, takenAt).map(({ heimdallJobId }) => heimdallJobId);
}

function insertLines(t: Tables, cluster: string, lines: readonly NodeLine[], recordedAt: Instant): NodeLine[] {
  const fresh: NodeLine[] = [];
  for (const { node, at: time, line, key, path, offset } of lines) {
    const known = at(t.nodeLines, nameOf({ cluster, node }), () => new Map());
    if (known.has(key)) continue;
    const row = { node, at: time, line, key, ...present({ path, offset }) };
    known.set(key, { ...row, recordedAt });
    fresh.push(row);
  }
  return fresh;
}

/** Attempts, covered or not, that may have been on nodes of these lines when they were written. */
function residentsOf(t: Tables, cluster: string, lines: readonly NodeLine[], now: Instant): NumberedRow[] {
  if (lines.length === 0) return [];
  const since = residentSince(lines, now);
  const nodes = new Set(lines.map(({ node }) => node));
  const wereThere = [...t.jobs.values()].filter(
    (row) =>
      row.cluster === cluster &&
      row.startedAt !== undefined &&
      (row.status === "PENDING" || row.status === "RUNNING" || (row.endedAt ?? 0) >= since) &&
      row.nodes.some((node) => nodes.has(node)),
  );
  return wereThere.map((row) => seen(t, row));
}

export function nodeLinesOf(t: Tables, attempt: NumberedRow, now: Instant): readonly TargetLine[] {
  if (t.nodeLines.size === 0) return [];
  const { cluster, nodes } = attempt;
  const lines = nodes.flatMap((node) => [...(t.nodeLines.get(nameOf({ cluster, node }))?.values() ?? [])]);
  const own = lines.map(({ recordedAt: _, ...line }) => line);
  return linesConcerning(seen(t, attempt), own, residentsOf(t, cluster, own, now));
}

export function claimNodeLogs(
  t: Tables,
  { watcher, limit }: NodeLogAsk,
  leaseMs: number,
  now: Instant,
): readonly NodeLog[] {
  const wanted = limit === 0 ? [] : wantedNodes(readFor(t, now));
  const rowOf = (one: WantedNode) => at(t.nodeLogs, nameOf(one), () => ({ expiresAt: 0, positions: [] }));
  const free = wanted.filter((one) => {
    const row = rowOf(one);
    return row.watcher === watcher || row.expiresAt <= now;
  });
  const isHeld = (one: WantedNode) => rowOf(one).watcher === watcher;
  const claimed = new Set([...free.filter(isHeld), ...free.filter((one) => !isHeld(one))].slice(0, limit));
  for (const [name, row] of t.nodeLogs)
    if (row.watcher === watcher) t.nodeLogs.set(name, { expiresAt: 0, positions: row.positions });
  for (const one of claimed) t.nodeLogs.set(nameOf(one), { ...rowOf(one), watcher, expiresAt: now + leaseMs });
  return wanted.filter((one) => claimed.has(one)).map((one) => ({ ...one, positions: rowOf(one).positions }));
}

/** Attempts whose logs are being read, and those that have ended a moment ago. */
function readFor(t: Tables, now: Instant): NumberedRow[] {
  return [...t.jobs.values()].filter(
    ({ heimdallJobId, endedAt }) =>
      t.targets.has(heimdallJobId) || (endedAt !== undefined && endedAt >= now - limits.nodeLogLateMs),
  );
}
