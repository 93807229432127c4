/**
 * diagnose: a judgement for people: what was recognised, where, and what would follow.
 *
 * Pure    Lines of others are made printable.
 */
import type { Judged } from "../diagnose/judge.ts";
import type { Judgement } from "../diagnose/judgement.ts";
import { labelled } from "./jobs.ts";
import { cut, printable } from "./printable.ts";
import type { View } from "./view.ts";

const followsMax = 8;

/** @param wrong What is not as expected; undefined where nothing was expected. */
export function renderJudgement(is: Judgement, wrong: readonly string[] | undefined, view: View): string {
  const { paint } = view;
  const verdict = wrong === undefined ? "" : wrong.length === 0 ? ` ${paint.good("ok")}` : ` ${paint.bad("fail")}`;
  const excluded = is.exclude.length === 0 ? "" : ` without ${is.exclude.join(", ")}`;
  const head = `${paint.strong(printable(is.id))}${verdict}  ${is.kind}, ${is.domain}: ${is.next}${excluded}\n`;
  const root = is.evidence === null ? [] : labelled("root", is.evidence, view.width);
  const lines = [...root, ...(wrong ?? []).flatMap((why) => labelled("wrong", why, view.width))];
  return head + lines.map((line) => `${line}\n`).join("");
}

/** @param judgesSilence The lines showed their times. */
export function renderDiagnosis(
  is: Judgement,
  { signals, progress }: Judged,
  judgesSilence: boolean,
  view: View,
): string {
  const found = signals.filter((s) => s.cause !== undefined);
  const root = found.find((s) => s.root && s.evidence.line.startsWith((is.evidence ?? "\u0000").slice(0, 200)));
  const place = root?.evidence.path === undefined ? "" : ` (${root.evidence.path}, byte ${root.evidence.offset})`;
  const rest = found.filter((s) => s !== root);
  const follows = rest
    .slice(0, followsMax)
    .map((s) => cut(`${s.cause}: ${printable(s.evidence.line)}`, view.width - 18));
  const more = rest.length > followsMax ? [`and ${rest.length - followsMax} more`] : [];
  // Slurm's words stand for a root that no line gives; here they are only what was assumed.
  const isAssumed = root === undefined && is.evidence !== null && !found.some((s) => s.evidence.line === is.evidence);
  const rows: readonly (readonly [string, string])[] = [
    ["recognised", is.kind === "none" || isAssumed ? nothing : `${is.kind}, ${is.domain}${nodesOf(is)}`],
    ["training", trainingOf(progress)],
    ["silence", judgesSilence ? judgedBetween : notJudged],
    ...(is.evidence === null || isAssumed ? [] : [["root", `${is.evidence}${place}`] as const]),
    ...(isAssumed ? [["assumed", `it ended as ${is.evidence?.split(" ")[0]} (--state)`] as const] : []),
    ...(root?.cause === undefined ? [] : [["signature", root.cause] as const]),
    ...[...follows, ...more].map((text, index) => [index === 0 ? "also" : "", text] as const),
    ["would follow", is.because],
  ];
  return `${rows.flatMap(([label, text]) => labelled(label, text, view.width)).join("\n")}\n`;
}

const judgedBetween = "judged between the times that the lines show; what came after the last one is not known";
const notJudged = "not judged: too few lines show their time. A watcher, who reads along, judges it";
const nothing = "nothing that explains an end";

const nodesOf = ({ exclude }: Judgement) => (exclude.length === 0 ? "" : ` on ${exclude.join(", ")}`);

function trainingOf({ firstStep, lastStep, checkpointStep, resumedFromStep }: Judged["progress"]): string {
  if (lastStep === undefined) return "no step line was recognised";
  const resumed = resumedFromStep === undefined ? "" : `resumed from step ${resumedFromStep}; `;
  const saved = checkpointStep === undefined ? "" : `; newest checkpoint ${checkpointStep}`;
  return `${resumed}steps ${firstStep ?? "?"} to ${lastStep}${saved}`;
}
