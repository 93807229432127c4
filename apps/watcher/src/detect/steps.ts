/**
 * steps: how far training came, from the numbers in step lines.
 *
 * In the loop   step lines → **grew, or not** → progress Signals
 * Gives         true only for a number that grew: every rank prints the same step, and a bar is drawn again and again.
 * Pure          but for what it remembers of one attempt.
 * Keeps         progress is a step number that grew, never mere output. A loaded checkpoint begins the count anew. A program
 *               that prints several numbers (a bar, and its epoch) is followed by the most exact of them.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Counts } from "../match/signature.ts";

/** A step line, as the matcher gives it. */
export interface StepLine {
  readonly counts: Counts;
  readonly captures: Readonly<Record<string, string>>;
}

/** More than the lines of a burst that is read line by line: the gap before it is among them. */
const spacingsKept = 16;
/** Lines that were read together say nothing of the time between them. */
const measurableMs = 200;
/** Steps of an epoch whose length nobody prints: no epoch is longer. */
const epochStepsMax = 1_000_000;
const exactness: Readonly<Record<Counts, number>> = { run: 3, bar: 2, epoch: 2, fraction: 1 };

export class Steps {
  last: number | undefined;
  private counts: Counts | undefined;
  /** From a line of its own, for step lines that do not name theirs. */
  private epoch: string | undefined;
  /** Total of a bar that was seen to grow; bars of other totals (an evaluation) do not count. */
  private barTotal: string | undefined;
  /** As printed, and as they came: output that is buffered comes in bursts, later than its steps were made. */
  private readonly spacings: Record<"printed" | "seen", number[]> = { printed: [], seen: [] };
  private measuredAt: Instant | undefined;
  /** When an earlier reader saw the last step. What nobody watched since then was a gap of at most so long. */
  private seenBeforeAt: Instant | undefined;

  /** Time between two signs of a step, the longest of the recent ones (ms): for so long silence is usual. */
  get spacingMs(): number | undefined {
    const { printed, seen } = this.spacings;
    const longest = Math.max(...printed, ...seen);
    return longest < 0 ? undefined : Math.round(longest);
  }

  /** @param at When the line was read. Absent for lines that are read again after a restart: their time is not known. */
  grew(line: StepLine, at: Instant | undefined): boolean {
    const step = stepOf(line, this.epoch);
    if (step === undefined || !this.isTrainingBar(line) || !this.isExact(line.counts)) return false;
    if (this.last !== undefined && step <= this.last) return false;
    this.measure(step, at, elapsedMs(line.captures));
    this.last = step;
    return true;
  }

  /** Before any line. */
  goesOnFrom(seenBeforeAt: Instant | undefined): void {
    this.seenBeforeAt = seenBeforeAt;
  }

  beginEpoch(epoch: string | undefined): void {
    this.epoch = epoch;
  }

  /** Training goes on from a checkpoint, maybe from a lower step than the last one. */
  restart(): void {
    this.last = undefined;
    this.measuredAt = undefined;
    this.barTotal = undefined;
  }

  private isTrainingBar({ counts, captures }: StepLine): boolean {
    if (counts !== "bar") return true;
    this.barTotal ??= captures["total"];
    return captures["total"] === this.barTotal;
  }

  /** A better number takes over, and the count begins with it; a worse one is no longer listened to. */
  private isExact(counts: Counts): boolean {
    if (this.counts === undefined || exactness[counts] > exactness[this.counts]) {
      if (this.counts !== undefined) this.restart();
      this.counts = counts;
    }
    return exactness[counts] === exactness[this.counts];
  }

  private measure(step: number, at: Instant | undefined, stepMs: number | undefined): void {
    if (stepMs !== undefined && this.last !== undefined) this.add("printed", stepMs * (step - this.last));
    if (at === undefined) return;
    this.measuredAt ??= this.seenBeforeAt;
    this.seenBeforeAt = undefined;
    if (this.measuredAt !== undefined) {
      if (at - this.measuredAt < measurableMs) return;
      this.add("seen", at - this.measuredAt);
    }
    this.measuredAt = at;
  }

  private add(kind: "printed" | "seen", ms: number): void {
    this.spacings[kind] = [...this.spacings[kind].slice(1 - spacingsKept), ms];
  }
}

function stepOf({ counts, captures }: StepLine, epoch: string | undefined): number | undefined {
  if (counts === "fraction") {
    const epochs = Number(captures["epoch"]);
    return captures["epoch"] === undefined || !Number.isFinite(epochs) ? undefined : Math.round(epochs * 1000);
  }
  const step = whole(captures["step"]);
  if (step === undefined) return undefined;
  const ofEpoch = whole(captures["total"]) ?? epochStepsMax;
  return counts === "epoch" ? (whole(captures["epoch"] ?? epoch) ?? 0) * ofEpoch + step : step;
}

/** `4,875` and `4_875` are numbers too. */
function whole(text: string | undefined): number | undefined {
  const number = Number(text?.replaceAll(/[,_](?=\d{3})/g, ""));
  return text !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

/** Of one step, as the line prints it. */
export function elapsedMs(captures: StepLine["captures"]): number | undefined {
  if (captures["elapsedMs"] !== undefined) return Number(captures["elapsedMs"]);
  return captures["elapsedS"] === undefined ? undefined : Number(captures["elapsedS"]) * 1000;
}
