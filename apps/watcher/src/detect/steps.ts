/**
 * steps: how far training came, from the numbers in step lines.
 *
 * In the loop   step lines → **grew, or not** → progress Signals
 * Gives         true only for a number that grew: every rank prints the same step, and a bar is drawn again and again.
 * Pure          but for what it remembers of one attempt.
 * Keeps         progress is a step number that grew, never mere output. A loaded checkpoint begins the count anew.
 */
import type { Instant } from "@reprise/core/nouns.ts";

/** Captures of a step line, as the matcher gives them. */
export interface StepLine {
  readonly signature: string;
  readonly captures: Readonly<Record<string, string>>;
}

const spacingsKept = 7;
/** Lines that were read together say nothing of the time between them. */
const measurableMs = 200;

export class Steps {
  last: number | undefined;
  /** Total of a bar that was seen to grow; bars of other totals (an evaluation) do not count. */
  private barTotal: string | undefined;
  private spacings: number[] = [];
  private measured: { step: number; at: Instant } | undefined;

  /** Time between two printed steps, the median of the recent ones (ms). */
  get spacingMs(): number | undefined {
    const sorted = this.spacings.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)];
    return median === undefined ? undefined : Math.round(median);
  }

  /** @param at When the line was read. Absent for lines that are read again after a restart: their time is not known. */
  grew(line: StepLine, at: Instant | undefined): boolean {
    const step = stepOf(line);
    if (step === undefined || !this.isTrainingBar(line)) return false;
    if (this.last !== undefined && step <= this.last) return false;
    this.measure(step, at, elapsedOf(line));
    this.last = step;
    return true;
  }

  /** Training goes on from a checkpoint, maybe from a lower step than the last one. */
  restart(): void {
    this.last = undefined;
    this.measured = undefined;
    this.barTotal = undefined;
  }

  private isTrainingBar({ signature, captures }: StepLine): boolean {
    if (signature !== "hf-trainer-bar") return true;
    this.barTotal ??= captures["total"];
    return captures["total"] === this.barTotal;
  }

  /** A line that prints the time of one step is exact; else the clock between two looks must do. */
  private measure(step: number, at: Instant | undefined, stepMs: number | undefined): void {
    if (stepMs !== undefined && this.last !== undefined) this.add(stepMs * (step - this.last));
    if (at === undefined) return;
    if (stepMs === undefined && this.measured !== undefined) {
      if (at - this.measured.at < measurableMs) return;
      this.add(at - this.measured.at);
    }
    this.measured = { step, at };
  }

  private add(ms: number): void {
    this.spacings = [...this.spacings.slice(1 - spacingsKept), ms];
  }
}

function stepOf({ signature, captures }: StepLine): number | undefined {
  const step = Number(captures["step"]);
  if (captures["step"] === undefined || !Number.isSafeInteger(step)) return undefined;
  // Lightning counts anew in each epoch.
  if (signature === "lightning-bar") return Number(captures["epoch"] ?? 0) * Number(captures["total"] ?? 0) + step;
  return step;
}

function elapsedOf({ captures }: StepLine): number | undefined {
  if (captures["elapsedMs"] !== undefined) return Number(captures["elapsedMs"]);
  return captures["elapsedS"] === undefined ? undefined : Number(captures["elapsedS"]) * 1000;
}
