/**
 * parse-squeue: one `squeue -a -h -r -t all -O …` as jobs.
 *
 * In the loop   squeue's text → **this** → view → plan
 * Takes         rows like `95 95 1 PENDING "job requeued in held state" 1 0 1795964365 …`, delimited as in `squeue-columns.ts`;
 *               times in whole seconds (`SLURM_TIME_FORMAT=%s`).
 * Gives         the jobs; and those that are there but whose row has a value we do not understand, each with why, and with the text
 *               that says whose it is. They are not gone. A listing that was cut, or a row whose ID is unclear, is `broken` as a whole.
 * Pure, total
 * Source        man squeue; real output of 22.05.8 and 25.11.7 in testdata/.
 */
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import { readSlurmState } from "@reprise/core/fact/slurm-state.ts";
import type { SlurmJob, UnreadableRow } from "@reprise/core/nouns.ts";
import { KnownRows } from "./known-rows.ts";
import { parseDemand } from "./parse-demand.ts";
import { gpusPerNode, isUnset, parseCount, parseExit, parseInstant, setText } from "./parse-value.ts";
import { type Column, outlineOf, splitRows } from "./squeue-columns.ts";

export type Listing =
  | {
      readonly kind: "listing";
      readonly jobs: ReadonlyMap<string, SlurmJob>;
      readonly unreadable: ReadonlyMap<string, UnreadableRow>;
      /** What of it tells that something has happened. */
      readonly outline: string;
    }
  | { readonly kind: "broken"; readonly why: string };

/** `ExcNodeList` of each row, for a squeue whose `-O` has no `ExcNodes`: `squeue -o '%A %K %V %x'`. */
export type ExcludedOf = ReadonlyMap<string, { readonly submitTime: string; readonly excluded: string }>;

export const excludedFields = ["%A", "%K", "%V", "%x"] as const;

export function parseExcluded(text: string, mark: string): ExcludedOf | undefined {
  const found = new Map<string, { submitTime: string; excluded: string }>();
  for (const row of splitRows(text, mark) ?? [[]]) {
    const [recordId, taskId, submitTime, excluded, ...rest] = row;
    if (
      recordId === undefined ||
      taskId === undefined ||
      submitTime === undefined ||
      excluded === undefined ||
      rest.length > 0
    )
      return undefined;
    found.set(rowKey(recordId, taskId), { submitTime, excluded });
  }
  return found;
}

/**
 * @param columns  What was asked for, in this order.
 * @param excluded Needed when `ExcNodes` is not among them.
 * @param known    The rows of the listings before; those of this one are kept in it.
 */
export function parseSqueue(
  text: string,
  columns: readonly Column[],
  mark: string,
  excluded?: ExcludedOf,
  known: KnownRows = new KnownRows(),
): Listing {
  const rows = splitRows(text, mark);
  if (rows === undefined) return { kind: "broken", why: "the listing of the jobs was cut" };
  const jobs = new Map<string, SlurmJob>();
  const unreadable = new Map<string, UnreadableRow>();
  const idOf = idsIn(columns);
  for (const fields of rows) {
    const { jobId, rowKey } = idOf(fields);
    if (jobId === undefined)
      return { kind: "broken", why: `a row without a readable job ID: ${show(fields.slice(0, 3).join(" "))}` };
    const parse = () => readRow(jobId, new Map(columns.map((column, i) => [column, fields[i] ?? ""])), excluded);
    const job =
      fields.length === columns.length
        ? known.read(jobId, textOf(fields, excluded?.get(rowKey)), parse)
        : { why: `${fields.length} fields instead of ${columns.length}` };
    if ("why" in job) unreadable.set(jobId, job);
    else if (jobs.has(jobId)) unreadable.set(jobId, { why: "it is listed twice", shown: shownOf(job) });
    else jobs.set(jobId, job);
  }
  for (const jobId of unreadable.keys()) jobs.delete(jobId);
  return { kind: "listing", jobs: known.listed(jobs), unreadable, outline: outlineOf(rows, columns) };
}

