/**
 * detection: what the demo's author asks to be watched for, in seconds where a real one would say half an hour.
 *
 * Pure, total
 */
import type { FaultKind } from "@reprise/slurm-lab/training-files.ts";

/** Kinds that something detects. */
export const detected = ["ecc", "exit", "signal", "hang", "slow"] as const satisfies readonly FaultKind[];
export type DetectedFault = (typeof detected)[number];

/** Where in a training the fault falls. A loss of throughput is measured against steps that came before it. */
export const faultShare: Readonly<Record<DetectedFault, number>> = {
  ecc: 0.4,
  exit: 0.4,
  signal: 0.4,
  hang: 0.4,
  slow: 0.5,
};
export const stepsMin: Readonly<Record<DetectedFault, number>> = { ecc: 60, exit: 60, signal: 60, hang: 60, slow: 100 };

/** The job's `anomaly_detection`. */
export function detectionOf(kind: FaultKind): object {
  if (kind === "hang")
    return { anomaly_detection: { log_based_timeout_pretraining: 60, log_based_timeout_trainingloop: 10 } };
  return kind === "slow" ? { anomaly_detection: { slowdown: true } } : {};
}

/** Of the training. Where speed is what is looked at, a step takes its time also while the CPUs are busy. */
export function paceOf(kind: FaultKind): { globalBatch?: number; stepMs?: number } {
  return kind === "slow" ? { globalBatch: 1024, stepMs: 200 } : {};
}

/** Of `reprise up`. */
export function flagsOf(kind: FaultKind): readonly string[] {
  return kind === "slow" ? ["--slowdown-after", "6s"] : [];
}
