/**
 * report-store: takes in what publishers say of attempts: one report by itself, or a whole ordered pass over a cluster.
 *
 * In the loop   report → **store** → facts
 * Writes        `job` by way of the desk; `pass`, `node` and `step` by way of their stores. One transaction a report.
 * Keeps         a pass that is older than the last one, or from a SAC whose lease another one has taken, changes no attempt;
 *               its steps are kept all the same, since they happened. Safe to repeat.
 */
import { sql } from "kysely";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Change, JobReport, PassAnswer, PassReport } from "../../store.ts";
import { applyReport } from "../attempt/apply-report.ts";
import { Desk } from "../attempt/desk.ts";
import { asAttempt, attemptKey, type JobRow } from "../attempt/job-row.ts";
import { settleMissing, type Context } from "../attempt/settle.ts";
import type { Standing } from "../rules/standing.ts";
import type { Written } from "./changes.ts";
import { lockFacts } from "./facts-store.ts";
import { lockJobs, saveDesk } from "./job-rows.ts";
import { saveNodes } from "./node-store.ts";
import { readStanding, savePass } from "./pass-store.ts";
import type { Tx } from "./schema.ts";
import { familiesOf, selectJobs, toJobRow } from "./select-jobs.ts";
import { saveSteps } from "./step-store.ts";
import { storable } from "./storable.ts";

const jobChanges = (uuids: readonly string[]): Change[] =>
  uuids.map((heimdallJobId) => ({ kind: "job", heimdallJobId }));

export async function upsertJob(tx: Tx, given: JobReport, now: Instant): Promise<Written<AttemptRecord>> {
  const report = storable(given);
  await lockJobs(tx);
  const desk = await deskFor(tx, [report]);
  await lockDesk(tx, desk);
  const { heimdallJobId } = applyReport(desk, report, { now });
  const { changed } = await saveDesk(tx, desk, now);
  for (const row of desk.seenAgain()) {
    await tx
      .updateTable("job")
      .set({ last_seen_at: row.lastSeenAt })
      .where("heimdall_job_id", "=", row.heimdallJobId)
      .execute();
  }
  const [saved] = await familiesOf(tx, "", [], [heimdallJobId]);
  if (saved === undefined) throw new Error(`attempt ${heimdallJobId} was not there after it was saved`);
  return { answer: asAttempt(saved), changes: jobChanges(changed) };
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
  const standing = await readStanding(tx, report, now);
  const confirmedStepKeys = await saveSteps(tx, report.steps);

  if (standing.counts && report.unavailable !== undefined) await savePass(tx, report, standing, 0);
  if (!standing.counts || report.unavailable !== undefined) {
    return { answer: { heimdallJobIds: await knownIds(tx, report, now), confirmedStepKeys }, changes: [] };
  }
  const { heimdallJobIds, changed } = await takeIn(tx, report, standing, now);
  return { answer: { heimdallJobIds, confirmedStepKeys }, changes: jobChanges(changed) };
}

async function takeIn(tx: Tx, report: PassReport, standing: Standing, now: Instant) {
  const { cluster } = report;
  const shown = [...report.seen, ...report.changed.map(({ jobId = "", attemptIndex }) => ({ jobId, attemptIndex }))];
  const seen = shown.filter(({ jobId }) => jobId !== ""); // What Slurm shows has a job ID.
  const context: Context = {
    now,
    view: new Set(seen.map(({ jobId, attemptIndex }) => attemptKey(jobId, attemptIndex))),
  };
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
  for (const { heimdallJobId } of missing) {
    const row = desk.get(heimdallJobId);
    if (row !== undefined) settleMissing(desk, row, context);
  }
  const { changed } = await saveDesk(tx, desk, now);
  await (report.complete ? saveListing(tx, view) : saveSeen(tx, view, report.takenAt));
  await savePass(tx, report, standing, await saveNodes(tx, cluster, report.nodes));
  return { heimdallJobIds, changed };
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
  await sql`
    update job set is_listed = true where cluster = ${view.cluster} and not is_listed and ${inView(view)} and ${isNewest}`.execute(
    tx,
  );
}

/** A pass that is not complete says nothing about what it does not list. */
async function saveSeen(tx: Tx, view: View, takenAt: Instant): Promise<void> {
  await sql`
    update job set last_seen_at = greatest(last_seen_at, ${takenAt}::bigint)
    where cluster = ${view.cluster} and ${inView(view)} and ${isNewest}`.execute(tx);
}

const isNewest = sql<boolean>`not exists (
  select from job newer where newer.job_id = job.job_id and newer.cluster = job.cluster and newer.incarnation > job.incarnation)`;
