/**
 * policy: a checked policy for people: what would hold and who said so; or what is wrong, with a caret under the place.
 *
 * Pure    Text of others is made printable.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Checked, Place, PolicyCheck, PolicyRow } from "../policy/check-policy.ts";
import type { Need } from "../policy/needs.ts";
import { printable, wrap } from "./printable.ts";
import { type Column, renderTable } from "./table.ts";
import type { View } from "./view.ts";

export function renderPolicyCheck(check: PolicyCheck, { name }: Checked, view: View): string {
  const { paint } = view;
  const warnings = check.warnings.flatMap((warning) => paragraph(`${paint.busy("warning")}: `, 9, warning, view));
  if (check.kind === "not-covered") {
    const place = check.place === undefined ? [] : pointed(check.place, name, view);
    return lines([...paragraph(`${paint.bad("not covered")}: `, 13, check.because, view), ...place, ...warnings]);
  }
  const { bytes = 0, partition } = check;
  const where = partition === undefined ? "" : `, in partition ${printable(partition)}`;
  const head = `${paint.good("covered")}: ${bytes} of ${limits.commentBytesMax} bytes${where}`;
  const detectors = check.needs.flatMap((need) => detector(need, view));
  return `${lines([head, ...warnings, ""])}${table(check.policy, view)}${lines(["", "What the detectors need from the log:", ...detectors])}`;
}

/** One object; the same for a script and a comment. */
export function renderPolicyJson(check: PolicyCheck): string {
  const { kind, bytes, partition = null, warnings } = check;
  const common = {
    covered: kind === "covered",
    bytes: bytes ?? null,
    bytesMax: limits.commentBytesMax,
    partition,
    warnings,
  };
  if (check.kind === "covered") {
    const policy = Object.fromEntries(check.policy.map(({ key, value, origin }) => [key, { value, origin }]));
    return `${JSON.stringify({ ...common, policy, detectors: check.needs }, undefined, 2)}\n`;
  }
  const { because, position = null, place } = check;
  const at = place === undefined ? null : { line: place.line, column: place.column };
  return `${JSON.stringify({ ...common, because, position, at }, undefined, 2)}\n`;
}

function table(policy: readonly PolicyRow[], view: View): string {
  const columns: Column<PolicyRow>[] = [
    { title: "KEY", cell: ({ key }) => key },
    { title: "VALUE", cell: ({ value }) => shown(value), canShrink: true },
    {
      title: "FROM",
      cell: ({ origin }) => origin,
      paint: (cell, { origin }) => (origin === "default" ? view.paint.faint(cell) : cell),
    },
  ];
  return renderTable(columns, policy, view.width);
}

function shown(value: PolicyRow["value"]): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function detector({ key, isOn, needs }: Need, view: View): readonly string[] {
  if (!isOn) return [`  ${view.paint.faint(`${key}: off`)}`];
  return [`  ${key}`, ...wrap(needs, view.width - 4).map((line) => `    ${line}`)];
}

/** The line, or as much of it around the place as fits, with a caret below. */
function pointed({ line, column, text }: Place, name: string, view: View): readonly string[] {
  const room = Math.max(20, view.width - 4);
  const from = text.length <= room ? 0 : Math.max(0, Math.min(column - 1 - Math.floor(room / 2), text.length - room));
  const shownText = printable(text.slice(from, from + room));
  return [
    `  ${view.paint.faint(`${printable(name)}:${line}:${column}`)}`,
    `  ${shownText}`,
    `  ${" ".repeat(column - 1 - from)}${view.paint.bad("^")}`,
  ];
}

/** @param headLength of the head as it is seen, without its colours. */
function paragraph(head: string, headLength: number, text: string, view: View): readonly string[] {
  const [first = "", ...rest] = wrap(printable(text), Math.max(20, view.width - headLength));
  return [`${head}${first}`, ...rest.map((line) => `${" ".repeat(headLength)}${line}`)];
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
