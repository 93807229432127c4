/**
 * storable: what a report may bring that PostgreSQL cannot keep: the NUL character and halves of surrogate pairs. Log lines have both.
 *
 * Keeps   one broken line never stops the report that it came in.
 */
const replacement = "\uFFFD";

/**
 * The same value with every such character replaced. Applied where data enters the store, before it is compared. What needs no change
 * is not copied.
 */
export function storable<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return isClean(value) ? value : value.toWellFormed().replaceAll("\0", replacement);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? cleanItems(value) : cleanFields(value as Readonly<Record<string, unknown>>);
}

/** Nearly everything is as it should be: one walk, and a copy from the first part that is not. */
function cleanItems(items: readonly unknown[]): readonly unknown[] {
  for (let i = 0; i < items.length; i++) {
    const cleaned = clean(items[i]);
    if (cleaned !== items[i]) return [...items.slice(0, i), cleaned, ...items.slice(i + 1).map(clean)];
  }
  return items;
}

function cleanFields(fields: Readonly<Record<string, unknown>>): unknown {
  const keys = Object.keys(fields);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const part = fields[key];
    if (part === undefined || !isClean(key)) return copyFrom(fields, keys, i);
    const cleaned = clean(part);
    if (cleaned !== part) return copyFrom(fields, keys, i);
  }
  return fields;
}

/** @param from The parts before are clean. A part without a value is left out. */
function copyFrom(fields: Readonly<Record<string, unknown>>, keys: readonly string[], from: number): unknown {
  const cleaned: Record<string, unknown> = {};
  for (const [i, key] of keys.entries()) {
    const part = fields[key];
    if (i < from) set(cleaned, key, part);
    else if (part !== undefined) set(cleaned, isClean(key) ? key : (clean(key) as string), clean(part));
  }
  return cleaned;
}

const isClean = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** JSON may have a key `__proto__`, which an assignment would not take. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** For a jsonb column: the driver would write an array as an SQL array. */
export const json = (value: unknown): string => JSON.stringify(value);

type Present<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : null extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : null extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Leaves out what is null or undefined: in our nouns an absent field is absent. What has none of these is not copied. */
export function present<const T extends object>(fields: T): Present<T> {
  const given = fields as Record<string, unknown>;
  const keys = Object.keys(fields);
  if (keys.every((key) => given[key] !== null && given[key] !== undefined)) return fields;
  const present: Record<string, unknown> = {};
  for (const key of keys) if (given[key] !== null && given[key] !== undefined) present[key] = given[key];
  return present as Present<T>;
}
