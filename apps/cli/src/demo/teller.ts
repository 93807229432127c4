/**
 * teller: the demo's voice: one line a chapter, with the seconds since the job was submitted.
 *
 * Keeps   on a simulated Slurm every line begins with that word, whatever it tells.
 *         Each chapter is told once, when what it follows from has been told; what becomes known together is told in the order of
 *         its times. A line is cut at the width of the terminal, and at most 100 columns.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Terminal } from "@reprise/runtime/environment.ts";
import { createPaint, type Paint } from "../render/paint.ts";
import { cut, printable } from "../render/printable.ts";
import type { Scheduler } from "./cluster.ts";
import type { DemoResult } from "./result.ts";
import type { Chapter } from "./story.ts";

export interface Teller {
  /** What is being prepared. */
  note(text: string): void;
  /** What a person is to copy or must not miss: never cut. */
  whole(text: string): void;
  /** Tells each chapter once. `since`: when the job was submitted. */
  chapters(told: readonly Chapter[], since: Instant, now: Instant): void;
  result(result: DemoResult): void;
}

/** A line fits into this. The longest is a log line. */
const columnsMax = 100;
const columnsBeforeText = 19;

export function createTeller(write: (text: string) => void, terminal: Terminal, scheduler: Scheduler): Teller {
  const paint = createPaint(terminal.hasColour);
  const mark = scheduler === "simulated" ? "simulated " : "";
  const width = Math.min(columnsMax, terminal.isTty ? terminal.width : columnsMax) - mark.length;
  const print = (lines: string) => write(mark === "" ? lines : lines.replaceAll(/^(?=.)/gm, paint.faint(mark)));
  const seenAt = new Map<string, Instant>();
  const known = new Set<string>();
  const isReady = ({ key, after }: Chapter) => !known.has(key) && (after === undefined || known.has(after));
  const tell = (told: readonly Chapter[], since: Instant, now: Instant): void => {
    for (const { key, at } of told) if (!seenAt.has(key)) seenAt.set(key, Math.max(since, at ?? now));
    const timeOf = ({ key }: Chapter) => seenAt.get(key) ?? now;
    const sorted = told.filter(({ key }) => !known.has(key)).toSorted((a, b) => timeOf(a) - timeOf(b));
    // Each time the earliest of those that may be told: telling one may let an earlier one follow.
    for (let next = sorted.find(isReady); next !== undefined; next = sorted.find(isReady)) {
      known.add(next.key);
      const time = `${((timeOf(next) - since) / 1000).toFixed(1).padStart(6)} s`;
      const text = cut(printable(next.text), width - columnsBeforeText);
      print(`${paint.faint(time)}  ${voice(paint, next)}${text}\n`);
    }
  };
  return {
    note: (text) =>
      print(`${paint.faint(`${" ".repeat(columnsBeforeText)}${cut(text, width - columnsBeforeText)}`)}\n`),
    whole: (text) => print(`\n${paint.strong(text)}\n\n`),
    chapters: tell,
    result: (result) => print(`\n${closing(paint, result)}\n`),
  };
}

/** Nine columns: who, and how good or bad it is. */
function voice(paint: Paint, { who, key }: Chapter): string {
  const name = who.padEnd(9);
  if (key === "fault" || /ABANDONED|FAILED|CANCELLED|DELETED/.test(key)) return paint.bad(name);
  if (/^resumed|COMPLETED|CONVERGED/.test(key)) return paint.good(name);
  return who === "training" ? paint.faint(name) : paint.strong(name);
}

const secondNames = {
  detect: "seen",
  decide: "decided",
  act: "requeued",
  running: "running",
  resumed: "resumed",
  converged: "confirmed",
} as const;

function closing(paint: Paint, r: DemoResult): string {
  if (r.recovered && r.slowdown !== null) return paint.good(`Told, and left alone: job ${r.jobId}: ${r.slowdown}.`);
  if (!r.recovered) return paint.bad(`Not recovered: ${whyNot(r)}.`);
  const names = Object.keys(secondNames) as (keyof typeof secondNames)[];
  const row = (texts: readonly string[]) => `  ${texts.map((text) => text.padStart(9)).join("  ")}`;
  return [
    paint.good(
      `Recovered: job ${r.jobId} failed after step ${r.lastStepBeforeFault}, resumed from step ${r.resumedFromStep} and completed.`,
    ),
    "Seconds since the fault:",
    row(names.map((name) => secondNames[name])),
    row(names.map((name) => r.seconds[name]?.toFixed(1) ?? "?")),
  ].join("\n");
}

function whyNot(r: DemoResult): string {
  if (r.advice === null) return "no Advice was written";
  if (r.advice.disposition !== "CONVERGED") return `the Advice is ${r.advice.disposition} (${r.advice.reason})`;
  if (!r.completed) return "the training has not completed";
  if (r.resumedFromStep === null) return "nobody saw the training resume";
  return "not every stage was seen as it should be";
}