/** Everything that a row is read from. No column has a NUL in it. */
const textOf = (fields: readonly string[], other: { submitTime: string; excluded: string } | undefined): string =>
  `${fields.join("\0")}\0${other?.submitTime ?? ""}\0${other?.excluded ?? ""}`;

/** `123`, or `95_1` for a task: ArrayTaskID is `N/A` for anything that is not one. Undefined: it cannot be read. */
function idsIn(columns: readonly Column[]) {
  const [record, task, array] = (["JobID", "ArrayTaskID", "ArrayJobID"] as const).map((c) => columns.indexOf(c));
  return (fields: readonly string[]): { readonly jobId: string | undefined; readonly rowKey: string } => {
    const [recordId, taskId, arrayId] = [record, task, array].map((at) => fields[at ?? -1] ?? "") as [
      string,
      string,
      string,
    ];
    const isTask = /^\d+$/.test(taskId) && /^\d+$/.test(arrayId);
    const jobId = !/^\d+$/.test(recordId)
      ? undefined
      : taskId === "N/A"
        ? recordId
        : isTask
          ? `${arrayId}_${taskId}`
          : undefined;
    return { jobId, rowKey: rowKey(recordId, taskId) };
  };
}

const rowKey = (recordId: string, taskId: string) => `${recordId}/${taskId}`;

/** Thrown and caught in this file only: the first value of a row that cannot be read. */
class Unreadable extends Error {}

function readRow(
  jobId: string,
  row: ReadonlyMap<Column, string>,
  excluded: ExcludedOf | undefined,
): SlurmJob | UnreadableRow {
  try {
    return jobOf(jobId, row, excluded);
  } catch (thrown) {
    if (thrown instanceof Unreadable) return { why: thrown.message, shown: shownIn(row) };
    throw thrown;
  }
}

const shownIn = (row: ReadonlyMap<Column, string>): NonNullable<UnreadableRow["shown"]> => ({
  name: row.get("Name") ?? "",
  user: row.get("UserName") ?? "",
  ...optional("dependency", setText(row.get("Dependency"))),
  ...(row.get("ArrayTaskID") === "N/A" ? {} : { arrayTaskId: row.get("ArrayTaskID") ?? "" }),
  ...optional("hetJobId", row.get("HetJobID") === "0" ? undefined : setText(row.get("HetJobID"))),
});

/** What would be told of this row if it could not be read. */
export const shownOf = ({ user, name, hetJobId, dependency, arrayTaskId }: SlurmJob): UnreadableRow["shown"] & {} => ({
  name,
  user,
  ...optional("dependency", dependency),
  ...optional("arrayTaskId", arrayTaskId),
  ...optional("hetJobId", hetJobId),
});

