/**
 * nodes: the nodes that are suspected, the one to drain first; one of them with everything that is said against it.
 *
 * Pure    Nothing is judged here: verdicts and chances are the server's.
 */
import type { WireClearance, WireCleared, WireExclusion, WireStanding, WireStatement } from "../wire-nodes.ts";
import { listed, sectionIn } from "./explain-decision.ts";
import { printable } from "./printable.ts";
import { type Column, renderTable } from "./table.ts";
import { ageOf, dateTimeOf } from "./time.ts";
import type { View } from "./view.ts";

export function renderNodes(nodes: readonly WireStanding[], leftOut: number, view: View): string {
  if (nodes.length === 0) return "No node is suspected, and no advice avoids one.\n";
  const columns: Column<WireStanding>[] = [
    { title: "NODE", cell: (n) => n.node ?? "" },
    { title: "DO", cell: (n) => wordOf(n), paint: (cell, n) => paintVerdict(view, cell, n) },
    { title: "STATE", cell: (n) => n.state ?? "" },
    { title: "SURE", cell: (n) => percent(n.confidence) },
    { title: "FAILED", cell: (n) => String(n.failures ?? 0) },
    { title: "LAST", cell: (n) => ageOf(n.evidence?.[0]?.at, view) },
    { title: "AVOIDED", cell: (n) => avoidedBy(n.excludedBy ?? []) },
    { title: "BECAUSE", cell: (n) => n.why ?? "", canShrink: true },
  ];
  const table = renderTable(columns, nodes, view.width);
  const more = leftOut === 0 ? "" : `${view.paint.faint(`${leftOut} more are not shown: --limit N shows more`)}\n`;
  return `${table}${more}${advise(nodes, view)}`;
}

/** Draining is a person's: recovery only keeps its own jobs away. */
function advise(nodes: readonly WireStanding[], view: View): string {
  const names = nodes.filter((n) => n.verdict === "drain").map((n) => printable(n.node ?? ""));
  const hint =
    names.length === 0 ? "" : `\nTo drain: scontrol update NodeName=${names.join(",")} State=DRAIN Reason=reprise\n`;
  return `${hint}${view.paint.faint("`reprise nodes NODE` shows the evidence.")}\n`;
}

/** Of a node that nobody is given now there is nothing to do. */
const wordOf = ({ verdict = "" }: WireStanding): string => (verdict === "out" ? "-" : verdict);

function paintVerdict({ paint }: View, text: string, { verdict }: WireStanding): string {
  if (verdict === "drain") return paint.bad(text);
  return verdict === "watch" ? paint.busy(text) : paint.faint(text);
}

/** How many jobs keep away from it. */
const avoidedBy = (exclusions: readonly WireExclusion[]): string =>
  String(new Set(exclusions.map((e) => e.jobId)).size);
const nameOf = ({ jobId = "?", attemptIndex = 0 }: WireExclusion | WireStatement): string => `${jobId}#${attemptIndex}`;

export function renderNode(node: WireStanding, view: View): string {
  const section = sectionIn(view);
  const { failures = 0, expected = 0, chance = 1, evidence = [], excludedBy = [] } = node;
  const state = node.state === undefined || node.state === "" ? "not in Slurm's table" : node.state;
  const head = `${view.paint.strong(`Node ${printable(node.node ?? "?")}`)} · ${printable(state)} · ${paintVerdict(view, node.verdict ?? "?", node)}`;
  const share = `${failures}, where an equal node's share is ${rounded(expected)}${chance < 1 ? `; by chance ${percent(chance)}` : ""}`;
  const lines = [
    ...section("because", node.why),
    ...section("partitions", (node.partitions ?? []).join(" ")),
    ...section("sure", evidence.length === 0 ? "" : percent(node.confidence)),
    ...section("failures", evidence.length === 0 ? "" : share),
    ...section("until", dateTimeOf(node.until, view)),
    ...section("repaired", clearanceLine(node.cleared, view)),
    ...listed(
      section,
      "evidence",
      evidence.flatMap((statement) => statementLines(statement, view)),
    ),
    ...listed(
      section,
      "avoided by",
      excludedBy.map((exclusion) => exclusionLine(exclusion, view)),
    ),
  ];
  return `${head}\n${lines.map((line) => `${line}\n`).join("")}`;
}

function clearanceLine(cleared: WireClearance | undefined, view: View): string | undefined {
  return (
    cleared &&
    `${dateTimeOf(cleared.at, view)}, says ${printable(cleared.by ?? "?")}: ${printable(cleared.reason ?? "")}`
  );
}

export function renderCleared({ standing = {}, ended = 0 }: WireCleared, view: View): string {
  const jobs = standing.excludedBy ?? [];
  const statements = ended === 1 ? "1 statement" : `${ended} statements`;
  const stays = jobs.length === 0 ? "" : " Advice that keeps away from it already stays so.";
  return `${printable(standing.node ?? "?")} is repaired: ${statements} against it count no more.${stays}\n${renderNode(standing, view)}`;
}

function statementLines(statement: WireStatement, view: View): readonly string[] {
  const { cause = "?", counts, evidence: { line = "", path, offset } = {} } = statement;
  const weight = counts === true ? "" : ", for its own job only";
  const left = `${percent(statement.confidence)} left until ${dateTimeOf(statement.expiresAt, view)}${weight}`;
  const where = path === undefined || path === "" ? "" : ` (${path}:${offset ?? 0})`;
  return [
    `${dateTimeOf(statement.at, view)} job ${nameOf(statement)}: ${cause}, ${statement.cleared === true ? "before the repair: it counts no more" : left}`,
    `  “${line}”${where}`,
  ];
}

function exclusionLine(exclusion: WireExclusion, view: View): string {
  const open = exclusion.active === true ? ", still to be carried out" : "";
  return `job ${nameOf(exclusion)} generation ${exclusion.generation ?? "?"} until ${dateTimeOf(exclusion.expiresAt, view)}: ${exclusion.reason ?? "?"}${open}`;
}

const rounded = (value: number) => String(Math.round(value * 100) / 100);

/** `93 %`, `0.4 %`, `<0.01 %`. */
function percent(share = 0): string {
  const value = share * 100;
  if (value > 0 && value < 0.01) return "<0.01 %";
  return `${value < 1 ? rounded(value) : Math.round(value)} %`;
}
