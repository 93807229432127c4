/**
 * root: which of an attempt's signals are root causes that still stand.
 *
 * In the loop   part of fold
 * Pure, total   the root comes first, then what else stands of its incident; empty means that the log names no cause.
 * Keeps         consequences (watchdog time-outs, "killed", "broken pipe") are never a root, nor is what a program says while Slurm
 *               ends it at its time limit; a line after which the program went on stepping explains nothing. The earliest wins, but for two things: broken hardware explains
 *               what merely waited for it or lost contact, and a process that was killed explains who lost contact with it,
 *               whichever of them was printed first.
 * Source        design §6, "root cause" and "acting before the end".
 */
import type { CauseClass, Progress, Signal } from "../nouns.ts";
import { isSilence } from "./silence.ts";
import type { Phase } from "./situation.ts";

/** In data-parallel training the step that was under way when a rank failed may still be printed. */
const inFlightSteps = 1;

/** Signals further than this from the root belong to another incident. */
const incidentMs = 60_000;
/** A probe of the host comes by every few minutes, and finds what the waiting ranks could not know. */
const probeMs = 5 * 60_000;

/** What a broken GPU or node looks like to a program that only notices it. */
const symptoms: ReadonlySet<CauseClass> = new Set(["hang", "network-pair", "unexplained", "workload-transient"]);

export function rootOf(signals: readonly Signal[], progress: Progress, phase: Phase): readonly Signal[] {
  const limit = signals.find(({ cause }) => cause === timeIsUp);
  const standing = signals
    .filter((s) => s.root && s.kind !== "progress" && !wentOn(s, progress, phase))
    .filter((s) => limit === undefined || s.kind !== "crash" || isHardware(s) || !isAfter(s, limit))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.at - b.at || offsetOf(a) - offsetOf(b));
  const first = standing[0];
  if (first === undefined) return [];
  const reachMs = first.kind === "hang" ? probeMs : incidentMs;
  const explains = standing.find((s) => s.at - first.at <= reachMs && isExplainedBy(first, s));
  const incident = standing.filter((s) => s.at - first.at <= incidentMs);
  return explains === undefined ? incident : [explains, ...incident.filter((s) => s !== explains)];
}

/** Slurm's word that a node is lost, in which it does not say which one. */
const nodeLost = "node-failure-notice";

/** Slurm's word that it ends the job at its time limit; the programs have `KillWait` to react. */
const timeIsUp = "time-limit-notice";

/** In one file its order is certain; a whole log may be read at once. */
function isAfter(s: Signal, other: Signal): boolean {
  const isOfOneFile = s.evidence.path !== undefined && s.evidence.path === other.evidence.path;
  return isOfOneFile ? offsetOf(s) > offsetOf(other) : s.at > other.at;
}

/** A lost contact leaves open whether the network or a process is gone: who was killed from outside has not died of it. */
function isExplainedBy({ cause, causeClass = "unexplained" }: Signal, other: Signal): boolean {
  if (cause === nodeLost) return other.causeClass === "hardware-node";
  if (causeClass === "network-pair" && other.causeClass === "process-killed") return true;
  return symptoms.has(causeClass) && isHardware(other);
}

export const isHardware = ({ causeClass }: Signal): boolean =>
  causeClass === "hardware-node" || causeClass === "hardware-unnamed";

/** True when the program stepped on after this line: then it was not the end of it. */
export function wentOn(signal: Signal, progress: Progress, phase: Phase): boolean {
  if (progress.lastStepAt === undefined || progress.lastStep === undefined) return false;
  // Numbers that stay broken over many steps are told while the program steps on.
  if (signal.kind === "numerics" && signal.exitIndependent) return false;
  if (isSilence(signal)) return Math.max(progress.lastStepAt, progress.checkpointAt ?? 0) > signal.at;
  // Silence is contradicted by any later step; so is every line while the program still runs, but for the step in flight.
  if (signal.kind === "hang") return phase === "running" && progress.lastStepAt > signal.at;
  if (progress.lastStepAt <= signal.at) return false;
  return signal.step === undefined || progress.lastStep > signal.step + inFlightSteps;
}

/** Whatever was said before or after it, a silence comes last. */
const rankOf = (signal: Signal) => (isSilence(signal) ? 1 : 0);
const offsetOf = (signal: Signal) => signal.evidence.offset ?? 0;
