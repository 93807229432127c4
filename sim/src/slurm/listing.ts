/**
 * listing: the text of squeue, `squeue --json` and sinfo, as the release writes it.
 *
 * Keeps    what it does not know it refuses as squeue does: rc 0, a line on stderr, and the column is left out. So SAC's own code meets
 *          what it meets on a real cluster.
 * Source   man squeue, sinfo; slurm.md §2.6; testdata of apps/sac.
 */
import { compressHostlist } from "@reprise/core/fact/hostlist.ts";
import type { Instant, SlurmJob, SlurmNode } from "@reprise/core/nouns.ts";
import { jobsJson } from "./json.ts";
import type { Ledger } from "./ledger.ts";
import { type JobRecord, showDependency } from "./record.ts";
import { rowsOf, shownEnd } from "./rows.ts";
import type { Answered } from "./sim-slurm.ts";
import { find } from "./tasks.ts";
import { words } from "./words.ts";

const seconds = (at: Instant | undefined, none: string) => (at === undefined || at === 0 ? none : String(at / 1000));
const orNull = (text: string) => (text === "" ? "(null)" : text);
const raw = (job: JobRecord) => String((job.exitCode << 8) | job.signal);
const hosts = (names: readonly string[]) => compressHostlist([...names]);

/** Names in small letters, those that every release knows. */
const longFields: Readonly<Record<string, (row: SlurmJob, job: JobRecord) => string>> = {
  jobid: (row) => row.recordId,
  arrayjobid: (row) => row.arrayJobId ?? row.recordId,
  arraytaskid: (row) => row.arrayTaskId ?? "N/A",
  state: (row) => row.state,
  reason: (row) => row.reason,
  restartcnt: (row) => String(row.restartCount),
  prioritylong: (row) => String(row.priority),
  submittime: (row) => seconds(row.submitAt, "N/A"),
  starttime: (row) => seconds(row.startAt, "N/A"),
  endtime: (row, job) => seconds(shownEnd(job), row.startAt === undefined ? "N/A" : "NONE"),
  exit_code: (_row, job) => raw(job),
  nodelist: (row) => hosts(row.nodes),
  numnodes: (row) => String(row.nodeCount),
  batchflag: (row) => (row.batch ? "1" : "0"),
  requeue: (row) => (row.requeueable ? "1" : "0"),
  partition: (row) => row.partition,
  username: (row) => row.user,
  reqnodes: (row) => hosts(row.requiredNodes),
  hetjobid: (row) => row.hetJobId ?? "N/A",
  account: (row) => orNull(row.account ?? ""),
  qos: () => "(null)",
  reservation: (row) => row.reservation ?? "(null)",
  feature: (row) => orNull(row.constraint ?? ""),
  mincpus: (row) => String(row.cpusPerNode ?? 1),
  minmemory: (row) => (row.memoryMbPerNode === undefined ? "0" : `${row.memoryMbPerNode}M`),
  "tres-per-node": (row) => row.gresPerNode ?? "N/A",
  "tres-per-task": () => "N/A",
  "tres-per-socket": () => "N/A",
  "tres-per-job": () => "N/A",
  "tres-alloc": (row) => `cpu=${row.nodeCount},node=${row.nodeCount},billing=${row.nodeCount}`,
  dependency: (_row, job) => orNull(showDependency(job)),
  name: (row) => row.name,
  workdir: (row) => orNull(row.workDir ?? ""),
  command: (row) => orNull(row.command ?? ""),
  stdout: (row) => madeUp(row, row.stdout),
  stderr: (row) => madeUp(row, row.stderr),
  admin_comment: (row) => orNull(row.adminComment),
  comment: (row) => orNull(row.comment),
};

/** 22.05 makes up a task's file from its record. */
function madeUp(row: SlurmJob, path = ""): string {
  return path === `${row.workDir}/slurm-%A_%a.out` ? `${row.workDir}/slurm-${row.recordId}.out` : path;
}

/** From 25.11 on (where ExcNodes came is not known: 22.05 has it not). */
const newFields: typeof longFields = {
  excnodes: (row) => hosts(row.excludedNodes),
  sluid: (row) => orNull(row.sluid ?? ""),
  exit_code: (_row, job) => `${job.signal > 0 ? 0 : job.exitCode}:${job.signal}`,
};

