/**
 * root: which of an attempt's signals are root causes that still stand.
 *
 * In the loop   part of fold
 * Pure, total   the earliest comes first; empty means that the log names no cause.
 * Keeps         consequences (watchdog time-outs, "killed", "broken pipe") are never a root; a line after which the
 *               program went on stepping explains nothing.
 * Source        design §6, "root cause" and "acting before the end".
 */
import type { Progress, Signal } from "../nouns.ts";
import type { Phase } from "./situation.ts";

/** In data-parallel training the step that was under way when a rank failed may still be printed. */
const inFlightSteps = 1;

/** Signals further than this from the root belong to another incident. */
const incidentMs = 60_000;

export function rootOf(signals: readonly Signal[], progress: Progress, phase: Phase): readonly Signal[] {
  const standing = signals
    .filter((s) => s.root && s.kind !== "progress" && !wentOn(s, progress, phase))
    .toSorted((a, b) => a.at - b.at || offsetOf(a) - offsetOf(b));
  const first = standing[0];
  return first === undefined ? [] : standing.filter((s) => s.at - first.at <= incidentMs);
}

/** True when the program stepped on after this line: then it was not the end of it. */
export function wentOn(signal: Signal, progress: Progress, phase: Phase): boolean {
  if (progress.lastStepAt === undefined || progress.lastStep === undefined) return false;
  // Silence is contradicted by any later step; so is every line while the program still runs, but for the step in flight.
  if (signal.kind === "hang") return phase === "running" && progress.lastStepAt > signal.at;
  if (progress.lastStepAt <= signal.at) return false;
  return signal.step === undefined || progress.lastStep > signal.step + inFlightSteps;
}

const offsetOf = (signal: Signal) => signal.evidence.offset ?? 0;
