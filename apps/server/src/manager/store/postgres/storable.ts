/**
 * storable: what a report may bring that PostgreSQL cannot keep: the NUL character and halves of surrogate pairs. Log lines have both.
 *
 * Keeps   one broken line never stops the report that it came in.
 */
const replacement = "\uFFFD";

/** The same value with every such character replaced. Applied where data enters the store, before it is compared. */
export function storable<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", replacement);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [[clean(key), clean(part)]],
  );
  return Object.fromEntries(entries) as unknown;
}

/** For a jsonb column: the driver would write an array as an SQL array. */
export const json = (value: unknown): string => JSON.stringify(value);

/** Equal as JSON: the order of keys does not count, since jsonb does not keep it. */
export function areEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

type Present<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : null extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : null extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Leaves out what is null or undefined: in our nouns an absent field is absent. */
export function present<const T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, part]) => part !== null && part !== undefined),
  ) as Present<T>;
}