const shortFields: Readonly<Record<string, (row: SlurmJob) => string>> = {
  A: (row) => row.recordId,
  K: (row) => row.arrayTaskId ?? "N/A",
  V: (row) => seconds(row.submitAt, "N/A"),
  x: (row) => hosts(row.excludedNodes),
};

interface Row {
  readonly row: SlurmJob;
  readonly job: JobRecord;
}

/** `squeue -h -r -t all [-j …] -O … | -o … | --json`. */
export function squeue(ledger: Ledger, args: readonly string[], shown: (row: SlurmJob) => SlurmJob): Answered {
  if (ledger.release.hasSluid && args.includes("--array-unique"))
    return { rc: 1, stdout: "", stderr: "squeue: unrecognized option '--array-unique'\n" };
  const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const asked = option("-j")?.split(",");
  const known = asked?.flatMap((name) => find(ledger, name.split("_")[0] ?? "", { splits: false }));
  if (known?.length === 0) return { rc: 1, stdout: "", stderr: `slurm_load_jobs error: ${words.unknownJob}\n` };
  if (args.includes("--json")) return { rc: 0, stdout: jobsJson(ledger, known), stderr: "" };
  const rows = [...(known === undefined ? ledger.jobs.values() : new Set(known))]
    .flatMap((job) => rowsOf(job, ledger.now()).map((row) => ({ row: shown(row), job })))
    .filter(({ row }) => asked === undefined || asked.some((name) => isNamed(row, name)));
  const long = option("-O");
  return long === undefined ? short(rows, option("-o") ?? "") : longListing(rows, long, ledger.release.hasSluid);
}

function isNamed(row: SlurmJob, name: string): boolean {
  return name === row.jobId || name === row.recordId || name === row.arrayJobId;
}

function longListing(rows: readonly Row[], format: string, isNew: boolean): Answered {
  const fields = isNew ? { ...longFields, ...newFields } : longFields;
  const unknown: string[] = [];
  const columns = format.split(/,(?=[A-Za-z])/).flatMap((field) => {
    const [, name = field, suffix = ""] = /^([^:]+):([^]*)$/.exec(field) ?? [];
    const show = fields[name.toLowerCase()];
    if (show === undefined) unknown.push(name);
    return show === undefined ? [] : [{ show, suffix }];
  });
  const lines = rows.map(({ row, job }) => columns.map(({ show, suffix }) => show(row, job) + suffix).join(""));
  const stderr = unknown.map((name) => `squeue: error: Invalid job format specification: ${name}\n`).join("");
  return { rc: 0, stdout: lines.map((line) => `${line}\n`).join(""), stderr };
}

function short(rows: readonly Row[], format: string): Answered {
  const lines = rows.map(({ row }) =>
    format.replace(/%([AKVx])/g, (_all, field: string) => shortFields[field]?.(row) ?? ""),
  );
  return { rc: 0, stdout: lines.map((line) => `${line}\n`).join(""), stderr: "" };
}

const nodeFields: Readonly<Record<string, (node: SlurmNode, partition: string) => string>> = {
  N: (node) => node.name,
  T: (node) => node.state,
  R: (_node, partition) => partition,
  b: (node) => orNull(node.features.join(",")),
  c: (node) => String(node.hardware?.cpus ?? ""),
  m: (node) => String(node.hardware?.memoryMb ?? ""),
  G: (node) => orNull(node.hardware?.gres ?? ""),
};

/** `sinfo -a -N -h -o '%N %T %R %b %c %m %G'`. */
export function sinfo(nodes: ReadonlyMap<string, SlurmNode>, args: readonly string[]): Answered {
  const format = args[args.indexOf("-o") + 1] ?? "";
  const lines = [...nodes.values()].flatMap((node) =>
    node.partitions.map((partition) =>
      format.replace(/%([NTRbcmG])/g, (_all, field: string) => nodeFields[field]?.(node, partition) ?? ""),
    ),
  );
  return { rc: 0, stdout: lines.map((line) => `${line}\n`).join(""), stderr: "" };
}
