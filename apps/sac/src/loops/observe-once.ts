/**
 * observeOnce: one look at Slurm, and what changed in it told to the server.
 *
 * In the loop   **look → parse → report**
 * Takes         what was published before (`Published`, kept between passes).
 * Keeps         an unchanged job, or node, costs no message; a pass that failed is reported as unavailable and changes nothing; what
 *               was published counts only when the server has taken it.
 * Bound         one message a pass, and one more for each `changedPerReportMax` attempts that changed; only opted-in jobs, jobs of the allowlisted partitions, and jobs once published.
 */
import { areEqual } from "@reprise/core/equal.ts";
import { everyPartition } from "@reprise/core/fact/every-partition.ts";
import { attemptsOf, lastSeenOf, standsAlone } from "@reprise/core/fact/attempts-of.ts";
import { releaseStanding } from "@reprise/core/fact/slurm-release.ts";
import { unreadWholes, wholeJobs } from "@reprise/core/fact/heterogeneous.ts";
import { limits } from "@reprise/core/limits.ts";
import { withDependents } from "@reprise/core/plan/dependents.ts";
import type { ModeInForce, ModeReport } from "@reprise/core/mode/cluster-orders.ts";
import type { Seen, SlurmJob, SlurmNode } from "@reprise/core/nouns.ts";
import type { GateRefusal, PassReport, Server } from "../server.ts";
import { mentionsRecovery, reportOf } from "../report.ts";
import type { StepWithKey } from "../journal.ts";
import type { Pass } from "../slurm/slurm.ts";
import { forgetPublished, type LastPublished, type Published } from "./published.ts";

export interface ObserveContext {
  readonly cluster: string;
  readonly environment?: string;
  readonly leaseTerm: number;
  readonly force: ModeInForce;
  /** Of these all jobs are published, whatever their comment. */
  readonly partitions: readonly string[];
  readonly slurmReleases: readonly string[];
  readonly sac: ModeReport;
  readonly steps: readonly (StepWithKey | GateRefusal)[];
}

/** @returns The keys of steps that the server has recorded. */
export async function publish(
  view: Seen<Pass>,
  published: Published,
  context: ObserveContext,
  server: Pick<Server, "reportPass">,
): Promise<readonly string[]> {
  if (published.isInDoubt) forgetPublished(published); // Nobody has asked.
  const { cluster, leaseTerm, force, sac, steps } = context;
  const report: PassReport = {
    cluster,
    leaseTerm,
    takenAt: view.at,
    complete: false,
    changed: [],
    seen: [],
    nodes: [],
    steps,
    mode: force.mode,
    partitions: force.partitions,
    sac,
  };
  if (view.kind !== "seen") {
    const why = view.kind === "unavailable" ? view.why : "Slurm answered nothing";
    return (await server.reportPass({ ...report, unavailable: why })).confirmedStepKeys;
  }
  if (published.isIgnored) {
    // Passes do not count at present: as long as that lasts only this is asked, and says nothing.
    const { confirmedStepKeys, isTaken } = await server.reportPass(report);
    if (!isTaken) return confirmedStepKeys;
  }
  const { jobs, unreadable, nodes } = view.value;
  const { whole } = published;
  const isSameListing = whole?.of === jobs && unreadable.size === 0;
  const news = isSameListing
    ? { next: published.jobs, changed: [], seen: whole.seen, isComplete: true }
    : newsOf(view.value, published, context);
  const newNodes = nodes === published.nodesFrom ? [] : changedNodes(nodes, published.nodes);
  const { changed, seen, isComplete } = news;
  const about = { ...report, ...releaseIn(view.value, context) };
  // Until the server says that it has taken them, it may have these, and may not.
  forgetTold(published, changed, newNodes);
  const parts = inParts(changed);
  const last = { changed: parts.pop() ?? [], complete: isComplete, seen, nodes: newNodes };
  for (const part of parts) {
    const { isTaken } = await server.reportPass({ ...about, changed: part, steps: [] });
    published.isIgnored = !isTaken;
    if (published.isIgnored) return [];
  }
  const answer = await server.reportPass({ ...about, ...last });
  published.isIgnored = !answer.isTaken;
  if (published.isIgnored) return answer.confirmedStepKeys;
  if (!isSameListing) take(published, news.next, view.value, seen);
  for (const node of newNodes) published.nodes.set(node.name, node);
  published.nodesFrom = nodes;
  return answer.confirmedStepKeys;
}

/** The first look at a cluster is all news: in one message a busy server would not take it within the client's deadline, ever. */
function inParts(changed: PassReport["changed"]): PassReport["changed"][] {
  const count = Math.ceil(changed.length / limits.changedPerReportMax);
  return Array.from({ length: count }, (_, i) =>
    changed.slice(i * limits.changedPerReportMax, (i + 1) * limits.changedPerReportMax),
  );
}

function releaseIn({ settings }: Pass, { slurmReleases }: ObserveContext): Pick<PassReport, "slurm"> {
  const version = settings?.version;
  return version === undefined ? {} : { slurm: { version, standing: releaseStanding(version, slurmReleases) } };
}

