/**
 * report-job: takes in what publishers say of attempts: one report by itself, or a whole ordered pass over a cluster.
 *
 * In the loop   report → **store** → facts
 * Keeps         as `postgres/report-store.ts`. Everything that may refuse is asked before anything is changed.
 */
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Change, JobReport, PassAnswer, PassReport } from "../../store.ts";
import { passEvents } from "../../audit/own-events.ts";
import { applyReport } from "../attempt/apply-report.ts";
import { attemptKey, type JobRow } from "../attempt/job-row.ts";
import { settleMissing, type Context } from "../attempt/settle.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { Written } from "../postgres/changes.ts";
import { present, storable } from "../postgres/storable.ts";
import { heardAtOf } from "../rules/heard.ts";
import { standingOf, type Standing } from "../rules/standing.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { attemptOf, deskFor, familyOf, putJob, saveDesk } from "./job-table.ts";
import { awaitedLinesIn, stirTargets } from "./node-log-table.ts";
import { saveNodes } from "./node-table.ts";
import { requireSteps, saveSteps } from "./step-table.ts";
import { requireWhole, type Tables } from "./tables.ts";

const jobChanges = (uuids: readonly string[]): Change[] =>
  uuids.map((heimdallJobId) => ({ kind: "job", heimdallJobId }));

export function upsertJob(t: Tables, given: JobReport, now: Instant): Written<AttemptRecord> {
  const report = storable(given);
  const desk = deskFor(t, [report]);
  const { heimdallJobId } = applyReport(desk, report, { now });
  const changed = saveDesk(t, desk, now);
  for (const { heimdallJobId: uuid, lastSeenAt } of desk.seenAgain()) {
    const row = t.jobs.get(uuid);
    if (row !== undefined) putJob(t, { ...row, lastSeenAt });
  }
  const saved = t.jobs.get(heimdallJobId);
  if (saved === undefined) throw new Error(`attempt ${heimdallJobId} was not there after it was saved`);
  return { answer: attemptOf(t, saved), changes: jobChanges(changed) };
}

export function reportPass(t: Tables, given: PassReport, now: Instant): Written<PassAnswer> {
  // Long lists, of which most is as it is stored already: each cleans what it keeps (`takeIn`, `saveNodes`).
  const report = { ...storable({ ...given, seen: [], nodes: [] }), seen: given.seen, nodes: given.nodes };
  const stranger = report.changed.find(({ cluster }) => cluster !== report.cluster);
  if (stranger !== undefined) {
    throw new Refusal(
      "invalid",
      `changed[].cluster ${stranger.cluster}: expected ${report.cluster}, the cluster of the pass`,
    );
  }
  requireWhole("pass", report, ["takenAt", "takenAfter", "leaseTerm"]);
  requireSteps(report.steps);
  const { cluster } = report;
  const last = t.passes.get(cluster);
  const standing = standingOf(report, last, t.leases.get(cluster), now);
  const { heimdallJobIds, changed } =
    standing.counts && report.unavailable === undefined
      ? takeIn(t, report, standing, now)
      : { heimdallJobIds: knownIds(t, report, now), changed: [] };
  if (standing.counts && report.unavailable !== undefined) savePass(t, report, standing, now);
  const events = standing.counts ? passEvents(last, report, standing.setsMode) : [];
  recordOwnEvents(t, [...events, ...saveSteps(t, report.steps)]);
  const confirmedStepKeys = report.steps.map(({ key }) => key);
  return { answer: { heimdallJobIds, confirmedStepKeys, isTaken: standing.counts }, changes: jobChanges(changed) };
}

