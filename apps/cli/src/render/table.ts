/**
 * table: rows in columns that fit the width.
 *
 * Takes   columns with their titles; cells are text of others and are made printable here.
 * Gives   lines without trailing spaces. Only columns that say `canShrink` lose characters, the widest first.
 * Pure    no colour of its own: a `paint` is applied after the widths are known.
 */
import { cut, printable } from "./printable.ts";

export interface Column<Row> {
  readonly title: string;
  cell(row: Row): string;
  /** May be cut to what is left of the width, at least `shrinkMin` characters. */
  readonly canShrink?: true;
  paint?(cell: string, row: Row): string;
}

const gap = "  ";
const shrinkMin = 6;

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((row) => lengthOf(row[i] ?? ""))),
  );
  shrink(columns, widths, width - gap.length * (columns.length - 1));
  const line = (texts: readonly string[], paint: (text: string, i: number) => string) =>
    texts
      .map((text, i) => {
        const shown = cut(text, widths[i] ?? 0);
        const padding = i === texts.length - 1 ? "" : " ".repeat(Math.max(0, (widths[i] ?? 0) - lengthOf(shown)));
        return paint(shown, i) + padding;
      })
      .join(gap)
      .trimEnd();
  const head = line(
    columns.map((column) => column.title),
    (text) => text,
  );
  const body = rows.map((row, r) => line(cells[r] ?? [], (text, i) => columns[i]?.paint?.(text, row) ?? text));
  return `${[head, ...body].join("\n")}\n`;
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], available: number): void {
  const total = () => widths.reduce((sum, w) => sum + w, 0);
  while (total() > available) {
    const widest = columns
      .map((column, i) => ({ i, width: column.canShrink === true ? (widths[i] ?? 0) : 0 }))
      .sort((a, b) => b.width - a.width)[0];
    if (widest === undefined || widest.width <= shrinkMin) return;
    widths[widest.i] = widest.width - 1;
  }
}

const lengthOf = (text: string): number => [...text].length;
