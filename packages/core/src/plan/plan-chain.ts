/**
 * plan-chain: `singleton_dependency`: what comes next for a failed job whose author has submitted the next one of its chain, held.
 *
 * In the loop   part of plan; each step only when the one before is seen in Slurm: end the source, constrain the next, let it go
 * Pure, total
 * Keeps         nothing is requeued. The source is ended only when a next one is there that may be let go; only the author's own hold of
 *               one job goes (invariant 10), which is the next one that waits in the chain, opted in for this itself, without gates of
 *               its own; and whom the journal names once stays the next one.
 * Source        design §7; docs/decisions/0032, 0040.
 */
import { hasBadConstraints, hasEnded, isPending, isRestartable, readSlurmState } from "../fact/slurm-state.ts";
import { limits } from "../limits.ts";
import type { Instant, Policy, SlurmJob, SlurmView } from "../nouns.ts";
import { parseRecoveryComment } from "../policy/recovery-comment.ts";
import { siblingsOf } from "./chain.ts";
import { asWritten, constraintsOf, dropWeakest, lacksOf, tooOften } from "./constraints.ts";
import { isSingleton } from "./dependents.ts";
import { planRelease } from "./release.ts";
import { abandon, type Known, mayHaveActed, missed, type Plan, type SeenView, wait } from "./step.ts";
import type { JournalStep, Work } from "./work.ts";

export function planChain(
  work: Work,
  source: SlurmJob,
  ahead: number,
  view: SeenView,
  known: Known,
  now: Instant,
): Plan {
  if (ahead === 1) return abandon("SUPERSEDED", "the job was requeued; nothing of its chain is let go in its stead");
  if (isPending(source)) return wait("Slurm shows the source attempt as pending");
  const isEndedByUs = known.steps.some((s) => s.action === "cancel" && mayHaveActed(s));
  if (hasEnded(source) && !isReplaceable(work, source, isEndedByUs))
    return abandon("JOB_ENDED", `the job ended as ${source.state}`);
  const chosen = chosenJob(known.steps);
  const running = chosen === undefined ? hasGoneOn(source, view.value, known) : undefined;
  if (running !== undefined)
    return abandon(
      "SUPERSEDED",
      `job ${running.jobId}, the next of the chain, has started: Slurm let it run by itself`,
    );
  const next = nextOfChain(source, view.value, known);
  if (next === undefined) {
    if (chosen !== undefined)
      return missed(known, "TARGET_GONE", `Slurm no longer knows job ${chosen}, the next of the chain`);
    const why = `no job of the chain "${source.name}" waits behind it (--dependency=singleton)`;
    return missed(known, "ACTION_REFUSED", why);
  }
  if (chosen === undefined && work.withdrawn)
    return abandon("WITHDRAWN", "the Advice was withdrawn before anything of the chain was let go");
  if (chosen === undefined && now >= work.expiresAt)
    return abandon("ADVICE_EXPIRED", "the Advice expired before anything of the chain was let go");
  if (next.restartCount > 0)
    return abandon("SUPERSEDED", `job ${next.jobId}, the next of the chain, has run already, and was requeued`);
  const wish = wishOf(next, known);
  if (typeof wish === "string") return abandon("ACTION_REFUSED", `job ${next.jobId}, the next of the chain, ${wish}`);
  if (!hasEnded(source)) {
    const why = `it is ended, so that job ${next.jobId}, the next of its chain, can run`;
    return { kind: "act", step: { kind: "cancel" }, job: source, why };
  }
  const exclusions = [...work.exclusions, ...inherited(work, source, known)];
  return letNextGo({ ...work, exclusions, authorExclusions: wish.excludeNodes }, next, view, known, now);
}

/**
 * The source kept away from them, from its start on, for its author, who may say so of the next one himself. The first to go. What recovery had
 * added to it stands in the Advice, too, as long as anything asks for it: it is over where it does not (expired, or the node was repaired).
 */
function inherited({ exclusions }: Work, source: SlurmJob, known: Known): Work["exclusions"] {
  const { excludedNodes, startAt } = source;
  if (startAt === undefined) return [];
  const ours = asWritten(source, known)?.ours ?? [];
  const others = new Set([...exclusions.map(({ node }) => node), ...ours]);
  const expiresAt = startAt + limits.exclusionLifeMs;
  const nodes = excludedNodes.filter((node) => !others.has(node));
  return nodes.map((node) => ({ node, confidence: 0, expiresAt, isInherited: true }));
}

/**
 * Who waited behind the source and has started since, without us: the chain has gone on. Slurm dates the start of one that was cancelled while
 * it waited, too; it had no node.
 */