interface News extends Pick<PassReport, "changed" | "seen"> {
  readonly next: ReadonlyMap<string, LastPublished>;
  readonly isComplete: boolean;
}

/** Row by row: what of a listing the server does not know yet. */
function newsOf(pass: Pass, published: Published, context: ObserveContext): News {
  const next = new Map<string, LastPublished>();
  const changed: PassReport["changed"][number][] = [];
  const seen: PassReport["seen"][number][] = [];
  const unread = unreadWholes(pass);
  for (const row of withDependents(wholeJobs(pass), pass)) {
    if (unread.has(row.jobId) || !isPublished(row, published, context.partitions)) continue;
    const before = published.jobs.get(row.jobId);
    if (before !== undefined && isUnchanged(row, before)) {
      next.set(row.jobId, before);
      for (const attemptIndex of before.fingerprints.keys()) seen.push({ jobId: row.jobId, attemptIndex });
      continue;
    }
    const job = withEveryPartition(row, published.partitions);
    const fingerprints = new Map<number, string>();
    for (const sight of attemptsOf(job, before?.lastSeen)) {
      const attempt = reportOf(sight, job, context);
      const fingerprint = JSON.stringify(attempt);
      fingerprints.set(sight.attemptIndex, fingerprint);
      seen.push({ jobId: sight.jobId, attemptIndex: sight.attemptIndex });
      if (before?.fingerprints.get(sight.attemptIndex) !== fingerprint) changed.push(attempt);
    }
    const seenBefore = before?.lastSeen;
    const lastSeen = lastSeenOf(job, seenBefore);
    const isSettled = standsAlone(job) || areEqual(seenBefore, lastSeen);
    next.set(job.jobId, { job: row, isSettled, fingerprints, lastSeen });
  }
  const isComplete = keepUnreadable(unread, published, next, seen) === "all known";
  return { next, changed, seen, isComplete };
}

/** What was seen while the server did not listen would be lost once the job has started: then Slurm shows only one. */
function withEveryPartition(row: SlurmJob, known: Published["partitions"]): SlurmJob {
  const before = known.get(row.jobId);
  if (row.state === "PENDING" || before?.submitAt !== row.submitAt) return row;
  return { ...row, partition: everyPartition(before.partition, row.partition) };
}

/** Only these are told again; whatever else the server has said that it took, it has. */
function forgetTold(published: Published, changed: PassReport["changed"], nodes: PassReport["nodes"]): void {
  for (const { jobId } of changed) {
    const before = published.jobs.get(jobId);
    if (before === undefined) continue;
    const fingerprints = new Map([...before.fingerprints.keys()].map((attemptIndex) => [attemptIndex, ""]));
    published.jobs.set(jobId, { ...before, isSettled: false, fingerprints });
  }
  if (changed.length > 0) published.whole = undefined;
  for (const { name } of nodes) published.nodes.delete(name);
  if (nodes.length > 0) published.nodesFrom = undefined;
}

/** The server has it. Where every row is settled and could be read, the same listing again is the same report. */
function take(
  published: Published,
  next: ReadonlyMap<string, LastPublished>,
  { jobs, unreadable }: Pass,
  seen: PassReport["seen"],
): void {
  published.jobs.clear();
  let isSettled = unreadable.size === 0;
  for (const [jobId, last] of next) {
    published.jobs.set(jobId, last);
    isSettled &&= last.isSettled;
  }
  published.whole = isSettled ? { of: jobs, seen } : undefined;
}

function changedNodes(nodes: ReadonlyMap<string, SlurmNode>, known: ReadonlyMap<string, SlurmNode>): SlurmNode[] {
  const changed: SlurmNode[] = [];
  for (const node of nodes.values()) if (!areEqual(node, known.get(node.name))) changed.push(node);
  return changed;
}

/** Most rows of most passes; a report costs much more than this. */
const isUnchanged = (job: SlurmJob, before: LastPublished): boolean => before.isSettled && areEqual(before.job, job);

/** A row that could not be read is not gone: it counts as seen, as it was. One that was never read leaves the pass incomplete. */
function keepUnreadable(
  unread: ReadonlySet<string>,
  published: Published,
  next: Map<string, LastPublished>,
  seen: PassReport["seen"][number][],
): "all known" | "some unknown" {
  let areKnown = true;
  for (const jobId of unread) {
    const before = published.jobs.get(jobId);
    areKnown &&= before !== undefined;
    if (before === undefined) continue;
    next.set(jobId, before);
    for (const attemptIndex of before.fingerprints.keys()) seen.push({ jobId, attemptIndex });
  }
  return areKnown ? "all known" : "some unknown";
}

function isPublished(job: SlurmJob, published: Published, partitions: readonly string[]): boolean {
  if (published.jobs.has(job.jobId) || mentionsRecovery(job.comment)) return true;
  return job.partition.split(",").some((p) => partitions.includes(p));
}
