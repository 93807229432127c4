/** mode: what may be done on a cluster, what was ordered, and what holds it back. Pure. */
import { isLost, isTaken, type WireClusterMode, type WireModeAnswer, type WireNote } from "../wire-mode.ts";
import { labelled } from "./jobs.ts";
import { ageOf, dateTimeOf } from "./time.ts";
import type { View } from "./view.ts";

const listOf = (names: readonly string[] | undefined) =>
  names === undefined || names.length === 0 ? "no partition" : names.join(", ");
const inWords = (mode: string | undefined, partitions: readonly string[] | undefined) =>
  mode === "act" ? `act in ${listOf(partitions)}` : (mode ?? "observe");

export function renderMode(mode: WireClusterMode, view: View): string {
  const { orders = {}, sac, lease } = mode;
  const rows: (readonly [label: string, text: string])[] = [
    ["mode", modeOf(mode)],
    [
      "allowed",
      sac === undefined ? "not known" : `${inWords(sac.allowedMode, sac.allowedPartitions)}, by SAC's configuration`,
    ],
    ["ordered", orderedOf(mode, view)],
    ...(orders.stop === undefined ? [] : [["stopped", saidOf(orders.stop, view)] as const]),
    ...(sac?.openHolds
      ? [["held", `${jobs(sac.openHolds)} by recovery${mode.mode === "observe" ? "; on the way out" : ""}`] as const]
      : []),
    ...alarmsOf(mode, view).map((text) => ["ALARM", text] as const),
    ["lease", lease === undefined ? "nobody has it" : `${lease.holder ?? ""}, term ${lease.term ?? ""}`],
    ["SAC", sacOf(mode, view)],
  ];
  return `${rows.flatMap(([label, text]) => labelled(label, text, view.width)).join("\n")}\n`;
}

export function renderClusterOrder({ mode = {}, effect = "" }: WireModeAnswer, view: View): string {
  return `${labelled("follows", effect, view.width).join("\n")}\n${renderMode(mode, view)}`;
}

/** Each brake that is on, or holds something back: a sentence. */
export function alarmsOf({ sac, orders }: WireClusterMode, view: View): readonly string[] {
  return (sac?.brakes ?? []).map(({ kind = "", since, heldBack = 0 }) => {
    const name =
      kind === "stop-order" && orders?.stop !== undefined
        ? `stopped by ${orders.stop.by ?? ""}: ${orders.stop.reason ?? ""}`
        : (brakes[kind] ?? kind);
    const waits =
      heldBack === 0 ? "nothing waits for it" : `${heldBack} advice wait${heldBack === 1 ? "s" : ""} for it`;
    return `${name}, for ${ageOf(since, view)}; ${waits}`;
  });
}

const brakes: Readonly<Record<string, string>> = {
  "kill-switch": "the kill switch is on (a file on SAC's host)",
  "stop-order": "stopped by order",
  "restarts-per-minute": "the cap on restarts a minute (restarts_per_minute_max) is reached",
};

const modeOf = ({ mode, partitions }: WireClusterMode) =>
  mode === undefined || mode === "" ? "not known: no SAC has reported yet" : inWords(mode, partitions);

function orderedOf({ orders = {} }: WireClusterMode, view: View): string {
  if (orders.mode === undefined) return "nothing: SAC's configuration holds";
  return `${inWords(orders.mode.mode, orders.mode.partitions)}, ${saidOf(orders.mode.note ?? {}, view)}`;
}

const saidOf = ({ by = "", reason = "", at }: WireNote, view: View) => `by ${by} at ${dateTimeOf(at, view)}: ${reason}`;

function sacOf(mode: WireClusterMode, view: View): string {
  if (mode.sac === undefined) return "has not reported";
  const seen = `last looked ${ageOf(mode.reportedAt, view)} ago`;
  if (isLost(mode))
    return `${seen}; it has taken an order that this server does not know, and only observes: order the mode again`;
  return isTaken(mode) ? seen : `${seen}; it has NOT taken the newest order yet`;
}

const jobs = (count: number) => (count === 1 ? "1 job" : `${count} jobs`);