function hasGoneOn(source: SlurmJob, view: SlurmView, known: Membership): SlurmJob | undefined {
  const { endAt } = source;
  if (!hasEnded(source) || endAt === undefined) return undefined;
  return siblingsOf(source, view).find(
    (job) =>
      !isPending(job) &&
      job.nodes.length > 0 &&
      (job.startAt ?? 0) >= endAt &&
      isAfter(job, source) &&
      isMember(job, known),
  );
}

const isReplaceable = (work: Work, source: SlurmJob, isEndedByUs: boolean): boolean =>
  isRestartable(source) ||
  (source.state === "CANCELLED" && isEndedByUs) ||
  (source.state === "COMPLETED" && work.restartsCompleted);

type Membership = Pick<Known, "singletons" | "site">;

/** The job that is, or was, let go for the source; whose hold and marker count. Undefined: nobody waits. */
export function nextOfChain(
  source: SlurmJob,
  view: SlurmView,
  known: Pick<Known, "steps"> & Membership,
): SlurmJob | undefined {
  const chosen = chosenJob(known.steps);
  const siblings = siblingsOf(source, view); // Whoever has the ID of the chosen one and another name is another job.
  if (chosen !== undefined) return siblings.find(({ jobId }) => jobId === chosen);
  return siblings.find(
    (job) => isPending(job) && job.restartCount === 0 && isAfter(job, source) && isMember(job, known),
  );
}

/**
 * It waits in a chain. Once a minute Slurm looks at what is held, too, and shows `singleton` no more of the one whose turn has come: it was
 * seen before, or its author says so in its comment.
 */
function isMember({ jobId, dependency, comment }: SlurmJob, { singletons, site }: Membership): boolean {
  if (isSingleton(dependency) || singletons?.has(jobId) === true) return true;
  const coverage = parseRecoveryComment(comment, site);
  const isOfMode = coverage.kind === "covered" && coverage.policy.autoResumeMode === "singleton_dependency";
  return dependency === undefined && isOfMode;
}

/** Slurm itself lets the older of two singletons run first. */
const isAfter = (job: SlurmJob, source: SlurmJob) => Number(job.recordId) > Number(source.recordId);

const chosenJob = (steps: readonly JournalStep[]): string | undefined =>
  steps.findLast(({ onJob, action }) => onJob !== undefined && action !== "repair-dependency")?.onJob;

/** What the author of the next job wants for it; or why it is left alone. */
function wishOf({ comment }: SlurmJob, { site }: Known): Policy | string {
  const coverage = parseRecoveryComment(comment, site);
  if (coverage.kind === "not-covered") return `is not covered: ${coverage.because}`;
  if (coverage.policy.autoResumeMode !== "singleton_dependency")
    return `is not of this mode: its auto_resume_mode is "${coverage.policy.autoResumeMode}"`;
  return coverage.policy.dagDependencies.length > 0 ? "has gates of its own (dag_dependencies)" : coverage.policy;
}

function letNextGo(work: Work, next: SlurmJob, view: SeenView, known: Known, now: Instant): Plan {
  const { phase } = readSlurmState(next.state);
  if (phase === "unrecognised" || phase === "completing") return wait(`job ${next.jobId} is ${next.state}`);
  if (next.state === "CANCELLED")
    return abandon("JOB_ENDED", `job ${next.jobId}, the next of the chain, was cancelled`);
  const [lack] = lacksOf(work, view, next, known, now);
  const { missing } = lack;
  if (phase !== "pending" && missing.length > 0)
    return abandon("STARTED_UNCONSTRAINED", `job ${next.jobId} started without the exclusion of ${missing.join(", ")}`);
  if (phase === "pending" && hasBadConstraints(next)) return dropWeakest(work, lack, view.at, known);
  const isLetGo = known.steps.some((s) => s.action === "release" && mayHaveActed(s));
  const isLost = phase === "pending" && next.priority === 0 && next.dependency === undefined && !isLetGo;
  const isWanted = missing.length > 0 || isLost;
  if (isWanted && !work.withdrawn && now < work.expiresAt && !tooOften(work, next, known)) {
    const again = isLost ? { dependency: "singleton" } : {};
    // It waits in its author's hold, not in ours: nothing is taken out of its list.
    const constraints = constraintsOf(work, { ...lack, over: [] });
    const step = { kind: "update-constraints", ...constraints, droppedNodes: [], ...again } as const;
    const away = missing.length === 0 ? [] : [`keeps away from ${missing.join(", ")}`];
    const what = [...away, ...(isLost ? ["waits for whoever of the chain comes before it (singleton)"] : [])];
    return { kind: "act", step, job: next, why: `job ${next.jobId}, the next of the chain, ${what.join(", and ")}` };
  }
  const why = `job ${next.jobId} is the next of the chain; its author's hold goes`;
  const done = planRelease(work, next, next.restartCount, view.at, known, now, why);
  return done.kind === "satisfied" ? { ...done, why: `job ${next.jobId}, the next of the chain, is let go` } : done;
}
