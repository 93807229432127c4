/** jobs: the list of attempts, and one job's attempts in full. Pure. */
import { statusOf, type WireJob, type WireUnreadLog } from "../wire.ts";
import { paintState } from "./paint.ts";
import { printable, wrap } from "./printable.ts";
import { type Column, renderTable } from "./table.ts";
import { age, ageOf, dateTime, instant } from "./time.ts";
import type { View } from "./view.ts";

/** Slurm's own word where there is one: it says more than the wire's seven states. */
export function stateOf(job: WireJob): string {
  const status = statusOf(job);
  const word = job.schedulerMetadata?.slurm?.slurmState;
  return status === "STOPPED" || status === "DELETED" || word === undefined || word === "" ? status : word;
}

export function renderJobs(jobs: readonly WireJob[], leftOut: number, view: View): string {
  if (jobs.length === 0) return "No jobs. A job appears once SAC has seen it in Slurm.\n";
  const columns: Column<WireJob>[] = [
    { title: "JOB", cell: (job) => job.jobId ?? "" },
    { title: "TRY", cell: (job) => String(job.attemptIndex ?? 0) },
    { title: "NAME", cell: (job) => job.jobName ?? "", canShrink: true },
    { title: "STATE", cell: stateOf, paint: (cell) => paintState(view.paint, cell) },
    { title: "NODES", cell: (job) => (job.nodes ?? []).join(","), canShrink: true },
    { title: "RECOVERY", cell: recoveryOf, canShrink: true },
    { title: "SEEN", cell: (job) => ageOf(job.lastSeen, view) },
  ];
  const table = renderTable(columns, jobs, view.width);
  return leftOut === 0
    ? table
    : `${table}${view.paint.faint(`${leftOut} earlier ones are not shown: --limit N shows more`)}\n`;
}

/** Empty: whoever published the job has not said. */
function recoveryOf(job: WireJob): string {
  const recovery = job.schedulerMetadata?.recovery;
  if (recovery === undefined) return "";
  return recovery.notCovered === undefined ? "covered" : `no: ${recovery.notCovered.because ?? "no reason given"}`;
}

/** @param unread By UUID of the attempt: what could not be read of its logs. */
export function renderJob(
  jobs: readonly WireJob[],
  view: View,
  unread: ReadonlyMap<string, readonly WireUnreadLog[]> = new Map(),
): string {
  return jobs.map((job) => renderAttempt(job, view, unread.get(job.heimdallJobId ?? ""))).join("\n");
}

/** One text a file. */
export function unreadText(logs: readonly WireUnreadLog[] = [], view: View): readonly string[] {
  return logs.map(({ path = "?", why = "", readAt }) => {
    const at = instant(readAt);
    const until = at === undefined ? "never read" : `last read ${dateTime(at, view.timeZone)}`;
    return `${path}: ${why} (${until}); silence in it counts for nothing`;
  });
}

function renderAttempt(job: WireJob, view: View, unread?: readonly WireUnreadLog[]): string {
  const slurm = job.schedulerMetadata?.slurm ?? {};
  const seen = instant(job.lastSeen);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["name", job.jobName],
    ["workflow", job.workflowId],
    ["nodes", nonEmpty(job.nodes)],
    ["excluded nodes", nonEmpty(job.nodeConstraints?.exclusions)],
    ["GPUs per node", job.gpuCountPerNode === undefined ? undefined : String(job.gpuCountPerNode)],
    ["user", slurm.user],
    ["partition", slurm.partition],
    ["reason", slurm.reason === "None" ? undefined : slurm.reason],
    ["starts", startOf(job, view)],
    ["exit code", exitOf(slurm.exitCode, slurm.signal)],
    ["output", slurm.stdout],
    ...unreadText(unread, view).map((text) => ["log unread", text] as const),
    ["work folder", slurm.workDir],
    ["recovery", `${recoveryOf(job).replace(/^no: /, "not covered: ")}${positionOf(job)}`],
    ...warningsOf(job),
    ["last seen", seen === undefined ? undefined : `${dateTime(seen, view.timeZone)} (${age(view.now - seen)} ago)`],
    ["id", job.heimdallJobId],
  ];
  const head = view.paint.strong(`Job ${printable(job.jobId ?? "?")}, attempt ${job.attemptIndex ?? 0}`);
  const body = rows.flatMap(([label, value]) =>
    value === undefined || value === "" ? [] : labelled(label, value, view.width),
  );
  return `${head} · ${paintState(view.paint, stateOf(job))}\n${body.map((line) => `${line}\n`).join("")}`;
}

/** What the author should know of a comment that was read all the same. */
export function warningsOf(job: WireJob): readonly (readonly ["warning", string])[] {
  return (job.schedulerMetadata?.recovery?.warnings ?? []).map((text) => ["warning", text] as const);
}

/** Of an attempt that may not start yet: the back-off of recovery, or Slurm's own delay. Any other time is Slurm's guess. */
export function startOf(job: WireJob, view: View): string | undefined {
  const { restartDelayUntil: until, reason } = job.schedulerMetadata?.slurm ?? {};
  const isDelayed = statusOf(job) === "PENDING" && reason === "BeginTime";
  if (!isDelayed || until === undefined || until <= view.now) return undefined;
  return `not before ${dateTime(until, view.timeZone)}, in ${age(until - view.now)}`;
}

function positionOf(job: WireJob): string {
  const position = job.schedulerMetadata?.recovery?.notCovered?.position;
  return position === undefined ? "" : ` (at character ${position} of the comment)`;
}

const labelWidth = 16;

/** `  label           value`, its further lines indented under the value. */
export function labelled(label: string, value: string, width: number): readonly string[] {
  return wrap(printable(value), Math.max(20, width - labelWidth - 2)).map(
    (line, i) => `  ${(i === 0 ? label : "").padEnd(labelWidth)}${line}`,
  );
}

const nonEmpty = (list: readonly string[] | undefined): string | undefined =>
  list === undefined || list.length === 0 ? undefined : list.join(" ");

function exitOf(code: number | undefined, signal: number | undefined): string | undefined {
  if ((code ?? 0) === 0 && (signal ?? 0) === 0) return undefined;
  return (signal ?? 0) === 0 ? String(code) : `${code ?? 0}, signal ${signal}`;
}
