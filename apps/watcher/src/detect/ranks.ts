/**
 * ranks: how far each rank came, where ranks print: the one that is behind is what the others wait for.
 *
 * Takes   step lines that name their rank, with the step times they print; and collectives that a watchdog gave up, by rank and
 *         sequence number.
 * Gives   the ranks behind; the ranks that are slower than usual by a quarter. Empty where all are alike, where it is not the
 *         smaller part, or where fewer than `ranksMin` speak.
 * Bound   `ranksMax` ranks.
 * Source  PyTorch ProcessGroupNCCL: `[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1559, …)`
 */
import { median } from "@reprise/core/figures/quantile.ts";

const ranksMax = 16_384;
const ranksMin = 3;
/** Of a rank's own step times the latest count most: each moves the mean by so much. */
const meanShare = 0.2;
const slowerThanMost = 1.25;
const sequence = /\bSeqNum=(\d+)|last enqueued (?:NCCL )?work: (\d+)/;

export class Ranks {
  private readonly steps = new Map<number, number>();
  private readonly collectives = new Map<number, number>();
  private readonly times = new Map<number, number>();

  stepped(rank: number | undefined, step: number): void {
    if (rank !== undefined && Number.isFinite(step)) this.reached(this.steps, rank, step);
  }

  /** @returns Ranks behind, when this line shows them for the first time. */
  gaveUp(rank: number | undefined, text: string): readonly number[] {
    const match = sequence.exec(text);
    if (match === null || rank === undefined) return [];
    const before = ranksBehind(this.collectives).length;
    this.reached(this.collectives, rank, Number(match[1] ?? match[2]));
    const behind = ranksBehind(this.collectives);
    return before === 0 ? behind : [];
  }

  /** @param ms Of one step, as this rank prints it. */
  timed(rank: number | undefined, ms: number): void {
    if (rank === undefined || !(ms > 0) || (this.times.size >= ranksMax && !this.times.has(rank))) return;
    const before = this.times.get(rank) ?? ms;
    this.times.set(rank, before + meanShare * (ms - before));
  }

  /** Where all wait for each other all are as slow as the slowest, and nobody stands out. */
  get slower(): readonly number[] {
    const usual = median([...this.times.values()]);
    return usual === undefined ? [] : smallerPart(this.times, (ms) => ms > slowerThanMost * usual);
  }

  get behind(): readonly number[] {
    return ranksBehind(this.steps);
  }

  /** The workers begin anew. */
  restart(): void {
    this.steps.clear();
    this.collectives.clear();
    this.times.clear();
  }

  private reached(map: Map<number, number>, rank: number, at: number): void {
    if (map.size < ranksMax || map.has(rank)) map.set(rank, Math.max(at, map.get(rank) ?? 0));
  }
}

/** Ranks that printed an earlier step, or reached an earlier collective, than the others: the others wait for them. */
function ranksBehind(reached: ReadonlyMap<number, number>): readonly number[] {
  const furthest = Math.max(...reached.values());
  return smallerPart(reached, (at) => at < furthest);
}

/** Those of whom it is true, rising; nobody where that is half of them or more. */
function smallerPart(ofRanks: ReadonlyMap<number, number>, isTrue: (value: number) => boolean): readonly number[] {
  if (ofRanks.size < ranksMin) return [];
  const those = [...ofRanks].filter(([, value]) => isTrue(value)).map(([rank]) => rank);
  return those.length * 2 < ofRanks.size ? those.toSorted((a, b) => a - b) : [];
}
