/** order: what a person has just ordered, and what follows from it. Pure. */
import type { WireOrdered } from "../wire.ts";
import { labelled } from "./jobs.ts";
import type { View } from "./view.ts";

export function renderOrder(jobId: string, { override = {}, effect = "" }: WireOrdered, view: View): string {
  const { action = "", by = "", reason = "" } = override;
  const lines = [
    ...labelled("ordered", `${action} by ${by}: ${reason}`, view.width),
    ...labelled("follows", effect, view.width),
    ...labelled("see", `reprise explain ${jobId}`, view.width),
  ];
  return `${lines.join("\n")}\n`;
}
