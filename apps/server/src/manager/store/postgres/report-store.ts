/**
 * report-store: takes in what publishers say of attempts: reports by themselves, or a whole ordered pass over a cluster.
 *
 * In the loop   report → **store** → facts
 * Writes        `job` by way of the desk; `pass`, `node` and `step` by way of their stores. One transaction a pass; one for
 *               the single reports that came at once.
 * Keeps         a pass that is older than the last one, or from a SAC whose lease another one has taken, changes no attempt;
 *               its steps are kept all the same, since they happened. Safe to repeat.
 */
import { sql } from "kysely";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { PassState } from "../../pass-state.ts";
import type { Change, JobReport, PassAnswer, PassReport } from "../../store.ts";
import { passEvents } from "../../audit/own-events.ts";
import { applyReport } from "../attempt/apply-report.ts";
import { Desk } from "../attempt/desk.ts";
import { asAttempt, attemptKey, type JobRow } from "../attempt/job-row.ts";
import { settleMissing, type Context } from "../attempt/settle.ts";
import type { Standing } from "../rules/standing.ts";
import { recordOwnEvents } from "./audit-store.ts";
import type { Written } from "./changes.ts";
import { ahead } from "./ahead.ts";
import { hot } from "./prepared.ts";
import { lockFacts } from "./facts-store.ts";
import { lockJobs, saveDesk } from "./job-rows.ts";
import { saveNodes } from "./node-store.ts";
import { readStanding, savePass } from "./pass-store.ts";
import type { DatedReport, Taken } from "./report-batch.ts";
import type { Tx } from "./schema.ts";
import { awaitedLinesIn } from "./read-node-lines.ts";
import { familiesOf, selectJobs, toJobRow } from "./select-jobs.ts";
import { saveSteps } from "./step-store.ts";
import { stirTargets } from "./target-store.ts";
import { storable } from "./storable.ts";

const jobChanges = (uuids: readonly string[]): Change[] =>
  uuids.map((heimdallJobId) => ({ kind: "job", heimdallJobId }));

/** @returns One answer a report. All are of one cluster, and no two say different things of one attempt (`report-batch.ts`). */
export async function upsertJobs(tx: Tx, given: readonly DatedReport[]): Promise<Written<readonly Taken[]>> {
  const reports = given.map(({ report, now }) => ({ report: storable(report), now }));
  const latest = Math.max(...given.map(({ now }) => now));
  await lockJobs(tx);
  const desk = await deskFor(
    tx,
    reports.map(({ report }) => report),
  );
  await lockDesk(tx, desk);
  const applied = reports.map(({ report, now }) => orRefused(() => applyReport(desk, report, { now }).heimdallJobId));
  const { changed } = await saveDesk(tx, desk, latest);
  await saveSeenAgain(tx, desk.seenAgain());
  const savedOf = new Map<string, JobRow>(changed.map((row) => [row.heimdallJobId, row]));
  const taken = applied.map((one) => {
    if (one instanceof Refusal) return one;
    const saved = savedOf.get(one) ?? desk.get(one);
    if (saved === undefined) throw new Error(`attempt ${one} is not on the desk that it was saved from`);
    return asAttempt(saved);
  });
  return { answer: taken, changes: jobChanges(changed.map(({ heimdallJobId }) => heimdallJobId)) };
}

