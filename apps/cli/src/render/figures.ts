/**
 * figures: what recovery has achieved, on one screen; docs/figures.md says what each figure is.
 *
 * Takes   the server's `FiguresResponse`; nothing is computed here but sums of what is shown.
 * Pure
 */
import type { WireFigures, WireMoment, WireRecoveryCount, WireSpread, WireStopCount } from "../wire-figures.ts";
import { labelled } from "./jobs.ts";
import { type Column, renderTable } from "./table.ts";
import { dateTimeOf, duration } from "./time.ts";
import type { View } from "./view.ts";

/** @param about What the figures are of, e.g. `partition gpu`. Empty: of everything. */
export function renderFigures(figures: WireFigures, about: readonly string[], view: View): string {
  const { recoveries = 0, withoutDetails = 0 } = figures;
  const of = about.length === 0 ? "" : ` · ${about.join(", ")}`;
  const faded = withoutDetails === 0 ? "" : `; of ${withoutDetails} the times have expired`;
  const lines = [
    ...labelled("window", `${dateTimeOf(figures.from, view, "?")} to ${dateTimeOf(figures.to, view, "?")}`, view.width),
    ...labelled("recoveries", `${recoveries}${outcomesText(figures.byCause ?? [])}${faded}`, view.width),
    ...(recoveries === 0 ? [] : labelled("of the restarts", stagesText(figures), view.width)),
    ...labelled("ETTR", effectiveText(figures), view.width),
    ...(recoveries === 0 ? [] : labelled("saved", savedText(figures), view.width)),
  ];
  const tables = recoveries === 0 ? [] : tablesOf(figures, view);
  return [`${view.paint.strong("Recovery")}${of}\n${lines.join("\n")}\n`, ...tables].join("\n");
}

function tablesOf({ times = {}, byCause = [], stoppedBy = [] }: WireFigures, view: View): readonly string[] {
  const rows = moments.filter(([moment]) => (times[moment]?.count ?? 0) > 0);
  const spread = (title: string, of: (s: WireSpread) => number | undefined): Column<Row> => ({
    title,
    cell: ([moment]) => {
      const value = of(times[moment] ?? {});
      return value === undefined ? "" : duration(value);
    },
  });
  const timeColumns: Column<Row>[] = [
    { title: "SINCE THE ROOT LINE", cell: ([, words]) => words },
    { title: "OF", cell: ([moment]) => String(times[moment]?.count ?? 0) },
    spread("MEAN", (s) => s.mean),
    spread("MEDIAN", (s) => s.median),
    spread("95 %", (s) => s.p95),
  ];
  return [
    ...(rows.length === 0 ? [] : [renderTable(timeColumns, rows, view.width)]),
    renderTable(causeColumns, byCause, view.width),
    ...(stoppedBy.length === 0 ? [] : [renderTable(stopColumns, stoppedBy, view.width)]),
  ];
}

type Row = (typeof moments)[number];
const moments: readonly (readonly [WireMoment, string])[] = [
  ["detect", "detected"],
  ["decide", "decided"],
  ["act", "requeued or ended"],
  ["running", "running again"],
  ["converged", "confirmed"],
  ["resumed", "training again (MTTR)"],
];

const causeColumns: readonly Column<WireRecoveryCount>[] = [
  { title: "CAUSE", cell: (row) => row.causeClass ?? "", canShrink: true },
  { title: "DOMAIN", cell: (row) => row.domain ?? "" },
  { title: "OUTCOME", cell: (row) => row.outcome ?? "" },
  { title: "COUNT", cell: (row) => String(row.count ?? 0) },
];
const stopColumns: readonly Column<WireStopCount>[] = [
  { title: "STOPPED BY", cell: (row) => row.bound ?? "", canShrink: true },
  { title: "COUNT", cell: (row) => String(row.count ?? 0) },
];

function outcomesText(byCause: readonly WireRecoveryCount[]): string {
  const sums = new Map<string, number>();
  for (const { outcome = "", count = 0 } of byCause) sums.set(outcome, (sums.get(outcome) ?? 0) + count);
  const told = [...sums].toSorted(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`);
  return told.length === 0 ? "" : `: ${told.join(", ")}`;
}

function stagesText({ stages = {} }: WireFigures): string {
  const { schedulerRecovered = 0, trainingResumed = 0, trainingCompleted = 0 } = stages;
  return `scheduler recovered ${schedulerRecovered}, training resumed ${trainingResumed}, training completed ${trainingCompleted}`;
}

function effectiveText({ effective = {} }: WireFigures): string {
  const { ratio, elapsedNodeHours = 0, jobs = 0, jobsWithoutSteps = 0 } = effective;
  const others = jobsWithoutSteps === 0 ? "" : `; ${countOf(jobsWithoutSteps, "job")} printed no step`;
  if (ratio === undefined) return `not known: no job printed a step${others.replace(/^; .*/, "")}`;
  return `${number(ratio * 100)} % of ${number(elapsedNodeHours)} node hours of ${countOf(jobs, "job")}${others}`;
}

function savedText({ saved = {} }: WireFigures): string {
  const { manualRestartMinutes = 0, recoveries = 0, hours = 0, nodeHours = 0 } = saved;
  const assumed = `if a person takes ${number(manualRestartMinutes)} min (assumed; --manual-minutes)`;
  return `${number(hours)} hours, ${number(nodeHours)} node hours over ${countOf(recoveries, "restart")} that resumed, ${assumed}`;
}

const countOf = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const number = (value: number) => String(Math.round(value * 10) / 10);
