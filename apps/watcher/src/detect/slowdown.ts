/**
 * slowdown: whether training has lost throughput for good.
 *
 * In the loop   step times → bins → **a sequential test against the attempt's own baseline** → Signal
 * Takes         one measure a step line that grew: the time of one step, as the line prints it or as the clock shows it.
 * Gives         `lost` once a loss has lasted, with where it began and how large it is; `regained` and `gained` for the record.
 * Pure          but for what it remembers of one attempt; its state survives the watcher (`memory.ts`).
 * Keeps         a loss is told only when it is at least `lossMin`, stands out of the spread, has lasted `lastsMs` and
 *               `lastsBins` bins, and still stands: a spike that heals, an evaluation and a slow checkpoint are none. Steps that carry
 *               another batch than before are other steps: the baseline is learnt anew.
 * Bound         one bin is a sixtieth of `lastsMs`; `recentKept` bins are remembered.
 * Source        E. S. Page, Continuous inspection schemes (CUSUM), with clipped deviations; docs/decisions/0020; the rate of
 *               false alarms: docs/benchmarks.md, measured by `e2e/bench/detectors.ts`.
 */
import { median } from "@reprise/core/figures/quantile.ts";
import { type Baseline, baselineBins, baselineBinsMax, baselineOf, warmUpBins } from "./baseline.ts";
import type { LinePlace } from "./pulse.ts";

export interface StepMeasure {
  readonly step: number;
  /** Steps since the line before. */
  readonly steps: number;
  /** Of one step (ms). */
  readonly stepMs: number;
  /** What a step carries: batch and sequence length as printed. Another one makes another step. */
  readonly work: string;
  readonly place: LinePlace;
}

export interface Change {
  readonly kind: "lost" | "regained" | "gained";
  /** 0.06: a step takes 6 % longer than it did; for `gained` shorter. */
  readonly share: number;
  readonly beforeMs: number;
  readonly nowMs: number;
  /** The first line of the change. */
  readonly since: { readonly step: number; readonly place: LinePlace };
}

interface Sum {
  value: number;
  /** Training time since it was last zero (ms), and bins. */
  forMs: number;
  bins: number;
  from?: Change["since"];
}

export interface SlowdownState {
  work?: string;
  warmedUp: number;
  bin: { ms: number; steps: number; from?: Change["since"] };
  /** ln(ms) of the latest bins. */
  recent: number[];
  /** Bins that the baseline is learnt from; empty once it stands. */
  learning: number[];
  baseline?: Baseline;
  slower: Sum;
  faster: Sum;
  /** A loss was told and stands. */
  isSlow: boolean;
}

const binsOfLast = 60;
const lastsBins = 20;
const recentKept = 40;
const healedBins = 10;
/** ln(1.05): 5 %. */
const lossMin = Math.log(1.05);
/** A loss stands out of the spread of a bin by so much. */
const lossSpreads = 2;
const clip = 4;
const [slackMin, slackMax] = [0.75, 2];
/** Of the cumulative sum, in spreads. */
const alarmAt = 25;
const suspectAt = 5;

export class Slowdown {
  readonly state: SlowdownState;
  private readonly lastsMs: number;

  /** @param lastsMs How long a loss must have lasted; the scale of everything here. */
  constructor(lastsMs: number, state?: SlowdownState) {
    this.lastsMs = lastsMs;
    this.state = state ?? {
      warmedUp: 0,
      bin: { ms: 0, steps: 0 },
      recent: [],
      learning: [],
      slower: none(),
      faster: none(),
      isSlow: false,
    };
  }

  /** Training began anew inside the attempt. */
  restart(): void {
    const { state } = this;
    state.bin = { ms: 0, steps: 0 };
    state.slower = none();
    state.faster = none();
    state.warmedUp = 0;
  }

  measure(m: StepMeasure): Change | undefined {
    const { state } = this;
    if (!(m.stepMs > 0) || !Number.isFinite(m.stepMs)) return undefined;
    if (state.work !== undefined && state.work !== m.work) this.forget();
    state.work = m.work;
    state.bin.from ??= { step: m.step, place: m.place };
    state.bin.ms += m.stepMs * m.steps;
    state.bin.steps += m.steps;
    return state.bin.ms < this.lastsMs / binsOfLast ? undefined : this.endBin();
  }

  private forget(): void {
    this.restart();
    this.state.recent = [];
    this.state.learning = [];
    delete this.state.baseline;
    this.state.isSlow = false;
  }

