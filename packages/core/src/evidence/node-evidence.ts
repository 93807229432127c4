/**
 * node-evidence: what one attempt says against nodes.
 *
 * In the loop   Situation → **evidence against nodes** → ledger → decide, for every job of the cluster
 * Pure, total   the same facts, the same entries; what is contradicted later (the program went on) is gone from the next answer.
 * Keeps         an attempt accuses only after it is over: until then it may go on. A program's own error accuses nobody, and neither does
 *               a drain: the node of a job that would not end was drained because of our own cancel.
 * Source        design §6; docs/decisions/0023.
 */
import { causeOf } from "../decide/cause.ts";
import { failedHost } from "../decide/launch-rule.ts";
import { launchFailed, launchHoldIn } from "../fact/launch-hold.ts";
import { limits } from "../limits.ts";
import type { AttemptRecord, CauseClass, Domain, Evidence, Instant, Signal } from "../nouns.ts";
import { type Phase, phaseOf, type Situation } from "../situation/situation.ts";
import { namesSuspect } from "../situation/silence.ts";
import { confidenceOf } from "./confidence.ts";

/** One entry of the ledger: one attempt's statement against one node. */
export interface NodeEvidence {
  readonly node: string;
  /** The signature, or `instant-repeat`. */
  readonly cause: string;
  readonly causeClass: CauseClass;
  readonly domain: Domain;
  /** When the node failed. */
  readonly at: Instant;
  /** 0 to 1, at that time. */
  readonly confidence: number;
  /** After this it is not weighed any more. */
  readonly expiresAt: Instant;
  /** It counts in other jobs, too: the line speaks of the machine itself. Else it is for the job that saw it, and for people to read. */
  readonly counts: boolean;
  readonly evidence: Evidence;
}

/** The same, with what the store knows of its attempt. */
export interface LedgerEntry extends NodeEvidence {
  readonly heimdallJobId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly incarnation: number;
  /** How many nodes ran jobs that are watched, when it was recorded; at least 1: the next failure is one of them by chance. */
  readonly nodesAtRisk: number;
}

/** Classes whose lines are about a machine, whatever program runs on it. */
const ofMachines: ReadonlySet<CauseClass> = new Set([
  "hardware-node",
  "hardware-unnamed",
  "network-pair",
  "storage-local",
]);

/** A node may be named, or inferred; most attempts never come here. */
export const mayAccuse = (attempt: AttemptRecord, signals: readonly Signal[]): boolean =>
  phaseOf(attempt) === "failed" || signals.some((s) => s.root) || isLaunchHeld(attempt);

/** @returns undefined while Slurm cannot be read: what was said before stands. */
export function evidenceOf(s: Situation, now: Instant): readonly NodeEvidence[] | undefined {
  if (s.scheduler.kind !== "seen") return undefined;
  const phase = s.scheduler.value;
  const own = s.root?.causeClass ?? "unexplained";
  const told = s.roots.filter((r) => (r.causeClass ?? "unexplained") === own && accuses(r, phase));
  const entries = new Map<string, NodeEvidence>();
  for (const root of told)
    for (const node of root.nodes) if (!entries.has(node)) entries.set(node, said(root, node, own));
  for (const entry of [...launchOn(s, phase), ...inferred(s, phase)])
    if (!entries.has(entry.node)) entries.set(entry.node, entry);
  return [...entries.values()].filter((e) => e.expiresAt > now).toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** What was cancelled may have been cancelled because of the line; then only a line counts that nothing else explains. */
function accuses(root: Signal, phase: Phase): boolean {
  const isOver = phase === "failed" || phase === "requeued";
  if (!isOver && !(phase === "cancelled" && root.exitIndependent)) return false;
  if (root.causeClass === "hang") return namesSuspect(root);
  return root.causeClass !== undefined && ofMachines.has(root.causeClass);
}

function said(root: Signal, node: string, causeClass: CauseClass): NodeEvidence {
  // Of a link that is named by one end only, that end may be the one that everybody talks to.
  const counts = ofMachines.has(causeClass) && (causeClass !== "network-pair" || root.nodes.length > 1);
  const confidence =
    causeClass === "hardware-unnamed" || causeClass === "network-pair"
      ? confidenceOf.suspect
      : causeClass === "hang"
        ? confidenceOf.inferred
        : root.exitIndependent
          ? confidenceOf.fatal
          : confidenceOf.named;
  return {
    node,
    cause: root.cause ?? root.kind,
    causeClass,
    domain: root.domain ?? "hardware",
    at: root.evidence.at,
    confidence,
    expiresAt: root.evidence.at + limits.evidenceLifeMs,
    counts,
    evidence: root.evidence,
  };
}

const isLaunchHeld = (attempt: AttemptRecord): boolean => launchHoldIn(attempt) === "failed";

/** Slurm could not launch the attempt on a node of the one before, and has drained it. */
function launchOn(s: Situation, phase: Phase): readonly NodeEvidence[] {
  const { attempt, nodes } = s;
  const node = phase === "pending" && isLaunchHeld(attempt) ? failedHost(s) : undefined;
  if (node === undefined) return [];
  const at = attempt.createdAt;
  return [
    {
      node,
      cause: launchFailed,
      causeClass: "scheduler",
      domain: "scheduler",
      at,
      confidence: confidenceOf.inferred,
      expiresAt: at + limits.evidenceLifeMs,
      // Where it is not drained, it is only the first of the nodes that the job was given.
      counts: nodes.some((n) => n.name === node && !n.isEligible),
      evidence: { source: "slurm", line: "launch failed requeued held", at },
    },
  ];
}

/** Starts that died on one node, again and again; the program may still be at fault, so it is for this job only. */
function inferred(s: Situation, phase: Phase): readonly NodeEvidence[] {
  const cause = phase === "failed" ? causeOf(s) : undefined;
  const [evidence] = cause?.evidence ?? [];
  if (cause === undefined || evidence === undefined || cause.domain !== "hardware") return [];
  const isInstant = cause.causeClass === "unexplained";
  if (!isInstant && s.root?.causeClass !== "workload-transient") return [];
  return cause.nodes.map((node) => ({
    node,
    cause: isInstant ? "instant-repeat" : cause.name,
    causeClass: cause.causeClass,
    domain: cause.domain,
    at: cause.detectedAt,
    confidence: confidenceOf.inferred,
    expiresAt: cause.detectedAt + limits.evidenceLifeMs,
    counts: false,
    evidence,
  }));
}
