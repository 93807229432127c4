/**
 * training-files: reads what a training left in its folder and its output.
 *
 * Gives   values; undefined or an empty list while there is nothing yet.
 */
import { existsSync, readFileSync } from "node:fs";
import { loadNewest, type Checkpoint } from "../training/checkpoint.ts";
import type { FaultRecord } from "../training/faults.ts";
import type { TrainingResult } from "../training/worker.ts";

export type { Checkpoint, FaultRecord, TrainingResult };
export type { Fault, FaultKind } from "../training/settings.ts";
export { parseStepLines, type StepLine } from "../training/lines.ts";

/** The newest that is whole: the one that a start now would load. */
export function newestCheckpoint(dir: string): Checkpoint | undefined {
  const found = loadNewest(dir);
  return found === undefined ? undefined : { path: found.path, step: found.step };
}

/** In the order in which they happened. */
export function readFaults(dir: string): FaultRecord[] {
  const path = `${dir}/faults.jsonl`;
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, "utf8").split("\n").slice(0, -1); // The last piece is empty, or a line being written.
  return whole.map((line) => JSON.parse(line) as FaultRecord);
}

export function readResult(dir: string): TrainingResult | undefined {
  const path = `${dir}/result.json`;
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as TrainingResult) : undefined;
}

/** Undefined: not finished. NaN: finished with ruined weights. */
export function finalLoss(dir: string): number | undefined {
  const result = readResult(dir);
  return result === undefined ? undefined : (result.finalLoss ?? Number.NaN);
}
