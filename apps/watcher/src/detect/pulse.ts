/**
 * pulse: when training last came further, and how long its pauses are.
 *
 * In the loop   steps, checkpoints, evaluations and their announcements → **pulse** → hang
 * Keeps         only what grew moves it: a step, a saved checkpoint, the end of an evaluation after further steps; before the
 *               first step also output that says something new. A heartbeat and a repeated warning move nothing.
 * Pure          but for what it remembers of one attempt; its state survives the watcher (`memory.ts`).
 * Bound         `pausesKept` pauses of each kind, `gapsKept` gaps, `wordsMax` different lines before the first step.
 * Source        design §6: progress is a step that grew or a checkpoint that was saved.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { median, quantile } from "@reprise/core/figures/quantile.ts";

/** `other`: nobody had announced it. */
export type PauseKind = "evaluation" | "checkpoint" | "other";

/** The line that moved it last; what silence is shown with. */
export interface LinePlace {
  readonly path: string;
  readonly offset: number;
  readonly line: string;
  /** Unique in the attempt, the same however often the line is read. */
  readonly key: string;
}

export interface PulseState {
  /** Of the last sign of progress, or of the first look. What nobody watched is left out. */
  since: Instant;
  place?: LinePlace;
  /** The first line since then that speaks of an error. */
  complaint?: LinePlace;
  /** Silence since then was told. */
  isTold: boolean;
  /** Step lines that grew since the program began or loaded a checkpoint, a burst as one; counted up to `loopSteps`. */
  steps: number;
  /** When the last burst of step lines began. */
  burstAt?: Instant;
  /** The last step was the last one of its bar or run: what comes now is no longer the loop. */
  isComplete: boolean;
  announced?: PauseKind;
  /** So many of the next gaps are not learnt: nobody was looking, so lines are read later than they came. */
  unknownGaps?: number;
  /** An evaluation has ended since the last step: a second end is none. */
  hasEvaluated: boolean;
  /** Usual times between two step lines (ms), the latest last. */
  gaps: number[];
  readonly pauses: Record<PauseKind, number[]>;
}

/** One line says only that there is a first step; how long one takes shows with the second. */
export const loopSteps = 2;
/** Output that was buffered comes as a burst: one sign of life. The times between its lines say nothing of the next one. */
const burstMs = 1_000;
const gapsKept = 15;
/** The gap up to what is read late, and the one after it, which looks shorter than it was. */
const gapsAfterAbsence = 2;
const pausesKept = 16;
/** Longer than so many usual gaps, and than `pauseMinMs`, is a pause. */
const pauseGaps = 4;
const pauseMinMs = 10_000;
const wordsMax = 64;

export class Pulse {
  readonly state: PulseState;
  /** Lines before the first step, without their numbers, with the largest numbers that they had. */
  private readonly words = new Map<string, readonly number[]>();

  constructor(state: PulseState | Instant) {
    this.state =
      typeof state === "object"
        ? state
        : {
            since: state,
            isTold: false,
            steps: 0,
            isComplete: false,
            hasEvaluated: false,
            gaps: [],
            pauses: { evaluation: [], checkpoint: [], other: [] },
          };
  }

  get isInLoop(): boolean {
    return this.state.steps >= loopSteps;
  }

  /** What nine of ten gaps do not exceed. Lines that were read late, all at once, make the gap after them look shorter than it was. */
  get longGapMs(): number | undefined {
    return quantile(this.state.gaps, 0.9);
  }

  /** @returns whether the time since the last sign of progress was a pause, and no measure of speed. */
  stepped(at: Instant, place: LinePlace, isComplete: boolean): boolean {
    const { state } = this;
    const isOfBurst = state.steps > 0 && state.burstAt !== undefined && at < state.burstAt + burstMs;
    const wasPause = !isOfBurst && this.endGap(at);
    if (!isOfBurst && state.unknownGaps !== undefined && --state.unknownGaps <= 0) delete state.unknownGaps;
    const isAfterWork = state.announced !== undefined || state.hasEvaluated;
    delete state.announced;
    state.hasEvaluated = false;
    state.isComplete = isComplete;
    if (!isOfBurst) {
      state.burstAt = at;
      if (state.steps < loopSteps) state.steps++;
    }
    this.move(at, place);
    return wasPause || isAfterWork;
  }

  saved(at: Instant, place: LinePlace): void {
    this.endGap(at, "checkpoint");
    if (this.state.announced === "checkpoint") delete this.state.announced;
    this.move(at, place);
  }

  announce(kind: "evaluation" | "checkpoint"): void {
    this.state.announced = kind;
  }

  evaluated(at: Instant, place: LinePlace): void {
    if (this.state.hasEvaluated) return;
    this.endGap(at, "evaluation");
    this.state.hasEvaluated = true;
    if (this.state.announced === "evaluation") delete this.state.announced;
    this.move(at, place);
  }

  /** The workers begin anew, or a checkpoint was loaded: what follows is a start again. */
  loaded(at: Instant, place: LinePlace): void {
    const { state } = this;
    state.steps = 0;
    state.isComplete = false;
    delete state.announced;
    this.move(at, place);
  }

  /** A line before the first step. It counts where its words are new, or a number in it has grown. */
  said(at: Instant, words: string, place: LinePlace): void {
    if (this.isInLoop) return;
    const numbers = (words.match(/\d+/g) ?? []).slice(0, 6).map(Number);
    const shape = words.replace(/\d+/g, "#");
    const known = this.words.get(shape);
    if (known === undefined ? this.words.size >= wordsMax : !numbers.some((n, i) => n > (known[i] ?? -1))) return;
    this.words.set(
      shape,
      numbers.map((n, i) => Math.max(n, known?.[i] ?? 0)),
    );
    this.move(at, place);
  }

  complained(place: LinePlace): void {
    this.state.complaint ??= place;
  }

  /** Nobody can know of a step up to then: the job was suspended, or its log emptied before it was read. */
  excused(at: Instant): void {
    this.state.since = Math.max(this.state.since, at);
  }

  /** Nobody looked for so long, or so it seems, as the clock may have been set meanwhile: only what was watched is silence. */
  unwatched(ms: number): void {
    this.state.since += ms;
    if (this.state.burstAt !== undefined) this.state.burstAt += ms;
    this.state.unknownGaps = gapsAfterAbsence;
  }

  private endGap(at: Instant, kind: PauseKind = this.state.announced ?? "other"): boolean {
    const { state } = this;
    if (state.unknownGaps !== undefined) return true;
    if (state.steps === 0) return false;
    const gapMs = at - state.since;
    const usualMs = median(state.gaps);
    const isPause = usualMs !== undefined && gapMs > Math.max(pauseMinMs, pauseGaps * usualMs);
    if (isPause) state.pauses[kind] = [...state.pauses[kind].slice(1 - pausesKept), gapMs];
    else if (kind === "other") state.gaps = [...state.gaps.slice(1 - gapsKept), gapMs];
    return isPause;
  }

  private move(at: Instant, place: LinePlace): void {
    this.state.since = Math.max(this.state.since, at);
    this.state.place = place;
    this.state.isTold = false;
    delete this.state.complaint;
  }
}