/** A report that is refused has changed nothing on the desk. */
function orRefused<T>(apply: () => T): T | Refusal {
  try {
    return apply();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function saveSeenAgain(tx: Tx, rows: readonly JobRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`${ahead}${hot}
    update job set last_seen_at = seen.at
    from unnest(${rows.map((row) => row.heimdallJobId)}::text[], ${rows.map((row) => row.lastSeenAt)}::bigint[]) as seen (uuid, at)
    where heimdall_job_id = seen.uuid`.execute(tx);
}

export async function reportPass(tx: Tx, given: PassReport, now: Instant): Promise<Written<PassAnswer>> {
  const report = storable(given);
  const stranger = report.changed.find(({ cluster }) => cluster !== report.cluster);
  if (stranger !== undefined) {
    throw new Refusal(
      "invalid",
      `changed[].cluster ${stranger.cluster}: expected ${report.cluster}, the cluster of the pass`,
    );
  }
  await lockJobs(tx);
  const { standing, last } = await readStanding(tx, report, now);
  const steps = await saveSteps(tx, report.steps);
  // Once this is committed the reporter may forget them.
  const confirmedStepKeys = report.steps.map(({ key }) => key);

  if (standing.counts && report.unavailable !== undefined) await savePass(tx, report, standing, 0, now);
  const { heimdallJobIds, changed } =
    standing.counts && report.unavailable === undefined
      ? await takeIn(tx, report, { standing, last }, now)
      : { heimdallJobIds: await knownIds(tx, report, now), changed: [] };
  const events = standing.counts ? passEvents(last, report, standing.setsMode) : [];
  await recordOwnEvents(tx, [...events, ...steps]);
  return { answer: { heimdallJobIds, confirmedStepKeys, isTaken: standing.counts }, changes: jobChanges(changed) };
}

interface Before {
  readonly standing: Standing;
  readonly last: PassState | undefined;
}

async function takeIn(tx: Tx, report: PassReport, { standing, last }: Before, now: Instant) {
  const { cluster, takenAt } = report;
  const shown = [...report.seen, ...report.changed.map(({ jobId = "", attemptIndex }) => ({ jobId, attemptIndex }))];
  const seen = shown.filter(({ jobId }) => jobId !== ""); // What Slurm shows has a job ID.
  const names = new Set(seen.map(({ jobId, attemptIndex }) => attemptKey(jobId, attemptIndex)));
  const context: Context = { now, seenAt: takenAt, view: names };
  const lists = ({ jobId, attemptIndex }: JobRow) => names.has(attemptKey(jobId, attemptIndex));
  const awaited = await awaitedLinesIn(tx, { cluster, takenAt, lists, before: last }, now);
  const view: View = {
    cluster,
    jobIds: seen.map(({ jobId }) => jobId),
    indices: seen.map((attempt) => attempt.attemptIndex),
  };

  const missing = report.complete ? await missingFrom(tx, view) : [];
  const desk = await deskFor(
    tx,
    report.changed,
    cluster,
    missing.map(({ jobId }) => jobId),
  );
  await lockDesk(tx, desk);
  const heimdallJobIds = report.changed.map((job) => applyReport(desk, job, context).heimdallJobId);
  settleMissing(desk, missing, context);
  const { changed } = await saveDesk(tx, desk, now);
  await saveListing(tx, view);
  if (!report.complete) await saveSeen(tx, view, takenAt);
  await savePass(tx, report, standing, await saveNodes(tx, cluster, report.nodes), now);
  await stirTargets(tx, awaited);
  return { heimdallJobIds, changed: [...changed.map(({ heimdallJobId }) => heimdallJobId), ...awaited] };
}

async function deskFor(
  tx: Tx,
  reports: readonly JobReport[],
  cluster = reports[0]?.cluster ?? "",
  jobIds: readonly string[] = [],
) {
  const uuids = reports.flatMap(({ heimdallJobId }) => heimdallJobId?.toLowerCase() ?? []);
  const ids = [...new Set([...jobIds, ...reports.flatMap(({ jobId }) => jobId ?? [])])];
  const rows = await familiesOf(tx, cluster, ids, uuids);
  // A UUID may name an attempt of a job that no report names.
  const named = rows.filter(({ jobId }) => jobId !== "" && !ids.includes(jobId));
  const others =
    named.length === 0
      ? []
      : await familiesOf(
          tx,
          cluster,
          named.map(({ jobId }) => jobId),
          [],
        );
  return new Desk([...new Map([...rows, ...others].map((row) => [row.heimdallJobId, row])).values()]);
}

const lockDesk = (tx: Tx, desk: Desk): Promise<void> => lockFacts(tx, desk.uuids());

/** What the attempts of a pass that does not count are called: as they are known, or as they will be. */
async function knownIds(tx: Tx, report: PassReport, now: Instant): Promise<string[]> {
  const desk = await deskFor(tx, report.changed, report.cluster);
  return report.changed.map((job) => applyReport(desk, job, { now, view: new Set() }).heimdallJobId);
}

interface View {
  readonly cluster: string;
  readonly jobIds: readonly string[];
  readonly indices: readonly number[];
}

const inView = ({ jobIds, indices }: View) => sql<boolean>`exists (
  select from unnest(${[...jobIds]}::text[], ${[...indices]}::integer[]) as seen (job_id, attempt_index)
  where seen.job_id = job.job_id and seen.attempt_index = job.attempt_index)`;

async function missingFrom(tx: Tx, view: View): Promise<JobRow[]> {
  const rows = await selectJobs(tx)
    .where("job.cluster", "=", view.cluster)
    .where("job.is_listed", "=", true)
    .where(sql<boolean>`not ${inView(view)}`)
    .execute();
  return rows.map(toJobRow);
}

/** What is not listed any more has left the list with the desk. */
async function saveListing(tx: Tx, view: View): Promise<void> {
  await sql`${ahead}
    update job set is_listed = true where cluster = ${view.cluster} and not is_listed and ${inView(view)} and ${isNewest}`.execute(
    tx,
  );
}

/** A pass that is not complete says nothing about what it does not list. */
async function saveSeen(tx: Tx, view: View, takenAt: Instant): Promise<void> {
  await sql`${ahead}
    update job set last_seen_at = greatest(last_seen_at, ${takenAt}::bigint)
    where cluster = ${view.cluster} and ${inView(view)} and ${isNewest}`.execute(tx);
}

const isNewest = sql<boolean>`not exists (
  select from job newer where newer.job_id = job.job_id and newer.cluster = job.cluster and newer.incarnation > job.incarnation)`;
