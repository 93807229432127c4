/**
 * submit: sbatch, as slurmctld takes it: one record, an array's first record, or a heterogeneous job's components.
 *
 * Fails    a `Refusal` `invalid` with sbatch's words. What asks for more nodes than its partition has is taken, and waits.
 * Source   slurm.md §1, §2.3; seen on 22.05.8.
 */
import { readConstraint } from "@reprise/core/evidence/constraint.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { nodes } from "./update.ts";
import { parseDependency } from "./dependency.ts";
import type { Ledger } from "./ledger.ts";
import { type JobRecord, nameOf, wholeSecond } from "./record.ts";
import type { SubmitSpec } from "./sim-slurm.ts";
import { parseTasks } from "./tasks.ts";
import { words } from "./words.ts";

const commentBytesMax = 1024;

/** @returns  The number that sbatch prints. */
export function submit(ledger: Ledger, spec: SubmitSpec): string {
  const refuse = (why: string): never => {
    throw new Refusal("invalid", `sbatch: error: Batch job submission failed: ${why}`);
  };
  const first = recordOf(ledger, spec, ledger.nextJobId, undefined, refuse);
  const parts = spec.hetComponents ?? [];
  if (parts.length === 0) return addAll(ledger, [first]);
  const leader = { ...first, hetJobId: first.recordId };
  const components = parts.map((part, i) =>
    recordOf(ledger, { ...spec, ...part }, first.recordId + 1 + i, first.recordId, refuse),
  );
  return addAll(ledger, [leader, ...components]);
}

function addAll(ledger: Ledger, jobs: readonly JobRecord[]): string {
  for (const job of jobs) {
    ledger.add(job);
    ledger.tell("submitted", job.user, job.hold === undefined ? "" : "held", job);
  }
  return jobs[0] === undefined ? "" : nameOf(jobs[0]);
}

function recordOf(
  ledger: Ledger,
  spec: SubmitSpec,
  recordId: number,
  hetJobId: number | undefined,
  refuse: (why: string) => never,
): JobRecord {
  const { settings, partitions } = ledger;
  const asked = (spec.partition ?? partitions[0]?.name ?? "").split(",");
  if (!asked.every((name) => partitions.some((one) => one.name === name))) refuse(words.partition);
  if (new TextEncoder().encode(spec.comment ?? "").length > commentBytesMax) refuse(words.tooLong);
  const tasks = spec.array === undefined ? { tasks: [], runningMax: undefined } : parseTasks(spec.array);
  const now = wholeSecond(ledger.now());
  const user = spec.user ?? "root";
  const isHeld = spec.hold === true;
  const workDir = spec.workDir ?? "/shared";
  return {
    recordId,
    arrayJobId: spec.array === undefined ? undefined : recordId,
    taskId: undefined,
    unsplit: (tasks ?? refuse("Invalid job array specification")).tasks,
    arrayRunningMax: tasks?.runningMax,
    hetJobId,
    name: spec.name ?? "job",
    user,
    account: spec.account ?? "",
    partitionsAsked: asked,
    partition: asked.join(","),
    nodeCount: spec.nodes ?? 1,
    cpusPerNode: spec.cpusPerNode ?? 1,
    gpusPerNode: spec.gpusPerNode ?? 0,
    gpuType: spec.gpuType ?? "",
    memoryMbPerNode: spec.memoryMbPerNode ?? 0,
    exclusive: spec.exclusive ?? false,
    batch: spec.batch ?? true,
    output: spec.output ?? "",
    error: spec.error ?? "",
    workDir,
    command: spec.command ?? `${workDir}/${spec.name ?? "job"}.sh`,
    timeLimitMs: spec.timeLimitMinutes === undefined ? undefined : spec.timeLimitMinutes * 60_000,
    deadlineAt: spec.deadlineAt === undefined ? 0 : wholeSecond(spec.deadlineAt),
    killOnInvalidDep: spec.killOnInvalidDep ?? settings.killInvalidDepend,
    reservation: spec.reservation,
    constraint: constraintOf(ledger, spec) ?? refuse(words.feature),
    license: spec.licenses?.replace(/:1$/, ""),
    program: spec.program ?? {},
    base: "PENDING",
    completing: false,
    shownAs: undefined,
    reason: isHeld ? "JobHeldUser" : "None",
    description: "",
    priority: isHeld ? 0 : ledger.nextPriority--,
    hold: isHeld ? "user" : undefined,
    restartCount: 0,
    sluid: ledger.newSluid(),
    requeue: spec.expedite === true || (spec.requeue ?? settings.jobRequeue),
    expedited: spec.expedite === true && settings.expeditedRequeue && ledger.release.hasRequeueOptions,
    submitAt: now,
    beginAt: spec.beginAt === undefined ? 0 : wholeSecond(spec.beginAt),
    startAt: 0,
    endAt: 0,
    endedIn: 0,
    exitCode: 0,
    signal: 0,
    nodes: [],
    excluded: nodes(ledger, spec.exclude ?? "") ?? refuse(words.unknownNode),
    required: nodes(ledger, spec.nodelist ?? "") ?? refuse(words.unknownNode),
    dependency: parseDependency(ledger, spec.dependency ?? "") ?? refuse(words.dependency),
    comment: spec.comment ?? "",
    adminComment: "",
    run: 0,
    hasEverFailed: false,
    suspendedPriority: 0,
    revision: 0,
  };
}

/** `undefined` when it names what no node of the cluster has. */
function constraintOf({ nodes: all }: Ledger, { constraint = "" }: SubmitSpec): string | undefined {
  const text = constraint.replaceAll(",", "&");
  if (text === "") return text;
  const ways = readConstraint(text);
  if (ways === undefined || ways.some((way) => way.some(({ count }) => count !== undefined)))
    throw new Error(`sbatch --constraint=${constraint} is not in this model`);
  const known = new Set([...all.values()].flatMap(({ features }) => features));
  return (text.match(/[^&|()[\]]+/g) ?? []).every((name) => known.has(name)) ? text : undefined;
}
