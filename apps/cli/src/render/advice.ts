/** advice: the list of what recovery wants to happen. Pure. */
import { desiredOf, dispositionOf, reasonOf, type WireAdvice } from "../wire.ts";
import { labelled } from "./jobs.ts";
import { paintState } from "./paint.ts";
import { type Column, renderTable } from "./table.ts";
import { ageOf } from "./time.ts";
import type { View } from "./view.ts";

/** @param alarms What holds it back, each a sentence. */
export function renderAdvice(
  advice: readonly WireAdvice[],
  leftOut: number,
  view: View,
  alarms: readonly string[] = [],
): string {
  const alarmed = alarms.flatMap((text) => labelled("ALARM", text, view.width)).map((line) => `${line}\n`);
  return `${alarmed.join("")}${tableOf(advice, leftOut, view)}`;
}

function tableOf(advice: readonly WireAdvice[], leftOut: number, view: View): string {
  if (advice.length === 0) return "No advice: nothing has needed recovery.\n";
  const columns: Column<WireAdvice>[] = [
    { title: "JOB", cell: (a) => a.jobId ?? "" },
    { title: "TRY", cell: (a) => String(a.attemptIndex ?? 0) },
    { title: "WANTED", cell: desiredOf },
    { title: "STATUS", cell: dispositionOf, paint: (cell) => paintState(view.paint, cell) },
    { title: "REASON", cell: reasonText, canShrink: true },
    { title: "WITHOUT", cell: (a) => (a.nodeConstraints?.exclusions ?? []).join(","), canShrink: true },
    { title: "BECAUSE", cell: (a) => a.because ?? "", canShrink: true },
    { title: "AGE", cell: (a) => ageOf(a.createdAt, view) },
  ];
  const table = renderTable(columns, advice, view.width);
  return leftOut === 0
    ? table
    : `${table}${view.paint.faint(`${leftOut} earlier ones are not shown: --limit N shows more`)}\n`;
}

export function reasonText(advice: WireAdvice): string {
  const reason = reasonOf(advice);
  return reason === "UNSPECIFIED" ? "" : reason;
}
