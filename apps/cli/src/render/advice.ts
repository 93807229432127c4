/** advice: the list of what recovery wants to happen. Pure. */
import { shortName, type WireAdvice } from "../wire.ts";
import { paintState } from "./paint.ts";
import { type Column, renderTable } from "./table.ts";
import { age, instant } from "./time.ts";
import type { View } from "./view.ts";

export function renderAdvice(advice: readonly WireAdvice[], leftOut: number, view: View): string {
  if (advice.length === 0) return "No advice: nothing has needed recovery.\n";
  const columns: Column<WireAdvice>[] = [
    { title: "JOB", cell: (a) => a.jobId ?? "" },
    { title: "TRY", cell: (a) => String(a.attemptIndex ?? 0) },
    { title: "WANTED", cell: wantedOf },
    { title: "STATUS", cell: statusOf, paint: (cell) => paintState(view.paint, cell) },
    { title: "REASON", cell: reasonOf, canShrink: true },
    { title: "WITHOUT", cell: (a) => (a.nodeConstraints?.exclusions ?? []).join(","), canShrink: true },
    { title: "BECAUSE", cell: (a) => a.because ?? "", canShrink: true },
    { title: "AGE", cell: (a) => ageOf(a.createdAt, view) },
  ];
  const table = renderTable(columns, advice, view.width);
  return leftOut === 0
    ? table
    : `${table}${view.paint.faint(`${leftOut} earlier ones are not shown: --limit N shows more`)}\n`;
}

export const wantedOf = (a: WireAdvice): string => shortName(a.desiredState, "ADVICE_DESIRED_STATE_");
export const statusOf = (a: WireAdvice): string =>
  shortName(a.reconciliationStatus?.disposition, "ADVICE_RECONCILIATION_DISPOSITION_");
export function reasonOf(a: WireAdvice): string {
  const reason = shortName(a.reconciliationStatus?.reason, "ADVICE_RECONCILIATION_REASON_");
  return reason === "UNSPECIFIED" ? "" : reason;
}

function ageOf(text: string | undefined, view: View): string {
  const at = instant(text);
  return at === undefined ? "" : age(view.now - at);
}
