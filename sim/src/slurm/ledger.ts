/**
 * ledger: all that slurmctld knows and all that happened: the jobs, the nodes, the time, the history, and what can be forgotten.
 *
 * Writes   itself. `change(job)` before a change of a job: it keeps what a crash would go back to.
 * Keeps    a crash takes back the jobs and the next job ID as they were; the history stays, its events marked as not surviving. What
 *          happened on the nodes is not here, and is not taken back.
 * Bound    changes of the last `saveWaitMs`, nothing older.
 * Source   slurm.md §2.5: state is saved up to 5 s late.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { isLed, type JobRecord, nameOf, type NodeRecord, wholeSecond } from "./record.ts";
import type { PartitionSpec, SimSettings, SimSlurmDeps, SlurmEvent, SlurmEventKind } from "./sim-slurm.ts";
import { type ReleaseTraits, traitsOf } from "./releases.ts";
import { createTimetable, type Timetable } from "./timetable.ts";

export interface Partition extends PartitionSpec {
  readonly nodeNames: readonly string[];
}

export interface Ledger {
  readonly settings: SimSettings;
  /** What slurmctld and its clients are now. */
  release: ReleaseTraits;
  /** How often slurmctld has started, and when the last time. */
  lives: number;
  bootedAt: Instant;
  readonly chance: () => number;
  readonly partitions: readonly Partition[];
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  readonly jobs: ReadonlyMap<number, JobRecord>;
  readonly timetable: Timetable;
  /** Grows with every change. */
  revision: number;
  /** Grows when a node itself changes: not with the jobs on it. */
  nodesRevision: number;
  nextJobId: number;
  /** Each job, and each release, gets a lower one. */
  nextPriority: number;
  now(): Instant;
  /** Never given twice, whatever a crash takes back. */
  newSluid(): string;
  change(job: JobRecord): JobRecord;
  add(job: JobRecord): void;
  remove(job: JobRecord): void;
  /** For what is no job: a node. */
  changed(): void;
  tell(kind: SlurmEventKind, by: string, detail: string, job?: JobRecord): void;
  listen(listener: (event: SlurmEvent) => void): void;
  readonly history: readonly SlurmEvent[];
  /**
   * @param to  All that was done after this instant is forgotten: but what it has loaded since was saved.
   * @returns   Since when all is forgotten.
   */
  rollBack(to: Instant): Instant;
}

interface Undo {
  readonly at: Instant;
  readonly recordId: number;
  /** Absent: the job was not there. */
  readonly before: JobRecord | undefined;
  readonly nextJobId: number;
}

const firstPriority = 4_294_901_759;

export function createLedger(deps: SimSlurmDeps, settings: SimSettings): Ledger {
  const jobs = new Map<number, JobRecord>();
  const history: SlurmEvent[] = [];
  const listeners: ((event: SlurmEvent) => void)[] = [];
  const partitions = partitionsOf(deps);
  let undo: Undo[] = [];
  let firstUndo = 0;
  let savedAt: Instant = 0;
  let sluids = 0;

  const keep = (recordId: number) => {
    const at = ledger.now();
    const before = jobs.get(recordId);
    undo.push({ at, recordId, before: before && { ...before }, nextJobId: ledger.nextJobId });
    while ((undo[firstUndo]?.at ?? at) < at - settings.saveWaitMs) firstUndo++;
    if (firstUndo > 1_000) [undo, firstUndo] = [undo.slice(firstUndo), 0];
    return ++ledger.revision;
  };
  const timetable = createTimetable(deps.clock);
  const ledger: Ledger = {
    settings,
    release: traitsOf(settings.release),
    lives: 1,
    bootedAt: wholeSecond(timetable.now()),
    chance: deps.chance,
    partitions,
    nodes: nodesOf(deps, partitions),
    jobs,
    timetable,
    revision: 0,
    nodesRevision: 0,
    nextJobId: settings.firstJobId,
    nextPriority: firstPriority,
    now: () => timetable.now(),
    newSluid: () => (ledger.release.hasSluid ? `s${String(++sluids).padStart(13, "0")}` : ""),
    change(job) {
      job.revision = keep(job.recordId);
      return job;
    },
    add(job) {
      job.revision = keep(job.recordId);
      jobs.set(job.recordId, job);
      ledger.nextJobId = Math.max(ledger.nextJobId, job.recordId + 1);
    },
    remove(job) {
      keep(job.recordId);
      jobs.delete(job.recordId);
    },
    changed() {
      ledger.revision++;
      ledger.nodesRevision++;
    },
    tell(kind, by, detail, job) {
      const of = job === undefined ? {} : { jobId: nameOf(job), restartCount: job.restartCount, nodes: job.nodes };
      const led = job !== undefined && isLed(job) ? { ledBy: String(job.hetJobId) } : {};
      const event = { seq: history.length, at: ledger.now(), kind, ...of, ...led, by, detail, survived: true };
      history.push(event);
      for (const listener of listeners) listener(event);
    },
    listen: (listener) => void listeners.push(listener),
    history,
    rollBack(asked) {
      const to = Math.max(asked, savedAt);
      savedAt = to;
      for (let last = undo.at(-1); last !== undefined && last.at > to; last = undo.at(-1)) {
        undo.pop();
        ledger.nextJobId = last.nextJobId;
        if (last.before === undefined) jobs.delete(last.recordId);
        else jobs.set(last.recordId, { ...last.before, revision: ++ledger.revision });
      }
      [undo, firstUndo] = [[], 0];
      for (let i = history.length - 1; (history[i]?.at ?? to) > to; i--) {
        const event = history[i];
        if (event !== undefined && event.jobId !== undefined) event.survived = false;
      }
      ledger.revision++;
      return to;
    },
  };
  return ledger;
}

function partitionsOf({ partitions = [{ name: "gpu" }], nodes }: SimSlurmDeps): Partition[] {
  return partitions.map((spec) => ({ ...spec, nodeNames: spec.nodes ?? nodes.map(({ name }) => name) }));
}

function nodesOf({ nodes }: SimSlurmDeps, partitions: readonly Partition[]): Map<string, NodeRecord> {
  const sets = partitions.map(({ name, nodeNames }) => ({ name, has: new Set(nodeNames) }));
  return new Map(
    nodes.map(({ name, cpus = 16, gpus = 8, gpuType = "h100", memoryMb = 64_000, features = [] }) => [
      name,
      {
        name,
        cpus,
        gpus,
        gpuType,
        memoryMb,
        features,
        partitions: sets.flatMap((set) => (set.has.has(name) ? [set.name] : [])),
        isDown: false,
        isDrained: false,
        reason: "",
        isAlive: true,
        prologFailures: 0,
        epilogFailures: 0,
      },
    ]),
  );
}
