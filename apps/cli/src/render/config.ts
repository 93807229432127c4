/** config: the settings in force, each with where it came from. Pure; secrets are masked. */
import { fileKey, type Origin, showValue } from "@reprise/runtime/config.ts";
import type { Setting } from "@reprise/runtime/setting.ts";
import { type ConfigKey, type ResolvedConfig, settings } from "../config-schema.ts";
import { type Column, renderTable } from "./table.ts";
import type { View } from "./view.ts";

interface Row {
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
  readonly doc: string;
}

function rowsOf({ values, origins }: ResolvedConfig): readonly Row[] {
  return (Object.keys(settings) as ConfigKey[]).map((key) => {
    const setting: Setting<unknown> = settings[key];
    const value: unknown = values[key];
    return { key: fileKey(key), value: showValue(value, setting), origin: origins[key], doc: setting.doc };
  });
}

export function renderConfig(resolved: ResolvedConfig, view: View): string {
  const columns: Column<Row>[] = [
    { title: "KEY", cell: ({ key }) => key },
    { title: "VALUE", cell: ({ value }) => value, canShrink: true },
    {
      title: "FROM",
      cell: ({ origin }) => shortOrigin(origin),
      canShrink: true,
      paint: (cell, { origin }) => (origin.kind === "default" ? view.paint.faint(cell) : cell),
    },
  ];
  return renderTable(columns, rowsOf(resolved), view.width);
}

function shortOrigin(origin: Origin): string {
  if (origin.kind === "default") return "default";
  return origin.kind === "file" ? `${origin.path}:${origin.line}` : origin.name;
}

export function renderConfigJson(resolved: ResolvedConfig): string {
  const entries = rowsOf(resolved).map(({ key, value, origin, doc }) => [key, { value, origin, doc }]);
  return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}
