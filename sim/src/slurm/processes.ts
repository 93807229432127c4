/**
 * processes: what really runs on the nodes, whatever slurmctld believes.
 *
 * Gives    each start of a batch script a number (`run`), and tells `ended` when nothing of it is left and its node can still report it.
 * Keeps    a crash of slurmctld changes nothing here. A node that is lost reports nothing.
 * Source   slurmd: SIGTERM, KillWait, SIGKILL; a credential is refused unless its second is later than the second in which the job was
 *          last terminated on that node (slurm.md §2.8).
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Ledger } from "./ledger.ts";
import { type JobRecord, nameOf, wholeSecond } from "./record.ts";
import type { Exit, Program, ProgramSpec, StartProgram } from "./sim-slurm.ts";

export interface Processes {
  /** The batch script is launched on the first of the job's nodes. */
  launch(job: JobRecord): void;
  lives(run: number): boolean;
  isOnNode(run: number, node: string): boolean;
  /** SIGTERM, and SIGKILL after KillWait; also for what has ended already: the credential is revoked. */
  terminate(job: JobRecord): void;
  suspend(run: number): void;
  resume(run: number): void;
  /** All processes on it are gone at once. */
  nodeLost(node: string): void;
  /** Whether slurmd on the job's first node would refuse a start now. */
  isRevoked(job: JobRecord): boolean;
  /** Kills what no job owns: a controller that has forgotten a start says so to its nodes. */
  killOrphans(owned: ReadonlySet<number>): void;
}

interface Running {
  readonly run: number;
  readonly nodes: readonly string[];
  readonly program: Program;
  cancelEnd: () => void;
  isTerminated: boolean;
}

/** @param ended  Called as something that slurmctld is told: not while it is down. */
export function createProcesses(
  ledger: Ledger,
  start: StartProgram | undefined,
  ended: (run: number, exit: Exit) => void,
): Processes {
  const running = new Map<number, Running>();
  const revokedAt = new Map<string, Instant>();
  const revokedKey = (node: string, job: JobRecord) => `${node} ${job.recordId}`;
  const { timetable, settings } = ledger;

  const end = (one: Running, exit: Exit | undefined) => {
    if (!running.delete(one.run)) return;
    one.cancelEnd();
    one.program.gone?.(ledger.now());
    if (exit !== undefined) timetable.at(ledger.now(), "report", () => ended(one.run, exit));
  };
  const kill = (one: Running) => {
    if (one.isTerminated) return;
    one.isTerminated = true;
    const asked = one.program.terminated?.(ledger.now()) ?? 0;
    const killWaitMs = settings.killWaitSeconds * 1000;
    one.cancelEnd();
    const signal = asked > killWaitMs ? 9 : 15;
    const at = ledger.now() + Math.min(asked, killWaitMs);
    one.cancelEnd = timetable.at(at, "site", () => end(one, { signal }));
  };
  return {
    launch(job) {
      const { run } = job;
      const exit = (how: Exit) => {
        const one = running.get(run);
        if (one !== undefined) end(one, how);
      };
      const attempt = {
        jobId: nameOf(job),
        recordId: job.recordId,
        restartCount: job.restartCount,
        name: job.name,
        user: job.user,
        comment: job.comment,
        nodes: job.nodes,
        gpusPerNode: job.gpusPerNode,
        startAt: job.startAt,
        ...(job.output === "" ? {} : { output: job.output }),
        ...(job.error === "" ? {} : { error: job.error }),
        workDir: job.workDir,
        exit,
      };
      const one: Running = { run, nodes: job.nodes, program: {}, cancelEnd: () => {}, isTerminated: false };
      running.set(run, one);
      const program = start?.(attempt);
      if (running.has(run)) running.set(run, Object.assign(one, { program: program ?? obeying(job.program) }));
      const { endsAfterMs, exit: how = {} } = job.program;
      if (program === undefined && endsAfterMs !== undefined)
        one.cancelEnd = timetable.at(ledger.now() + endsAfterMs, "site", () => exit(how));
    },
    lives: (run) => running.has(run),
    isOnNode: (run, node) => running.get(run)?.nodes.includes(node) === true,
    terminate(job) {
      for (const node of job.nodes) revokedAt.set(revokedKey(node, job), wholeSecond(ledger.now()));
      const one = running.get(job.run);
      if (one !== undefined) kill(one);
    },
    suspend: (run) => running.get(run)?.program.suspended?.(ledger.now()),
    resume: (run) => running.get(run)?.program.resumed?.(ledger.now()),
    nodeLost(node) {
      for (const one of running.values()) if (one.nodes.includes(node)) end(one, undefined);
    },
    isRevoked(job) {
      if (ledger.release.matchesCredentialsByKey) return false;
      const [host = ""] = job.nodes;
      return (revokedAt.get(revokedKey(host, job)) ?? -1) >= wholeSecond(ledger.now());
    },
    killOrphans(owned) {
      for (const one of running.values()) if (!owned.has(one.run)) end(one, undefined);
    },
  };
}

const obeying = ({ trapsTermMs = 0 }: ProgramSpec): Program => ({ terminated: () => trapsTermMs });