  private endBin(): Change | undefined {
    const { state } = this;
    const { ms, steps, from } = state.bin;
    state.bin = { ms: 0, steps: 0 };
    if (state.warmedUp < warmUpBins) {
      state.warmedUp++;
      return undefined;
    }
    const value = Math.round(Math.log(ms / steps) * 10_000) / 10_000;
    state.recent = [...state.recent.slice(1 - recentKept), value];
    this.learn(value);
    if (state.baseline === undefined) return undefined;
    const deviation = (value - state.baseline.middle) / state.baseline.spread;
    add(state.slower, deviation, state.baseline.spread, ms, from!);
    add(state.faster, -deviation, state.baseline.spread, ms, from!);
    this.heal(state.slower, state.baseline, 1);
    this.heal(state.faster, state.baseline, -1);
    return state.isSlow
      ? this.regained(state.baseline, from!)
      : (this.lost(state.baseline) ?? this.gained(state.baseline));
  }

  private learn(value: number): void {
    const { state } = this;
    const hasBegun = state.baseline !== undefined;
    // What may be the beginning of a change is no part of what was before it.
    const isSuspect = Math.max(state.slower.value, state.faster.value) > suspectAt;
    if (hasBegun && (state.learning.length === 0 || isSuspect)) return;
    state.learning = [...state.learning, value].slice(hasBegun ? 0 : -baselineBins);
    const learnt = baselineOf(state.learning);
    if (learnt !== undefined) state.baseline = learnt;
    if (state.learning.length >= baselineBinsMax) state.learning = [];
  }

  private lost(baseline: Baseline): Change | undefined {
    const change = this.lasting(this.state.slower, baseline, 1);
    if (change === undefined) return undefined;
    this.state.isSlow = true;
    return { kind: "lost", ...change };
  }

  private gained(baseline: Baseline): Change | undefined {
    const change = this.lasting(this.state.faster, baseline, -1);
    if (change === undefined) return undefined;
    // From now on this is what the attempt can do.
    delete this.state.baseline;
    this.state.learning = this.state.recent.slice(-lastsBins);
    this.state.slower = none();
    this.state.faster = none();
    return { kind: "gained", ...change };
  }

  /** Half of the smallest loss that is told: between the two nothing is told again and again. */
  private regained(baseline: Baseline, since: Change["since"]): Change | undefined {
    const latest = this.state.recent.slice(-lastsBins);
    const now = median(latest)!;
    if (now - baseline.middle >= lossMin / 2) return undefined;
    this.state.isSlow = false;
    this.state.slower = none();
    return { kind: "regained", share: 0, beforeMs: Math.exp(baseline.middle), nowMs: Math.exp(now), since };
  }

  /** A sum falls slowly; what has healed is over at once, and what comes later is another change. */
  private heal(sum: Sum, baseline: Baseline, sign: 1 | -1): void {
    if (sum.bins < healedBins || this.state.isSlow) return;
    const latest = median(this.state.recent.slice(-healedBins))!;
    if (sign * (latest - baseline.middle) < smallestOf(baseline) / 2) reset(sum);
  }

  private lasting(sum: Sum, baseline: Baseline, sign: 1 | -1): Omit<Change, "kind"> | undefined {
    if (sum.value < alarmAt || sum.bins < lastsBins || sum.forMs < this.lastsMs || sum.from === undefined)
      return undefined;
    const smallest = smallestOf(baseline);
    const { recent } = this.state;
    // All of it, and its end: a loss that is healing has a long tail behind it.
    const stretches = [
      recent.slice(-Math.min(sum.bins, recentKept)),
      recent.slice(-lastsBins),
      recent.slice(-lastsBins / 2),
    ];
    const changes = stretches.map((stretch) => sign * (median(stretch)! - baseline.middle));
    if (changes.some((change) => change < smallest)) return undefined;
    const nowMs = Math.exp(median(recent.slice(-lastsBins))!);
    const beforeMs = Math.exp(baseline.middle);
    return { share: Math.abs(nowMs / beforeMs - 1), beforeMs, nowMs, since: sum.from };
  }
}

const smallestOf = (baseline: Baseline) => Math.max(lossMin, lossSpreads * baseline.spread);

function reset(sum: Sum): void {
  sum.value = 0;
  sum.forMs = 0;
  sum.bins = 0;
  delete sum.from;
}

const none = (): Sum => ({ value: 0, forMs: 0, bins: 0 });

/** One step of the cumulative sum. It begins anew where it falls to zero: there is the change, if there is one. */
function add(sum: Sum, deviation: number, spread: number, ms: number, from: Change["since"]): void {
  const slack = Math.min(slackMax, Math.max(slackMin, lossMin / 2 / spread));
  const clipped = Math.max(-clip, Math.min(clip, deviation));
  const value = Math.max(0, sum.value + clipped - slack);
  if (value === 0) return reset(sum);
  sum.from ??= from;
  // Beyond a few times the alarm a long loss would take as long to be forgotten as it lasted.
  sum.value = Math.min(value, 4 * alarmAt);
  sum.forMs += ms;
  sum.bins++;
}
