/**
 * squeue-columns: what is asked of `squeue -O`, and how the answer is delimited.
 *
 * Keeps    Nothing is truncated (a suffix instead of a width), and no user can forge a row or break his own: a comment or a name
 *          may hold any byte, the control characters too, so what ends a field is a mark that was drawn after it was written.
 * Source   man squeue, `--Format`: "type[:[.][size][suffix]]"; names tried on 22.05.8 and 25.11.7. An unknown one gives rc 0
 *          and a line on stderr, and its column is empty or missing.
 */

/** Numbers and Slurm's own words first, text that a user may write last: the ID of a row is never in doubt. */
export const columns = [
  "JobID",
  "ArrayJobID",
  "ArrayTaskID",
  "State",
  "Reason",
  "restartcnt",
  "PriorityLong",
  "SubmitTime",
  "StartTime",
  "EndTime",
  "exit_code",
  "NodeList",
  "NumNodes",
  "BatchFlag",
  "Requeue",
  "Partition",
  "UserName",
  "ExcNodes",
  "ReqNodes",
  "HetJobID",
  "Account",
  "QOS",
  "Reservation",
  "Feature",
  "MinCpus",
  "MinMemory",
  "tres-per-node",
  "tres-per-task",
  "tres-per-socket",
  "tres-per-job",
  "tres-alloc",
  "SLUID",
  "Dependency",
  "Name",
  "WorkDir",
  "Command",
  "STDOUT",
  "STDERR",
  "admin_comment",
  "Comment",
] as const;

export type Column = (typeof columns)[number];

/** What tells that something has happened to a job. Every squeue knows them. */
export const outlineColumns = [
  "JobID",
  "ArrayJobID",
  "ArrayTaskID",
  "State",
  "Reason",
  "restartcnt",
  "PriorityLong",
  "SubmitTime",
  "NodeList",
] as const satisfies readonly Column[];

/** Without these nothing sound can be said of a job. `ExcNodes` is not one: 22.05 has it only as `-o %x`. */
const dispensable: ReadonlySet<Column> = new Set([
  "ExcNodes",
  "HetJobID",
  "Account",
  "QOS",
  "Reservation",
  "Feature",
  "MinCpus",
  "MinMemory",
  "tres-per-node",
  "tres-per-task",
  "tres-per-socket",
  "tres-per-job",
  "tres-alloc",
  "SLUID",
  "WorkDir",
  "Command",
  "STDOUT",
  "STDERR",
]);

const fieldEnd = "\x1f";
const rowEnd = "\x1e";

/** @param mark  Letters and digits, drawn afresh for every call. */
export function squeueFormat(asked: readonly Column[], mark: string): string {
  return asked.map((name, i) => `${name}:${i === asked.length - 1 ? rowEnd : fieldEnd}${mark}`).join(",");
}

/** The same for `squeue -o` and `sinfo -o`: `%A` `%x` … */
export function shortFormat(fields: readonly string[], mark: string): string {
  return fields.join(fieldEnd + mark) + rowEnd + mark;
}

/** The rows, each as its fields; `undefined` when the text does not end with a whole row: the listing was cut. */
export function splitRows(text: string, mark: string): string[][] | undefined {
  const rows = text.split(`${rowEnd}${mark}\n`);
  return rows.pop() === "" ? rows.map((row) => row.split(fieldEnd + mark)) : undefined;
}

/** The columns that this squeue has not. Its stderr: `squeue: error: Invalid job format specification: SLUID`. */
export function unknownColumns(stderr: string): string[] {
  return [...stderr.matchAll(/Invalid job format specification: (.+)/g)].map((match) => (match[1] ?? "").trim());
}

/** What is left to ask without `unknown`, or the indispensable column that is missing. */
export function withoutUnknown(
  unknown: readonly string[],
):
  | { readonly kind: "columns"; readonly columns: readonly Column[] }
  | { readonly kind: "missing"; readonly column: string } {
  const dropped = new Set(unknown.map((name) => name.toLowerCase()));
  const has = (column: Column) => !dropped.has(column.toLowerCase());
  const missing = columns.find((column) => !has(column) && !dispensable.has(column));
  if (missing !== undefined) return { kind: "missing", column: missing };
  return { kind: "columns", columns: columns.filter(has) };
}

/** The outline of a listing: equal texts, and nothing has happened. No column of it has a NUL in it. */
export function outlineOf(rows: readonly (readonly string[])[], asked: readonly Column[]): string {
  const places = outlineColumns.map((column) => asked.indexOf(column));
  return rows.map((row) => places.map((at) => row[at] ?? "").join("\0")).join("\0\n");
}
