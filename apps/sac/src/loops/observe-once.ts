/**
 * observeOnce: one look at Slurm, and what changed in it told to the server.
 *
 * In the loop   **look → parse → report**
 * Takes         what was published before (`Published`, kept between passes).
 * Keeps         an unchanged job costs no message; a pass that failed is reported as unavailable and changes nothing; what
 *               was published counts only when the server has taken it.
 * Bound         one message a pass; only opted-in jobs, jobs of the allowlisted partitions, and jobs once published.
 */
import { attemptsOf, type LastSeen, lastSeenOf } from "@reprise/core/fact/attempts-of.ts";
import type { Seen, SlurmJob } from "@reprise/core/nouns.ts";
import type { GateRefusal, PassReport, Server } from "../server.ts";
import { mentionsRecovery, reportOf } from "../report.ts";
import type { StepWithKey } from "../journal.ts";
import type { Pass } from "../slurm/slurm.ts";

/** What the server knows of one scheduler job. */
interface LastPublished {
  /** The last report of each attempt, as text. */
  readonly fingerprints: ReadonlyMap<number, string>;
  readonly lastSeen: LastSeen | undefined;
}
export type Published = Map<string, LastPublished>;

export interface ObserveContext {
  readonly cluster: string;
  readonly environment?: string;
  readonly leaseTerm: number;
  readonly mode: "observe" | "act";
  readonly partitions: readonly string[];
  readonly steps: readonly (StepWithKey | GateRefusal)[];
}

/** @returns The keys of steps that the server has recorded. */
export async function publish(
  view: Seen<Pass>,
  published: Published,
  context: ObserveContext,
  server: Server,
): Promise<readonly string[]> {
  const { cluster, leaseTerm, mode, partitions, steps } = context;
  const report: PassReport = {
    cluster,
    leaseTerm,
    takenAt: view.at,
    complete: false,
    changed: [],
    seen: [],
    nodes: [],
    steps,
    mode,
    partitions,
  };
  if (view.kind !== "seen") {
    const why = view.kind === "unavailable" ? view.why : "Slurm answered nothing";
    return (await server.reportPass({ ...report, unavailable: why })).confirmedStepKeys;
  }
  const jobs = [...view.value.jobs.values()].filter((job) => isPublished(job, published, partitions));
  const next = new Map<string, LastPublished>();
  const changed: PassReport["changed"][number][] = [];
  const seen: PassReport["seen"][number][] = [];
  for (const job of jobs) {
    const before = published.get(job.jobId);
    const fingerprints = new Map<number, string>();
    for (const sight of attemptsOf(job, before?.lastSeen)) {
      const attempt = reportOf(sight, job, context);
      const fingerprint = JSON.stringify(attempt);
      fingerprints.set(sight.attemptIndex, fingerprint);
      seen.push({ jobId: sight.jobId, attemptIndex: sight.attemptIndex });
      if (before?.fingerprints.get(sight.attemptIndex) !== fingerprint) changed.push(attempt);
    }
    next.set(job.jobId, { fingerprints, lastSeen: lastSeenOf(job, before?.lastSeen) });
  }
  const unreadable = keepUnreadable(view.value.unreadable, published, next, seen);
  const answer = await server.reportPass({
    ...report,
    complete: unreadable === "all known",
    changed,
    seen,
    nodes: [...view.value.nodes.values()],
  });
  published.clear();
  for (const [jobId, last] of next) published.set(jobId, last);
  return answer.confirmedStepKeys;
}

/** A row that could not be read is not gone: it counts as seen, as it was. One that was never read leaves the pass incomplete. */
function keepUnreadable(
  unreadable: ReadonlyMap<string, string>,
  published: Published,
  next: Map<string, LastPublished>,
  seen: PassReport["seen"][number][],
): "all known" | "some unknown" {
  for (const jobId of unreadable.keys()) {
    const before = published.get(jobId);
    if (before === undefined) return "some unknown";
    next.set(jobId, before);
    for (const attemptIndex of before.fingerprints.keys()) seen.push({ jobId, attemptIndex });
  }
  return "all known";
}

function isPublished(job: SlurmJob, published: Published, partitions: readonly string[]): boolean {
  if (published.has(job.jobId) || mentionsRecovery(job.comment)) return true;
  return job.partition.split(",").some((p) => partitions.includes(p));
}
