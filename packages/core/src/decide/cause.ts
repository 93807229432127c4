/**
 * cause: what the failure of one attempt is put down to: its root line, or else Slurm's own state.
 *
 * In the loop   Situation → **cause** → decide
 * Pure, total   a failed attempt always has a cause; `unexplained` is one.
 * Source        design §6; Slurm's states as measured in 22.05 and 25.11.
 */
import { slurmFactsOf } from "../fact/slurm-facts.ts";
import type { CauseClass, Domain, Evidence, Instant, Signal, SignalKind } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { isSilence, namesSuspect } from "../situation/silence.ts";
import { causeClasses } from "./cause-class.ts";
import { madeProgress } from "./headway.ts";
import { rootKeyOf } from "./root-key.ts";
import { failedStartsOn, instantRepeat, suspectsOf } from "./suspects.ts";

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
  /** What a detector measured; absent where a line says it. */
  readonly detail?: string;
}

/** For a person: what was measured, or the first line that says it. */
export const summaryOf = ({ detail, evidence, name }: Cause): string => detail ?? evidence[0]?.line ?? name;

/** States of Slurm that say why nothing came any more. */
const explainSilence: ReadonlySet<string> = new Set(["NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "OUT_OF_MEMORY"]);

/** @returns undefined for an attempt that has not failed and whose log names no root. */
export function causeOf(s: Situation): Cause | undefined {
  if (s.root === undefined) return stateCause(s);
  const state = isSilence(s.root) ? stateCause(s) : undefined;
  return state !== undefined && explainSilence.has(state.name) ? state : signalCause(s, s.root);
}

function signalCause(s: Situation, root: Signal): Cause {
  const own = root.causeClass ?? "unexplained";
  const node = failedStartsOn(s, root);
  // Two starts that died on one node, and on no other: it is the node, whatever the line speaks of.
  const causeClass = node === undefined ? own : "hardware-node";
  const sameClass = s.roots.filter((r) => (r.causeClass ?? "unexplained") === own);
  const rootKey = rootKeyOf(root, causeClass);
  const pointing = own === "hang" ? sameClass.filter(namesSuspect) : sameClass;
  return {
    causeClass,
    domain: node === undefined ? domainOf(s, root, own, rootKey) : "hardware",
    name: root.cause ?? root.kind,
    kind: root.kind,
    nodes: node === undefined ? suspectsOf(s, own, [...new Set(pointing.flatMap((r) => r.nodes))], root.at) : [node],
    evidence: sameClass.slice(0, 5).map((r) => r.evidence),
    detectedAt: root.at,
    rootKey,
    ...(root.detail === undefined ? {} : { detail: root.detail }),
  };
}

/** Numbers that broke once may have been broken by anything; at the same step again it is the program. */
function domainOf(s: Situation, root: Signal, causeClass: CauseClass, rootKey: string): Domain {
  const domain = root.domain ?? causeClasses[causeClass].domain;
  const isRepeated = s.earlier.at(-1)?.advice?.rootKey === rootKey;
  return root.kind === "numerics" && domain === "unknown" && isRepeated ? "workload" : domain;
}

function stateCause(s: Situation): Cause | undefined {
  const { attempt } = s;
  if (s.scheduler.kind !== "seen" || s.scheduler.value !== "failed") return undefined;
  const causeClass = stateClass(s);
  // Twice at once on one node, and no line says why: the node, and not the program that never came to speak.
  const node = causeClass === "unexplained" ? instantRepeat(s) : undefined;
  const { slurmState, reason, exitCode, signal } = slurmFactsOf(attempt) as {
    slurmState?: string;
    reason?: string;
    exitCode?: number;
    signal?: number;
  };
  const exit = `${exitCode ?? 0}:${signal ?? 0}`;
  const words = slurmState === undefined ? attempt.jmState : `${slurmState} ${reason ?? ""} ${exit}`;
  const at = attempt.endedAt ?? attempt.lastSeenAt;
  return {
    causeClass,
    domain: node === undefined ? causeClasses[causeClass].domain : "hardware",
    name: attempt.jmState,
    kind: "exit",
    nodes: node === undefined ? [] : [node],
    evidence: [{ source: "slurm", line: words, at }],
    detectedAt: at,
    // Without the reason: its words change with Slurm's release, and say no more than state, code and signal.
    rootKey: [causeClass, `${slurmState ?? attempt.jmState} ${exit}`, s.progress.lastStep ?? "-", "-"].join("|"),
  };
}

function stateClass(s: Situation): CauseClass {
  // Slurm's own word: once a later attempt is seen, our state for this one says only REQUEUED.
  switch (slurmFactsOf(s.attempt)["slurmState"] ?? s.attempt.jmState) {
    case "NODE_FAIL":
    case "BOOT_FAIL":
    case "PREEMPTED":
      return "scheduler";
    case "TIMEOUT":
      return madeProgress(s) ? "scheduler" : "time-limit";
    case "OUT_OF_MEMORY":
      return "process-killed";
    default:
      return "unexplained";
  }
}
