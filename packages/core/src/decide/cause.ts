/**
 * cause: what the failure of one attempt is put down to: its root line, or else Slurm's own state.
 *
 * In the loop   Situation → **cause** → decide
 * Pure, total   a failed attempt always has a cause; `unexplained` is one.
 * Source        design §6; Slurm's states as measured in 22.05 and 25.11.
 */
import type { CauseClass, Domain, Evidence, Instant, Signal, SignalKind } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";

export interface Cause {
  readonly causeClass: CauseClass;
  readonly domain: Domain;
  /** The signature, or Slurm's state. */
  readonly name: string;
  readonly kind: SignalKind | "exit";
  /** Nodes that the evidence points at. */
  readonly nodes: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly detectedAt: Instant;
  /** Class, normalised message, step, named rank or node: the same key is the same root (design §6). */
  readonly rootKey: string;
}

/** @returns undefined for an attempt that has not failed and whose log names no root. */
export function causeOf(s: Situation): Cause | undefined {
  return s.root === undefined ? stateCause(s) : signalCause(s, s.root);
}

function signalCause(s: Situation, root: Signal): Cause {
  const causeClass = root.causeClass ?? "unexplained";
  const sameClass = s.roots.filter((r) => r.causeClass === causeClass);
  const nodes = [...new Set(sameClass.flatMap((r) => r.nodes))];
  return {
    causeClass,
    domain: root.domain ?? causeClasses[causeClass].domain,
    name: root.cause ?? root.kind,
    kind: root.kind,
    nodes,
    evidence: sameClass.slice(0, 5).map((r) => r.evidence),
    detectedAt: root.at,
    rootKey: [causeClass, normalise(root.evidence.line), root.step ?? "-", root.nodes[0] ?? root.rank ?? "-"].join("|"),
  };
}

function stateCause(s: Situation): Cause | undefined {
  const { attempt } = s;
  if (s.scheduler.kind !== "seen" || s.scheduler.value !== "failed") return undefined;
  const causeClass = stateClass(s);
  const slurm = attempt.schedulerMetadata["slurm"] as
    | { slurmState?: string; reason?: string; exitCode?: number; signal?: number }
    | undefined;
  const words =
    slurm?.slurmState === undefined
      ? attempt.jmState
      : `${slurm.slurmState} ${slurm.reason ?? ""} ${slurm.exitCode ?? 0}:${slurm.signal ?? 0}`;
  const at = attempt.endedAt ?? attempt.lastSeenAt;
  return {
    causeClass,
    domain: causeClasses[causeClass].domain,
    name: attempt.jmState,
    kind: "exit",
    nodes: [],
    evidence: [{ source: "slurm", line: words, at }],
    detectedAt: at,
    rootKey: [causeClass, words, s.progress.lastStep ?? "-", "-"].join("|"),
  };
}

function stateClass(s: Situation): CauseClass {
  // Slurm's own word: once a later attempt is seen, our state for this one says only REQUEUED.
  const slurm = s.attempt.schedulerMetadata["slurm"] as { slurmState?: string } | undefined;
  switch (slurm?.slurmState ?? s.attempt.jmState) {
    case "NODE_FAIL":
    case "BOOT_FAIL":
    case "PREEMPTED":
      return "scheduler";
    case "TIMEOUT":
      return madeProgress(s) ? "scheduler" : "time-limit";
    case "OUT_OF_MEMORY":
      return "workload-deterministic";
    default:
      return "unexplained";
  }
}

/** The highest step that any attempt before this one reached or saved. */
export function bestStepBefore(earlier: Situation["earlier"]): number {
  return Math.max(-1, ...earlier.map(({ progress: p }) => Math.max(p.lastStep ?? -1, p.checkpointStep ?? -1)));
}

/** A step number that grew beyond every earlier attempt, or a newer checkpoint. Output alone is not progress. */
export function madeProgress(s: Pick<Situation, "earlier" | "progress">): boolean {
  return Math.max(s.progress.lastStep ?? -1, s.progress.checkpointStep ?? -1) > bestStepBefore(s.earlier);
}

/** Numbers, addresses and paths change from run to run without making another root. */
export function normalise(line: string): string {
  return line
    .replace(/0x[0-9a-f]+/gi, "#")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "#")
    .replace(/\d+(\.\d+)*/g, "#")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 200);
}
