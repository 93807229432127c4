/**
 * expected: does an answer fit what an exchange says of it?
 *
 * Takes   a JSON pattern. A text `{{uuid}}`, `{{time}}` (RFC 3339 with milliseconds), `{{int64}}`, `{{text}}`, `{{number}}` or
 *         `{{any}}` stands for such a value, `{{~ words}}` for a text with these words in it; `{{id = uuid}}` keeps it as `id`.
 *         An object has exactly the given members, but may have more where it has a member `"..."`; an array is exactly
 *         the given one, but where it holds `"..."` the others may stand anywhere in it.
 * Gives   what does not fit, each with its path; none: it fits, and the captured values are in `captured`.
 * Pure
 */
const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: (value) => value !== undefined,
  text: (value) => typeof value === "string" && value !== "",
  number: (value) => typeof value === "number",
  uuid: (value) => typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value),
  int64: (value) => typeof value === "string" && /^-?\d+$/.test(value),
};

export interface Fit {
  readonly misfits: readonly string[];
  readonly captured: ReadonlyMap<string, string>;
}

export function fit(pattern: unknown, value: unknown): Fit {
  const captured = new Map<string, string>();
  return { misfits: misfitsOf(pattern, value, "$", captured), captured };
}

type Captured = Map<string, string>;

function misfitsOf(pattern: unknown, value: unknown, path: string, captured: Captured): string[] {
  if (typeof pattern === "string") return textMisfits(pattern, value, path, captured);
  if (Array.isArray(pattern)) return arrayMisfits(pattern as unknown[], value, path, captured);
  if (typeof pattern === "object" && pattern !== null) return objectMisfits(pattern, value, path, captured);
  return pattern === value ? [] : [no(path, pattern, value)];
}

function textMisfits(pattern: string, value: unknown, path: string, captured: Captured): string[] {
  const [, inside] = /^\{\{(.*)\}\}$/s.exec(pattern) ?? [];
  if (inside === undefined) return pattern === value ? [] : [no(path, pattern, value)];
  if (inside.startsWith("~ "))
    return typeof value === "string" && value.includes(inside.slice(2)) ? [] : [no(path, pattern, value)];
  const [, name, kind = ""] = /^(?:(\w+) = )?(\w+)$/.exec(inside) ?? [];
  const is = kinds[kind];
  if (is === undefined)
    throw new Error(`${path}: ${pattern} is no pattern; expected one of ${Object.keys(kinds).join(" ")}`);
  if (!is(value)) return [no(path, pattern, value)];
  if (name !== undefined) captured.set(name, String(value));
  return [];
}

function arrayMisfits(pattern: readonly unknown[], value: unknown, path: string, captured: Captured): string[] {
  if (!Array.isArray(value)) return [no(path, pattern, value)];
  const items = value as unknown[];
  if (pattern.includes("..."))
    return pattern.filter((part) => part !== "...").flatMap((part) => anywhere(part, items, path, captured));
  if (items.length !== pattern.length)
    return [`${path}: expected ${pattern.length} items, got ${items.length}: ${shown(value)}`];
  return pattern.flatMap((part, i) => misfitsOf(part, items[i], `${path}[${i}]`, captured));
}

function anywhere(part: unknown, items: readonly unknown[], path: string, captured: Captured): string[] {
  for (const item of items) {
    const trial = new Map(captured);
    if (misfitsOf(part, item, path, trial).length > 0) continue;
    for (const [name, value] of trial) captured.set(name, value);
    return [];
  }
  return [`${path}: expected an item ${shown(part)}, got ${shown(items)}`];
}

function objectMisfits(pattern: object, value: unknown, path: string, captured: Captured): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [no(path, pattern, value)];
  const members = new Map(Object.entries(value as Record<string, unknown>));
  const { "...": more, ...wanted } = pattern as Record<string, unknown>;
  const extra = more === undefined ? [...members.keys()].filter((key) => !Object.hasOwn(wanted, key)) : [];
  return [
    ...Object.entries(wanted).flatMap(([key, part]) => misfitsOf(part, members.get(key), `${path}.${key}`, captured)),
    ...extra.map((key) => `${path}.${key}: expected no such member, got ${shown(members.get(key))}`),
  ];
}

const no = (path: string, pattern: unknown, value: unknown) =>
  `${path}: expected ${shown(pattern)}, got ${shown(value)}`;
const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 400);
