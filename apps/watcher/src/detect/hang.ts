/**
 * hang: whether training has been silent for too long.
 *
 * In the loop   pulse, the author's limits → **hang** → Signal
 * Takes         up to when the log was read: silence counts only there.
 * Gives         what was allowed and why, so that a person can see whose limit it was.
 * Pure, total
 * Keeps         never below the author's limit. A pause that was announced may last `announcedFactor` times as long, and one that
 *               this job has made before `learntFactor` times as long as then, up to `learntLimits` limits.
 * Source        docs/decisions/0020; bigscience-workshop/bigscience chronicles, dlrover#1727 (pauses that heal).
 */
import { quantile } from "@reprise/core/figures/quantile.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { SilenceLimits } from "../server.ts";
import type { Pulse } from "./pulse.ts";

const announcedFactor = 2;
const learntFactor = 1.5;
const learntLimits = 4;
/** Of past pauses so many are not longer; a single outlier does not teach patience. */
const learntShare = 0.9;
/** Pauses that nobody announced must have been seen so often before they are taken for a habit. */
const habitPauses = 3;
/** A program that prints a step every hour is not hung after half an hour. */
const gapsAllowed = 4;

export interface Silence {
  readonly isInLoop: boolean;
  readonly silentMs: number;
  readonly allowedMs: number;
  /** What allowed it, for a person. */
  readonly because: string;
}

/** @returns undefined while the silence is within what is allowed. */
export function silenceOf(pulse: Pulse, limits: SilenceLimits, readTo: Instant): Silence | undefined {
  const silentMs = readTo - pulse.state.since;
  // Asked of thousands of attempts in each pass: what they have learnt only ever allows more than their authors did.
  if (silentMs <= Math.min(limits.pretrainingMs, limits.trainingLoopMs)) return undefined;
  const { allowedMs, because } = allowance(pulse, limits);
  if (silentMs <= allowedMs) return undefined;
  return { isInLoop: pulse.isInLoop, silentMs, allowedMs, because };
}

interface Allowance {
  readonly allowedMs: number;
  readonly because: string;
}

function allowance(pulse: Pulse, { pretrainingMs, trainingLoopMs }: SilenceLimits): Allowance {
  const { state } = pulse;
  if (!pulse.isInLoop) {
    // A first line, or the last one of a run, says that the loop is there; not that the program is in it now.
    const allowedMs = state.steps === 0 ? pretrainingMs : Math.max(pretrainingMs, trainingLoopMs);
    return { allowedMs, because: "the limit before the first step" };
  }
  const ownMs = state.isComplete ? Math.max(pretrainingMs, trainingLoopMs) : trainingLoopMs;
  const all: readonly Allowance[] = [
    { allowedMs: ownMs, because: "the limit in the training loop" },
    ...(state.announced === undefined
      ? []
      : [
          {
            allowedMs: announcedFactor * ownMs,
            because: `twice the limit, as ${words[state.announced]} was announced`,
          },
        ]),
    { allowedMs: learntMs(pulse, ownMs), because: "this job's own earlier pauses" },
    { allowedMs: gapsAllowed * (pulse.longGapMs ?? 0), because: "the usual time between its steps" },
  ];
  return all.reduce((longest, a) => (a.allowedMs > longest.allowedMs ? a : longest));
}

const words = { evaluation: "an evaluation", checkpoint: "a checkpoint", other: "a pause" } as const;

function learntMs({ state }: Pulse, ownMs: number): number {
  const announced = state.announced === undefined ? [] : state.pauses[state.announced];
  const habit = state.pauses.other.length >= habitPauses ? state.pauses.other : [];
  const longest = Math.max(quantile(announced, learntShare) ?? 0, quantile(habit, learntShare) ?? 0);
  return Math.min(learntFactor * longest, learntLimits * ownMs);
}
