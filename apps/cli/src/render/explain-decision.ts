/**
 * explain-decision: one decision in full: what it says, each rule's answer in order, each budget before and after, each node.
 *
 * Pure
 */
import type { WireBudget, WireDecision, WireNode } from "../wire.ts";
import { labelled } from "./jobs.ts";
import { dateTime, instant } from "./time.ts";
import type { View } from "./view.ts";

export type Section = (label: string, value: string | undefined) => readonly string[];

export const sectionIn =
  (view: View): Section =>
  (label, value) =>
    value === undefined || value === "" ? [] : labelled(label, value, view.width);

/** Several values under one label. */
export const listed = (section: Section, label: string, values: readonly string[]): readonly string[] =>
  values.flatMap((value, i) => section(i === 0 ? label : "", value));

/** @param rules `all`: the ones that said nothing, too. */
export function decisionLines(decision: WireDecision, rules: "all" | "answered", view: View): readonly string[] {
  const section = sectionIn(view);
  const told = (decision.rules ?? []).filter(({ answered }) => rules === "all" || answered === true);
  return [
    ...listed(
      section,
      "rules",
      told.map(({ rule = "", answered, why = "" }) => {
        const words = answered === true && why === decision.sentence ? "as said above" : why;
        return `${answered === true ? "→" : "·"} ${rule}: ${words}`;
      }),
    ),
    ...listed(section, "budgets", (decision.budgets ?? []).map(budgetText)),
    ...listed(section, "nodes", [
      ...(decision.nodes ?? []).map((node) => nodeText(node, view)),
      ...roomLines(decision),
    ]),
  ];
}

/** A server that does not tell them leaves both at 0. */
function budgetText({ bound = "", spent = 0, allowed = 0, before = 0, after = 0 }: WireBudget): string {
  const isTold = before !== 0 || after !== 0;
  const from = isTold ? `${number(before)} → ${number(after)}` : number(spent);
  return `${bound}: ${from} of ${number(allowed)}${(isTold ? after : spent) >= allowed ? ", used up" : ""}`;
}

const number = (value = 0) => String(Math.round(value * 100) / 100);

const roomLines = ({ room }: WireDecision): readonly string[] => (room?.words === undefined ? [] : [`· ${room.words}`]);

function nodeText({ node = "", excluded, why = "", confidence, expiresAt }: WireNode, view: View): string {
  if (excluded !== true) return `· ${node} stays allowed: ${why}`;
  const end = instant(expiresAt);
  const until = end === undefined ? "" : ` until ${dateTime(end, view.timeZone)}`;
  const sure = confidence === undefined ? "" : `, confidence ${number(confidence)}`;
  return `→ ${node} is excluded${until}: ${why}${sure}`;
}
