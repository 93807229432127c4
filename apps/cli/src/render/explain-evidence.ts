/**
 * explain-evidence: what was seen in the logs: the root line in full, and below it what followed from it, folded.
 *
 * Pure
 */
import type { WireEvidence, WireSignal, WireStory } from "../wire.ts";
import { listed, sectionIn } from "./explain-decision.ts";
import { clockTime, instant } from "./time.ts";
import type { View } from "./view.ts";

/** More kinds of consequence than these are only counted. */
const kindsMax = 4;

export function timeOf(text: string | undefined, view: View): string {
  const at = instant(text);
  return at === undefined ? "--:--:--" : clockTime(at, view.timeZone);
}

export function evidenceLines({ signals = [], advice = [] }: WireStory, view: View): readonly string[] {
  // Progress is told as a whole elsewhere; each step of it would bury the rest.
  const told = signals.filter(({ kind }) => kind !== "progress" && kind !== "checkpoint-saved" && kind !== "resumed");
  const finished = told.filter(({ kind }) => kind === "finished");
  const faults = told.filter(({ kind }) => kind !== "finished");
  const blamed = advice.at(-1)?.issues?.[0]?.evidence?.[0];
  const root = faults.find(({ evidence }) => isSame(evidence, blamed)) ?? faults.find((signal) => signal.root === true);
  const others = faults.filter((signal) => signal !== root);
  const section = sectionIn(view);
  return [
    ...(root === undefined ? [] : inFull("root", root, view)),
    ...(root === undefined && blamed !== undefined
      ? section("root", `${timeOf(blamed.at, view)} ${blamed.source ?? ""}: ${blamed.line ?? ""}`)
      : []),
    ...listed(section, root === undefined ? "seen" : "and with it", folded(others)),
    ...finished.flatMap((signal) => inFull("finished", signal, view)),
  ];
}

function isSame(a: WireEvidence | undefined, b: WireEvidence | undefined): boolean {
  return b !== undefined && a?.line === b.line && a?.path === b.path && a?.offset === b.offset;
}

function inFull(label: string, signal: WireSignal, view: View): readonly string[] {
  const section = sectionIn(view);
  const { evidence, cause, causeClass = "", kind = "", rank } = signal;
  const words = [cause, causeClass === "" ? "" : `(${causeClass})`, onNodes(signal)];
  const spoken = rank === undefined ? "" : `, rank ${rank}`;
  const text = [timeOf(signal.at, view), kind, ...words].filter((word) => word !== undefined && word !== "").join(" ");
  return [
    ...section(label, `${text}${spoken}`),
    ...section("", evidence?.line),
    ...section("", evidence?.path === undefined ? undefined : `${evidence.path}, byte ${evidence.offset ?? "?"}`),
  ];
}

const onNodes = ({ nodes = [] }: WireSignal) => (nodes.length === 0 ? "" : `on ${nodes.join(" ")}`);

/** One line for each cause: hundreds of ranks say the same. */
function folded(signals: readonly WireSignal[]): readonly string[] {
  const groups = new Map<string, WireSignal[]>();
  for (const signal of signals) {
    const key = `${signal.kind ?? ""} ${signal.cause ?? ""}`.trim();
    groups.set(key, [...(groups.get(key) ?? []), signal]);
  }
  const lines = [...groups].map(([key, group]) => {
    const nodes = [...new Set(group.flatMap((signal) => signal.nodes ?? []))];
    const on = nodes.length === 0 ? "" : ` on ${nodes.length > 4 ? `${nodes.length} nodes` : nodes.join(" ")}`;
    const times = group.length === 1 ? "" : ` ×${group.length}`;
    return `${key}${times}${on}`;
  });
  const rest = lines.length - kindsMax;
  return rest > 0 ? [...lines.slice(0, kindsMax), `and ${rest} more kinds`] : lines;
}
