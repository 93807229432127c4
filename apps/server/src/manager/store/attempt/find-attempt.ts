/**
 * find-attempt: which record a report is about.
 *
 * Takes    a report, and all attempts under its job ID.
 * Gives    the record; or how a new one is to be named; or `stale`: an earlier life of a record that has begun again.
 * Pure
 * Keeps    a reissued job ID gets records of its own (design §4); one attempt never gets two UUIDs.
 * Fails    `exists` when a UUID and an attempt name different records; `invalid` without either; `conflict` for a job that had
 *          this ID before the first one recorded.
 */
import { relate, type Relation, type Sighting } from "@reprise/core/identity/incarnation.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { JobReport } from "../../store.ts";
import { present } from "../postgres/storable.ts";
import type { Desk } from "./desk.ts";
import type { JobRow } from "./job-row.ts";

export type Found =
  | { readonly kind: "known" | "repeated" | "stale"; readonly row: JobRow }
  | { readonly kind: "new"; readonly incarnation: number; readonly incarnationSubmitAt?: Instant };

/** @param isCurrent The report is part of an ordered view of Slurm: what it shows is so now, whatever its times say. */
export function findAttempt(desk: Desk, report: JobReport, isCurrent: boolean): Found {
  const named = report.heimdallJobId === undefined ? undefined : desk.get(report.heimdallJobId.toLowerCase());
  const jobId = report.jobId ?? "";
  if (jobId === "") {
    if (report.heimdallJobId === undefined)
      throw new Refusal("invalid", "heimdallJobId, jobId: expected at least one of them");
    return named === undefined ? { kind: "new", incarnation: 0 } : { kind: "known", row: named };
  }
  if (named !== undefined && named.jobId !== "") {
    requireSame(named, report);
    const isSecondLife = named.attemptIndex > 0 && differ(named.submitAt, report.submitAt);
    return isSecondLife ? repeated(named, report, isCurrent) : { kind: "known", row: named };
  }
  const found = findByAttempt(desk.family(report.cluster, jobId), report, isCurrent);
  if (found.kind === "new") return named === undefined ? found : { kind: "known", row: named };
  if (report.heimdallJobId !== undefined && found.row.heimdallJobId !== report.heimdallJobId.toLowerCase()) {
    throw new Refusal(
      "exists",
      `heimdallJobId ${report.heimdallJobId}: attempt ${jobId}-${report.attemptIndex} is already known as ${found.row.heimdallJobId}`,
    );
  }
  return found;
}

function findByAttempt(family: readonly JobRow[], report: JobReport, isCurrent: boolean): Found {
  const newest = family.at(-1)?.incarnation;
  if (newest === undefined) return { kind: "new", incarnation: 0 };

  for (let incarnation = newest; incarnation >= 0; incarnation--) {
    const attempts = family.filter((row) => row.incarnation === incarnation);
    const relation = relate(attempts.map(sightingOf), sightingOfReport(report));
    if (relation === "earlier-incarnation") continue;
    if (relation === "new-incarnation" && incarnation < newest) break;
    return inIncarnation(relation, attempts, report, isCurrent, incarnation);
  }
  // Slurm shows it now: it is the newest, and the controller's clock was set back.
  if (isCurrent) return begin(newest + 1, report);
  throw new Refusal(
    "conflict",
    `jobId ${report.jobId}: submitted before every job that is known under this ID; it was never recorded`,
  );
}

function inIncarnation(
  relation: Relation,
  attempts: readonly JobRow[],
  report: JobReport,
  isCurrent: boolean,
  incarnation: number,
): Found {
  const row = attempts.find(({ attemptIndex }) => attemptIndex === report.attemptIndex);
  if (relation === "new-incarnation") return begin(incarnation + 1, report);
  if (row === undefined) {
    return { kind: "new", incarnation, ...present({ incarnationSubmitAt: attempts[0]?.incarnationSubmitAt }) };
  }
  return relation === "repeated-attempt" ? repeated(row, report, isCurrent) : { kind: "known", row };
}

const begin = (incarnation: number, report: JobReport): Found => ({
  kind: "new",
  incarnation,
  ...present({ incarnationSubmitAt: report.submitAt }),
});

/** A report that is not ordered may come late: the later submit time is the life that counts. */
function repeated(row: JobRow, report: JobReport, isCurrent: boolean): Found {
  const isLater = (report.submitAt ?? 0) > (row.submitAt ?? 0);
  return { kind: isCurrent || isLater ? "repeated" : "stale", row };
}

function requireSame(named: JobRow, report: JobReport): void {
  if (named.jobId === report.jobId && named.attemptIndex === report.attemptIndex && named.cluster === report.cluster)
    return;
  throw new Refusal(
    "exists",
    `heimdallJobId ${named.heimdallJobId}: names attempt ${named.jobId}-${named.attemptIndex} of cluster ${named.cluster}, ` +
      `not ${report.jobId}-${report.attemptIndex} of cluster ${report.cluster}`,
  );
}

const sightingOf = ({ attemptIndex, submitAt, user, command, sluid }: JobRow): Sighting => ({
  restartCount: attemptIndex,
  submitAt,
  user,
  command,
  sluid,
});
const sightingOfReport = ({ attemptIndex, submitAt, user, command, sluid }: JobReport): Sighting => ({
  restartCount: attemptIndex,
  submitAt,
  user,
  command,
  sluid,
});

/** In whole seconds, Slurm's unit. */
const differ = (a: Instant | undefined, b: Instant | undefined): boolean =>
  a !== undefined && b !== undefined && Math.floor(a / 1000) !== Math.floor(b / 1000);
