/** job-table: attempts, as a desk works on them and as they leave the store. See `postgres/job-rows.ts` and `select-jobs.ts`. */
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { JobReport } from "../../store.ts";
import { Desk } from "../attempt/desk.ts";
import { deskEvents } from "../attempt/desk-events.ts";
import { numbered, toBeRead, withPredecessors, workflowName, type NumberedRow } from "../attempt/follow-up.ts";
import { asAttempt, attemptKey, type JobRow } from "../attempt/job-row.ts";
import { newPlaces, type Place } from "../attempt/place.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { raiseFacts } from "./facts-table.ts";
import { at, requireWhole, type PlaceRow, type Tables } from "./tables.ts";

/** A listed attempt was last seen by the last complete pass. */
function lastSeen(t: Tables, row: NumberedRow): Instant {
  return Math.max(row.lastSeenAt, row.isListed ? (t.passes.get(row.cluster)?.completeAt ?? 0) : 0);
}

export function seen(t: Tables, row: NumberedRow): NumberedRow {
  const lastSeenAt = lastSeen(t, row);
  return lastSeenAt > row.lastSeenAt ? { ...row, lastSeenAt } : row;
}

/** Of each row what leaves the store: it is asked for much more often than it changes. */
const attempts = new WeakMap<NumberedRow, AttemptRecord>();

export function attemptOf(t: Tables, row: NumberedRow): AttemptRecord {
  const known = attempts.get(row) ?? asAttempt(row);
  const lastSeenAt = lastSeen(t, row);
  const attempt = lastSeenAt === known.lastSeenAt ? known : { ...known, lastSeenAt };
  attempts.set(row, attempt);
  return attempt;
}

/** All attempts under a job ID, in the order of creation. */
export const familyOf = (t: Tables, cluster: string, jobId: string): NumberedRow[] => [...membersOf(t, cluster, jobId)];

function* membersOf(t: Tables, cluster: string, jobId: string): Generator<NumberedRow, void> {
  for (const uuid of t.families.get(jobId) ?? []) {
    const row = t.jobs.get(uuid);
    if (row?.cluster === cluster) yield row;
  }
}

/** The attempts of the same incarnation, itself among them, in the order of creation. One that only has a UUID is alone. */
export function* kinOf(t: Tables, row: NumberedRow): Generator<NumberedRow, void> {
  if (row.jobId === "") yield row;
  else for (const other of membersOf(t, row.cluster, row.jobId)) if (other.incarnation === row.incarnation) yield other;
}

/** The same, oldest first. */
export const siblingsOf = (t: Tables, row: NumberedRow): NumberedRow[] => byIndex([...kinOf(t, row)]);

export function newestIncarnation(t: Tables, cluster: string, jobId: string): NumberedRow[] {
  const family = familyOf(t, cluster, jobId);
  const newest = Math.max(...family.map(({ incarnation }) => incarnation));
  return byIndex(family.filter(({ incarnation }) => incarnation === newest));
}

const byIndex = (rows: NumberedRow[]): NumberedRow[] => rows.sort((a, b) => a.attemptIndex - b.attemptIndex);

export function deskFor(
  t: Tables,
  reports: readonly JobReport[],
  cluster = reports[0]?.cluster ?? "",
  missing: readonly NumberedRow[] = [],
): Desk {
  const rows = new Map<string, JobRow>();
  const add = (row: NumberedRow | undefined) => row && rows.set(row.heimdallJobId, seen(t, row));
  const addFamily = (jobId: string) => familyOf(t, cluster, jobId).forEach(add);
  for (const { jobId } of missing) addFamily(jobId);
  for (const { jobId } of reports) if (jobId !== undefined) addFamily(jobId);
  for (const { heimdallJobId } of reports) {
    const named = heimdallJobId === undefined ? undefined : t.jobs.get(heimdallJobId.toLowerCase());
    if (named === undefined) continue;
    add(named);
    addFamily(named.jobId); // A UUID may name an attempt of a job that no report names.
  }
  return new Desk([...rows.values()]);
}

export function putJob(t: Tables, row: NumberedRow): void {
  const { heimdallJobId: uuid, cluster, jobId, attemptIndex } = row;
  if (!t.jobs.has(uuid)) t.created.push(uuid);
  t.jobs.set(uuid, row);
  if (jobId !== "") at(t.families, jobId, () => new Set()).add(uuid);
  const listed = at(t.listed, cluster, () => new Map<string, string>());
  const key = attemptKey(jobId, attemptIndex);
  if (row.isListed) listed.set(key, uuid);
  else if (listed.get(key) === uuid) listed.delete(key);
}

/** @returns The UUIDs whose facts changed. Throws before it has changed anything. */
export function saveDesk(t: Tables, desk: Desk, now: Instant): readonly string[] {
  const changed = desk.changed();
  const dated = changed.map(({ after }) => ({ ...after, updatedAt: now }));
  for (const row of dated) requireStorable(t, row);
  const rows = numbered(dated, newestOf(t), now);
  for (const row of rows) putJob(t, row);
  for (const place of newPlaces(changed, t.created.length)) putPlace(t, place);
  for (const { heimdallJobId, lastSeenAt } of desk.unlisted()) {
    const row = t.jobs.get(heimdallJobId);
    if (row !== undefined) putJob(t, { ...row, isListed: false, lastSeenAt });
  }
  for (const row of rows) {
    if (t.workflows.has(row.workflowId)) continue;
    t.workflows.set(row.workflowId, workflowName(row));
    t.createdWorkflows.push(row.workflowId);
  }
  for (const uuid of toBeRead(changed)) at(t.targets, uuid, () => ({ expiresAt: 0 }));
  raiseFacts(t, withPredecessors(desk, rows), now);
  recordOwnEvents(t, deskEvents(desk, changed, now));
  return rows.map((row) => row.heimdallJobId);
}

export function putPlace(t: Tables, { list, value, heimdallJobId, createdSeq, isLate }: Place): void {
  const places = at(t.places, `${list} ${value}`, () => new Map<string, PlaceRow>());
  if (!places.has(heimdallJobId)) places.set(heimdallJobId, [createdSeq, isLate ? t.late.push(heimdallJobId) : 0]);
  t.moved.add(heimdallJobId);
}

const newestOf = (t: Tables): NumberedRow | undefined => t.jobs.get(t.created.at(-1) ?? "");

function requireStorable(t: Tables, row: JobRow): void {
  requireWhole("job", row, ["attemptIndex", "gpuCountPerNode", "submitAt"]);
  const { cluster, jobId, heimdallJobId, incarnation, attemptIndex } = row;
  const double = familyOf(t, cluster, jobId).find(
    (other) =>
      other.incarnation === incarnation && other.attemptIndex === attemptIndex && other.heimdallJobId !== heimdallJobId,
  );
  if (double !== undefined) {
    throw new Error(`attempt ${jobId}-${attemptIndex}: is ${double.heimdallJobId} already, not ${heimdallJobId}`);
  }
}
