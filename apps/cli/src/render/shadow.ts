/**
 * shadow: what would have been done, and what really happened; the wrong ones first; docs/figures.md says how it is counted.
 *
 * Takes   the server's `ShadowResponse`.
 * Pure
 */
import type { WireShadow, WireShadowStory } from "../wire-shadow.ts";
import { labelled } from "./jobs.ts";
import { type Column, renderTable } from "./table.ts";
import { ageOf, dateTimeOf } from "./time.ts";
import type { View } from "./view.ts";

const verdicts: Readonly<Record<string, string>> = {
  "would-have-recovered": "would have recovered",
  "would-have-been-wrong": "would have been wrong",
  "no-difference": "no difference",
  "not-known": "not known",
};
/** The same in a narrow column. */
const brief: Readonly<Record<string, string>> = {
  "would-have-recovered": "recovered",
  "would-have-been-wrong": "been wrong",
  "no-difference": "changed nothing",
};
const fates: Readonly<Record<string, string>> = {
  requeued: "requeued",
  resubmitted: "submitted anew",
  "stayed-failed": "stayed failed",
  "completed-by-itself": "completed",
  "went-on": "went on",
  "came-back": "came back",
  cancelled: "cancelled",
  "still-runs": "still runs",
  "ended-otherwise": "left",
};
const words = (table: Readonly<Record<string, string>>, name: string | undefined) => table[name ?? ""] ?? name ?? "?";

/** Wrong ones are what one looks for. */
const order = ["would-have-been-wrong", "would-have-recovered", "not-known", "no-difference"];

export function renderShadow({ counts = [], stories = [], leftOut = 0, ...answer }: WireShadow, view: View): string {
  const total = counts.reduce((sum, { count = 0 }) => sum + count, 0);
  const head = [
    ...labelled("window", `${dateTimeOf(answer.from, view, "?")} to ${dateTimeOf(answer.to, view, "?")}`, view.width),
    ...labelled("only observed", total === 0 ? "nothing" : `${total}${totalsText(counts)}`, view.width),
    ...(total === 0 ? [] : labelled("saved", savedText(answer), view.width)),
  ];
  const title = `${view.paint.strong("What would have been")}\n${head.join("\n")}\n`;
  if (total === 0) return title;
  const rows = stories.toSorted((a, b) => order.indexOf(a.verdict ?? "") - order.indexOf(b.verdict ?? ""));
  const more = leftOut === 0 ? "" : `\n${leftOut} more are counted and not shown: ask for a shorter time.\n`;
  return `${title}\n${renderTable(columns(view), rows, view.width)}${more}`;
}

function totalsText(counts: NonNullable<WireShadow["counts"]>): string {
  const told = order.flatMap((verdict) => {
    const count = counts.filter((row) => row.verdict === verdict).reduce((sum, row) => sum + (row.count ?? 0), 0);
    return count === 0 ? [] : [`${count} ${words(verdicts, verdict)}`];
  });
  return `: ${told.join(", ")}`;
}

function savedText({ saved = {}, ownRestartSeconds = 0 }: WireShadow): string {
  const { manualRestartMinutes = 0, recoveries = 0, hours = 0, nodeHours = 0 } = saved;
  return `${number(hours)} hours, ${number(nodeHours)} node hours over ${recoveries} of them, against what happened; where nobody brought a job back, if a person takes ${number(manualRestartMinutes)} min (assumed; --manual-minutes), and if our restart takes ${number(ownRestartSeconds)} s (assumed)`;
}

const columns = (view: View): readonly Column<WireShadowStory>[] => [
  { title: "JOB", cell: (row) => row.jobId ?? "" },
  { title: "TRY", cell: (row) => String(row.attemptIndex ?? 0) },
  { title: "WANTED", cell: (row) => row.desired ?? "" },
  { title: "AGE", cell: (row) => ageOf(row.decidedAt, view, "?") },
  { title: "BECAUSE", cell: (row) => row.because ?? "", canShrink: true },
  { title: "JOB THEN", cell: fateText, canShrink: true },
  { title: "WE WOULD HAVE", cell: (row) => words({ ...verdicts, ...brief }, row.verdict) },
  { title: "HOURS", cell: (row) => (row.savedHours === undefined ? "" : number(row.savedHours)) },
];

const fateText = ({ fate, resubmittedAs = "" }: WireShadowStory) =>
  `${words(fates, fate)}${resubmittedAs === "" ? "" : ` as ${resubmittedAs}`}`;
const number = (value: number) => String(Math.round(value * 10) / 10);
