/** trace.example: times at which a training prints, as lines that the detectors hear; for tests and for measuring false alarms. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Heard } from "./drafts.ts";
import type { Vital, Vitals, Watched } from "./vitals.ts";

export type Happened =
  | { readonly kind: "step"; readonly ms?: number; readonly rank?: number; readonly text?: string }
  | { readonly kind: "says" | "saved" | "saving" | "evaluating" | "evaluated" | "loaded"; readonly text?: string };

export interface Event {
  readonly at: Instant;
  readonly step: number;
  readonly what: Happened;
}

export const t0: Instant = 1_800_000_000_000;
export const limits = { pretrainingMs: 3_600_000, trainingLoopMs: 1_800_000 } as const;
export const lastsMs = 1_800_000;

export function watched(change: Partial<Watched> = {}): Watched {
  return { silence: limits, slowdownLastsMs: lastsMs, startedAt: t0, beginsAt: t0, positions: [], ...change };
}

function heardOf({ at, step, what }: Event): Heard {
  const text = what.text ?? `step ${step} ${what.kind}`;
  const bytes = new TextEncoder().encode(text);
  const line = { path: "/log", inode: "7", offset: step * 1000, bytes, from: 0, to: bytes.length, isReplay: false };
  return { line, text, speaker: {}, now: at };
}

/** @returns what was told, also of the silences between the events and after them up to `until`. */
export function hear(vitals: Vitals, events: readonly Event[], until?: Instant): readonly Vital[] {
  const told: (Vital | undefined)[] = [];
  let furthest = 0;
  for (const event of events) {
    told.push(vitals.judge(event.at - 1));
    const heard = heardOf(event);
    const { what, step } = event;
    if (what.kind === "step") {
      const printed = what.ms === undefined ? {} : { elapsedMs: String(what.ms) };
      vitals.steppedAt(what.rank, { step: String(step), ...printed });
      if (step > furthest) told.push(vitals.stepped(step, { step: String(step), ...printed }, heard));
      furthest = Math.max(furthest, step);
    } else if (what.kind === "says") vitals.said(heard.line, event.at);
    else if (what.kind === "saved") vitals.saved(heard);
    else if (what.kind === "evaluated") vitals.evaluated(heard);
    else if (what.kind === "loaded") vitals.loaded(heard);
    else vitals.announced(what.kind === "saving" ? "checkpoint" : "evaluation");
  }
  if (until !== undefined) told.push(vitals.judge(until));
  return told.filter((vital) => vital !== undefined);
}

/** A training that steps on: each number is the time of one step (ms). */
export function steps(times: readonly number[], { from = t0 + 600_000, first = 1, printed = true } = {}): Event[] {
  let at = from;
  return times.map((ms, index) => {
    at += ms;
    return { at, step: first + index, what: { kind: "step", ...(printed ? { ms } : {}) } };
  });
}

/** Events, and a pause of so long at so many steps: what stands before is moved nowhere, what stands after it later. */
export function withPauses(
  events: readonly Event[],
  { every, ms, begins, ends }: { every: number; ms: number; begins?: Happened; ends?: Happened },
): Event[] {
  const out: Event[] = [];
  let late = 0;
  for (const event of events) {
    out.push({ ...event, at: event.at + late });
    if (event.step % every !== 0) continue;
    if (begins !== undefined) out.push({ at: event.at + late + 1, step: event.step, what: begins });
    late += ms;
    if (ends !== undefined) out.push({ at: event.at + late, step: event.step, what: ends });
  }
  return out;
}
