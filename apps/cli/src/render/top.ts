/**
 * top: what needs eyes now, as one picture: what cannot be seen, how many jobs stand how, and a row a job that is being brought back,
 * decided about, or stopped. Pure.
 *
 * Keeps   blindness stands above everything; an old picture says that it is old. Rows that do not fit are counted.
 */
import { desiredOf, dispositionOf } from "../wire.ts";
import type { WireJobRow, WireNow } from "../wire-now.ts";
import { reasonText } from "./advice.ts";
import { labelled } from "./jobs.ts";
import type { Paint } from "./paint.ts";
import { cut, printable } from "./printable.ts";
import { type Column, renderTable } from "./table.ts";
import { age, ageOf, clockTime, instant } from "./time.ts";
import type { View } from "./view.ts";

export interface Top {
  readonly now: WireNow;
  /** The most urgent first. */
  readonly rows: readonly WireJobRow[];
  /** Why the last look failed. Absent: what is shown is what is. */
  readonly failed?: string;
}

/** @param height Lines there are; absent: as many as are needed. */
export function renderTop({ now, rows, failed }: Top, view: View, height = Infinity): readonly string[] {
  const { paint, width } = view;
  const at = instant(now.at);
  const seen = at === undefined ? "" : ` · ${clockTime(at, view.timeZone)}`;
  const head = paint.strong(cut(printable(`${now.cluster ?? ""} · ${modeOf(now)}${seen}`), width));
  const alarms = [
    ...(failed === undefined
      ? []
      : [`What is shown is old${at === undefined ? "" : `, by ${age(view.now - at)}`}: ${failed}`]),
    ...(now.blind ?? []).map(({ says = "", whatToDo = "" }) => `${says} ${whatToDo}`),
  ].flatMap((text) => labelled("BLIND", text, width).map(paint.bad));
  const { running = 0, waiting = 0, recovering = 0, deciding = 0, stopped = 0 } = now.jobs ?? {};
  const counts = cut(
    `${running} running · ${waiting} waiting · ${recovering} recovering · ${deciding} deciding · ${stopped} stopped (7 days)`,
    width,
  );
  const above = [head, ...alarms, counts, ""];
  if (rows.length === 0) {
    const isBlind = alarms.length > 0;
    return [
      ...above,
      isBlind ? "Nothing that is seen needs recovery; not everything is seen." : "Nothing needs recovery.",
    ];
  }
  const [titles = "", ...lines] = renderTable(columnsOf(paint, view), rows, width).trimEnd().split("\n");
  const room = height - above.length - 1;
  const body = lines.length <= room ? lines : lines.slice(0, Math.max(0, room - 1));
  const left = lines.length - body.length;
  return [...above, titles, ...body, ...(left === 0 ? [] : [paint.faint(`… and ${left} more`)])];
}

function modeOf({ scheduler }: WireNow): string {
  if (scheduler === undefined) return "no SAC has ever reported";
  const { mode = "?", partitions = [] } = scheduler;
  return mode === "act" ? `act in ${partitions.join(",")}` : mode;
}

function columnsOf(paint: Paint, view: View): readonly Column<WireJobRow>[] {
  return [
    { title: "JOB", cell: (row) => row.jobId ?? "" },
    { title: "TRY", cell: (row) => String(row.attemptIndex ?? 0) },
    { title: "NAME", cell: (row) => row.jobName ?? "", canShrink: true },
    { title: "STANDS", cell: (row) => row.standing ?? "", paint: (cell) => paintStanding(paint, cell) },
    { title: "ADVICE", cell: ({ advice }) => (advice === undefined ? "" : statusText(advice)), canShrink: true },
    { title: "BECAUSE", cell: (row) => row.stoppedBy || row.advice?.because || "", canShrink: true },
    { title: "STEP", cell: (row) => row.lastStep ?? "" },
    { title: "SINCE", cell: (row) => ageOf(sinceOf(row), view) },
  ];
}

const statusText = (advice: NonNullable<WireJobRow["advice"]>) =>
  `${desiredOf(advice)} ${dispositionOf(advice)} ${reasonText(advice)}`.trim();

const sinceOf = ({ standing, advice, endedAt, startedAt, createdAt }: WireJobRow) =>
  (standing === "recovering" ? advice?.createdAt : endedAt) ?? startedAt ?? createdAt;

function paintStanding(paint: Paint, standing: string): string {
  if (standing === "stopped") return paint.bad(standing);
  return standing === "recovering" || standing === "deciding" ? paint.busy(standing) : standing;
}