function takeIn(t: Tables, report: PassReport, standing: Standing, now: Instant) {
  const { cluster, changed, takenAt } = report;
  const view = new Set<string>();
  const show = (jobId: string, attemptIndex: number) => {
    if (jobId !== "") view.add(attemptKey(jobId, attemptIndex)); // What Slurm shows has a job ID.
  };
  for (const { jobId, attemptIndex } of report.seen) show(storable(jobId), attemptIndex);
  for (const { jobId = "", attemptIndex } of changed) show(jobId, attemptIndex);
  const lists = (row: JobRow) => view.has(attemptKey(row.jobId, row.attemptIndex));
  const before = t.passes.get(cluster);
  const awaited = awaitedLinesIn(t, { cluster, takenAt, lists, before }, now);
  const listed = countListed(t, cluster, view);
  const missing = report.complete && listed < (t.listed.get(cluster)?.size ?? 0) ? missingFrom(t, cluster, view) : [];
  let [heimdallJobIds, saved]: [readonly string[], readonly string[]] = [[], []];
  if (changed.length > 0 || missing.length > 0) {
    const context: Context = { now, seenAt: takenAt, view };
    const desk = deskFor(t, changed, cluster, missing);
    heimdallJobIds = changed.map((job) => applyReport(desk, job, context).heimdallJobId);
    settleMissing(desk, missing, context);
    saved = saveDesk(t, desk, now);
  }
  if (changed.length > 0 || missing.length > 0 || listed < view.size) saveListing(t, cluster, view);
  if (!report.complete) saveSeen(t, cluster, view, takenAt);
  savePass(t, report, standing, now);
  saveNodes(t, cluster, report.nodes);
  stirTargets(t, awaited);
  return { heimdallJobIds, changed: [...saved, ...awaited] };
}

/** What the attempts of a pass that does not count are called: as they are known, or as they will be. */
function knownIds(t: Tables, report: PassReport, now: Instant): string[] {
  const desk = deskFor(t, report.changed, report.cluster);
  return report.changed.map((job) => applyReport(desk, job, { now, view: new Set() }).heimdallJobId);
}

/** Most passes list what the one before did: then nothing is missing, and nothing new. */
function countListed(t: Tables, cluster: string, view: ReadonlySet<string>): number {
  const listed = t.listed.get(cluster);
  let count = 0;
  if (listed !== undefined) for (const key of view) if (listed.has(key)) count++;
  return count;
}

function missingFrom(t: Tables, cluster: string, view: ReadonlySet<string>): NumberedRow[] {
  const missing: NumberedRow[] = [];
  for (const [key, uuid] of t.listed.get(cluster) ?? []) {
    const row = view.has(key) ? undefined : t.jobs.get(uuid);
    if (row !== undefined) missing.push(row);
  }
  return missing;
}

/** What is not listed any more has left the list with the desk. */
function saveListing(t: Tables, cluster: string, view: ReadonlySet<string>): void {
  const listed = t.listed.get(cluster);
  for (const key of view) {
    const row = listed?.has(key) === true ? undefined : newestOf(t, cluster, key);
    if (row !== undefined) putJob(t, { ...row, isListed: true });
  }
}

/** A pass that is not complete says nothing about what it does not list. */
function saveSeen(t: Tables, cluster: string, view: ReadonlySet<string>, takenAt: Instant): void {
  for (const key of view) {
    const row = newestOf(t, cluster, key);
    if (row !== undefined && row.lastSeenAt < takenAt) putJob(t, { ...row, lastSeenAt: takenAt });
  }
}

/** The attempt of that key; absent when its job ID is another job's now. */
function newestOf(t: Tables, cluster: string, key: string): NumberedRow | undefined {
  const family = familyOf(t, cluster, key.slice(0, key.lastIndexOf(" ")));
  const newest = Math.max(...family.map(({ incarnation }) => incarnation));
  return family.find(
    ({ incarnation, jobId, attemptIndex }) => incarnation === newest && attemptKey(jobId, attemptIndex) === key,
  );
}

function savePass(t: Tables, report: PassReport, { setsMode }: Standing, now: Instant): void {
  const { cluster, leaseTerm, takenAt, unavailable } = report;
  const last = t.passes.get(cluster);
  const heardAt = heardAtOf(report, now);
  const isWhole = report.complete && unavailable === undefined;
  const completeAt = isWhole ? takenAt : last?.completeAt;
  const completeHeardAt = isWhole ? heardAt : last?.completeHeardAt;
  const { mode, partitions, sac } = setsMode || last === undefined ? report : last;
  const slurm = setsMode ? (report.slurm ?? last?.slurm) : last?.slurm;
  const { reportId } = setsMode ? report : (last ?? {});
  const said = { mode, partitions, ...present({ unavailable, completeAt, completeHeardAt, slurm, sac, reportId }) };
  t.passes.set(cluster, { cluster, leaseTerm, takenAt, heardAt, ...said });
}