function jobOf(jobId: string, row: ReadonlyMap<Column, string>, excluded: ExcludedOf | undefined): SlurmJob {
  const text = (column: Column) => row.get(column) ?? "";
  const read = <T>(column: Column, parse: (text: string) => T | undefined): T =>
    parse(text(column)) ?? unreadable(column, text(column));
  const recordId = text("JobID");
  const isTask = text("ArrayTaskID") !== "N/A";
  const state = read("State", (word) => (/^[A-Z_]+$/.test(word) ? word : undefined));
  const nodeCount = read("NumNodes", (count) => parseCount(count.split("-")[0] ?? "")); // A range while pending: `2-4`.
  const files = filesOf(row, recordId, isTask);
  return {
    jobId,
    recordId,
    name: text("Name"),
    user: text("UserName"),
    partition: text("Partition"),
    ...optional("account", setText(text("Account"))),
    ...optional("qos", setText(text("QOS"))),
    ...optional("reservation", setText(text("Reservation"))),
    ...optional("constraint", setText(text("Feature"))),
    state,
    reason: text("Reason"),
    restartCount: read("restartcnt", parseCount),
    priority: read("PriorityLong", parseCount),
    submitAt: read("SubmitTime", parseInstant),
    ...optional("startAt", parseInstant(text("StartTime"))),
    ...optional("endAt", isOver(state) ? parseInstant(text("EndTime")) : undefined),
    ...read("exit_code", parseExit),
    nodes: read("NodeList", hosts),
    excludedNodes: excludedNodes(row, excluded),
    requiredNodes: read("ReqNodes", hosts),
    nodeCount,
    ...optional("gpusPerNode", gpusPerNode(text("tres-per-node"), text("tres-per-job"), text("tres-alloc"), nodeCount)),
    ...parseDemand(text),
    comment: text("Comment") === "(null)" ? "" : text("Comment"),
    adminComment: text("admin_comment") === "(null)" ? "" : text("admin_comment"),
    ...files,
    ...optional("workDir", setText(text("WorkDir"))),
    ...optional("command", setText(text("Command"))),
    ...optional("dependency", setText(text("Dependency"))),
    batch: read("BatchFlag", flag).set,
    requeueable: read("Requeue", flag).set,
    ...(isTask ? { arrayJobId: text("ArrayJobID"), arrayTaskId: text("ArrayTaskID") } : {}),
    ...optional("hetJobId", text("HetJobID") === "0" ? undefined : setText(text("HetJobID"))),
    ...optional("sluid", setText(text("SLUID"))),
  };
}

const optional = <K extends string, T>(key: K, value: T | undefined) =>
  value === undefined ? {} : ({ [key]: value } as Record<K, T>);

/** EndTime of a job that still runs is its time limit, or worse. */
function isOver(state: string): boolean {
  const { phase } = readSlurmState(state);
  return phase === "ended" || phase === "completing";
}

function unreadable(column: string, value: string): never {
  throw new Unreadable(`${column} is ${show(value)}`);
}

/** As JSON, so that what a user put into a name cannot write into our log; cut. */
function show(value: string): string {
  return JSON.stringify(value.slice(0, 200));
}

function hosts(list: string): readonly string[] | undefined {
  return isUnset(list) ? [] : expandHostlist(list);
}

/** Wrapped: `read` takes `undefined` for unreadable, and `false` is an answer. */
function flag(text: string): { set: boolean } | undefined {
  return text === "1" || text === "0" ? { set: text === "1" } : undefined;
}

function excludedNodes(row: ReadonlyMap<Column, string>, excluded: ExcludedOf | undefined): readonly string[] {
  const direct = row.get("ExcNodes");
  if (direct !== undefined) return hosts(direct) ?? unreadable("ExcNodes", direct);
  const other = excluded?.get(rowKey(row.get("JobID") ?? "", row.get("ArrayTaskID") ?? ""));
  // The two listings are milliseconds apart: what was requeued between them is not one thing.
  if (other === undefined || other.submitTime !== row.get("SubmitTime"))
    throw new Unreadable("it changed while it was read");
  return hosts(other.excluded) ?? unreadable("ExcNodes", other.excluded);
}

/**
 * Where the job writes, `%` patterns left as they are. squeue of 22.05 makes up `slurm-<record ID>.out` for a job that named no
 * file; for a task of an array that is not where Slurm writes.
 */
function filesOf(
  row: ReadonlyMap<Column, string>,
  recordId: string,
  isTask: boolean,
): { stdout?: string; stderr?: string } {
  const madeUp = `${row.get("WorkDir") ?? ""}/slurm-${recordId}.out`;
  const file = (column: "STDOUT" | "STDERR") => {
    const path = setText(row.get(column));
    return isTask && path === madeUp ? `${row.get("WorkDir") ?? ""}/slurm-%A_%a.out` : path;
  };
  const [stdout, stderr] = [file("STDOUT"), file("STDERR")];
  return { ...(stdout === undefined ? {} : { stdout }), ...(stderr === undefined ? {} : { stderr }) };
}
