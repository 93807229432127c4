/**
 * explain-evidence: what was seen in the logs: the root line in full with the lines around it, and below it what followed from it, folded.
 *
 * Pure
 */
import type { WireSignal, WireSignalGroup, WireStory } from "../wire.ts";
import { listed, sectionIn } from "./explain-decision.ts";
import { clockTime, instant } from "./time.ts";
import type { View } from "./view.ts";

/** More kinds of consequence than these are only counted. */
const kindsMax = 4;
/** Of the lines around the root; all of them are in the JSON, and on the page. */
const shownMax = { before: 2, after: 4 } as const;

export function timeOf(text: string | undefined, view: View): string {
  const at = instant(text);
  return at === undefined ? "--:--:--" : clockTime(at, view.timeZone);
}

export function evidenceLines({ signals = [], incident = {}, advice = [] }: WireStory, view: View): readonly string[] {
  const { root, consequences = [], survived = [], rootContext: { before = [], after = [] } = {} } = incident;
  const finished = signals.filter(({ kind }) => kind === "finished");
  const blamed = advice.at(-1)?.issues?.[0]?.evidence?.[0];
  const section = sectionIn(view);
  const slurms = root === undefined && blamed !== undefined;
  return [
    ...(root === undefined ? [] : inFull("root", root, view)),
    ...listed(section, "before it", before.slice(-shownMax.before)),
    ...listed(section, "after it", after.slice(0, shownMax.after)),
    ...(slurms ? section("root", `${timeOf(blamed.at, view)} ${blamed.source ?? ""}: ${blamed.line ?? ""}`) : []),
    ...listed(section, root === undefined && !slurms ? "seen" : "and with it", folded(consequences)),
    ...listed(section, "survived", folded(survived)),
    ...finished.flatMap((signal) => inFull("finished", signal, view)),
  ];
}

function inFull(label: string, signal: WireSignal, view: View): readonly string[] {
  const section = sectionIn(view);
  const { evidence, cause, causeClass = "", kind = "", rank } = signal;
  const words = [cause, causeClass === "" ? "" : `(${causeClass})`, onNodes(signal)];
  const spoken = rank === undefined ? "" : `, rank ${rank}`;
  const text = [timeOf(signal.at, view), kind, ...words].filter((word) => word !== undefined && word !== "").join(" ");
  return [...section(label, `${text}${spoken}`), ...section("", evidence?.line), ...section("", placeOf(evidence))];
}

/** @returns undefined for what has no place: a state of Slurm. */
function placeOf({ source, path, offset = "?" }: NonNullable<WireSignal["evidence"]> = {}): string | undefined {
  const of = source === "node-log" ? "the node's own log" : undefined;
  if (path === undefined) return of;
  return `${of === undefined ? "" : `${of}: `}${path}, byte ${offset}`;
}

const onNodes = ({ nodes = [] }: WireSignal) => (nodes.length === 0 ? "" : `on ${nodes.join(" ")}`);

/** One line for each cause: hundreds of ranks say the same. */
function folded(groups: readonly WireSignalGroup[]): readonly string[] {
  const lines = groups.map(({ kind = "", cause = "", count = 1, nodes = [], paths = [] }) => {
    const on = nodes.length === 0 ? "" : ` on ${nodes.length > 4 ? `${nodes.length} nodes` : nodes.join(" ")}`;
    const times = count === 1 ? "" : ` ×${count}`;
    const files = paths.length < 2 ? "" : ` in ${paths.length} files`;
    return `${kind} ${cause}`.trim() + times + on + files;
  });
  const rest = lines.length - kindsMax;
  return rest > 0 ? [...lines.slice(0, kindsMax), `and ${rest} more kinds`] : lines;
}
