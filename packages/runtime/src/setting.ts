/**
 * setting: the types that a configuration value may have, each with the words for "what was expected".
 *
 * Takes   what a YAML file gives (texts, numbers, booleans, lists), or the text of a variable or a flag: both mean the same.
 * Keeps   A number of time has its unit in the file (`180s`) and is milliseconds inside.
 */
import { resolve } from "node:path";
import { z } from "zod";
import type { JsonObject } from "@reprise/core/nouns.ts";

export interface SettingType<T> {
  /** Ends the sentence "expected …". */
  readonly expected: string;
  readonly schema: z.ZodType<T>;
  /** What stands for the value in `--help`. Default: `value`. */
  readonly placeholder?: string;
  /** A flag without a value. */
  readonly isSwitch?: true;
  /** Relative paths count from `baseDir`: the folder of the file they stand in, or where the command was called. */
  settle?(value: T, baseDir: string): T;
  /** As it would be written in the file. Default: as it is. */
  show?(value: T): string;
}

export interface Setting<T> {
  /** One sentence for `--help`, `reprise config` and the guide. */
  readonly doc: string;
  readonly type: SettingType<T>;
  readonly default: T;
  /** Further variables that set it, after `REPRISE_<KEY>`. */
  readonly variables?: readonly string[];
  /** Never printed, and has no flag: a flag shows in the process list. */
  readonly isSecret?: true;
}

export const text = (expected = "a text of 1–1024 characters"): SettingType<string> => ({
  expected,
  schema: z.string().trim().min(1).max(1024),
});

export const choice = <const T extends string>(...values: readonly T[]): SettingType<T> => ({
  expected: `one of ${values.join(", ")}`,
  placeholder: values.join("|"),
  schema: z.enum(values),
});

export const yesNo = (): SettingType<boolean> => ({
  expected: "true or false",
  isSwitch: true,
  schema: z.union([
    z.boolean(),
    z.enum(["true", "1", "yes"]).transform(() => true),
    z.enum(["false", "0", "no"]).transform(() => false),
  ]),
});

export const wholeNumber = (min: number, max: number): SettingType<number> => ({
  expected: `a whole number ${min}–${max}`,
  placeholder: "n",
  schema: z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ])
    .pipe(z.number().int().min(min).max(max)),
});

const msOf = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `500ms`, `10s`, `3m`, `1.5h` → milliseconds. A bare number is refused: nobody can tell its unit. */
export const duration = (minMs: number, maxMs: number): SettingType<number> => ({
  expected: `a time with its unit, such as 500ms, 10s or 3m, from ${showDuration(minMs)} to ${showDuration(maxMs)}`,
  placeholder: "time",
  schema: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,3})?(ms|s|m|h)$/)
    .transform((given) => {
      const unit = /[a-z]+$/.exec(given)?.[0] as keyof typeof msOf;
      return Math.round(Number.parseFloat(given) * msOf[unit]);
    })
    .pipe(z.number().min(minMs).max(maxMs)),
  show: showDuration,
});

/** The shortest text that `duration` reads back as the same number. */
export function showDuration(ms: number): string {
  const unit = (["h", "m", "s"] as const).find((name) => ms >= msOf[name] && ms % msOf[name] === 0) ?? "ms";
  return `${ms / msOf[unit]}${unit}`;
}

export const path = (): SettingType<string> => ({
  expected: "a path",
  placeholder: "path",
  schema: z.string().min(1).max(4096),
  settle: (value, baseDir) => resolve(baseDir, value),
});

/** A YAML list, or texts between commas. */
export const names = (expected: string, each: RegExp): SettingType<readonly string[]> => ({
  expected,
  placeholder: "a,b",
  schema: z
    .union([z.array(z.string()), z.string().transform((given) => given.split(",").map((item) => item.trim()))])
    .transform((list) => list.filter((item) => item !== ""))
    .pipe(z.array(z.string().regex(each)).max(1_000)),
  show: (value) => (value.length === 0 ? "(none)" : value.join(",")),
});

export const paths = (expected = "a list of paths", each = /^.{1,4096}$/): SettingType<readonly string[]> => ({
  ...names(expected, each),
  settle: (value, baseDir) => value.map((item) => resolve(baseDir, item)),
});

export const timeZone = (): SettingType<string> => ({
  expected: "a time zone, such as UTC or Europe/Berlin",
  placeholder: "zone",
  schema: z.string().refine((given) => {
    try {
      return new Intl.DateTimeFormat("en", { timeZone: given }).resolvedOptions().timeZone !== "";
    } catch {
      return false;
    }
  }),
});

/** `host:port`; an IPv6 host in brackets. */
export const address = (): SettingType<string> => ({
  expected: "host:port, such as 127.0.0.1:9091",
  placeholder: "host:port",
  schema: z.string().refine((given) => {
    const port = /^(?:\[[0-9a-f:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(given)?.[1];
    return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
  }),
});

/** Absent unless somebody gives it. */
export const optional = <T>(type: SettingType<T>): SettingType<T | undefined> => ({
  expected: type.expected,
  schema: type.schema.optional(),
  ...(type.placeholder === undefined ? {} : { placeholder: type.placeholder }),
  ...(type.isSwitch === undefined ? {} : { isSwitch: type.isSwitch }),
  settle: (value, baseDir) => (value === undefined ? undefined : (type.settle?.(value, baseDir) ?? value)),
  show: (value) => (value === undefined ? "(not set)" : (type.show?.(value) ?? String(value))),
});

export const databaseUrl = (): SettingType<string> => ({
  expected: "postgres://user@host/database",
  schema: z
    .string()
    .max(4096)
    .regex(/^postgres(ql)?:\/\/\S+$/),
});

/** What stands before every path of a listener: empty, or `/one/two`. */
export const pathPrefix = (): SettingType<string> => ({
  expected: "a path such as /recovery",
  schema: z
    .string()
    .trim()
    .regex(/^\/?(?:[\w.~-]+\/)*[\w.~-]*$/)
    .transform((given) => given.replace(/^\/|\/$/g, ""))
    .transform((path) => (path === "" ? "" : `/${path}`)),
  show: (value) => (value === "" ? "(none)" : value),
});

const isUrl = (given: string): boolean => /^https?:\/\//.test(given);

/** A relative path counts from where it was given; a URL stays as it is. */
export const urlOrPath = (): SettingType<string> => ({
  expected: "https://… or a path",
  schema: z.string().min(1).max(4096),
  settle: (value, baseDir) => (isUrl(value) ? value : resolve(baseDir, value)),
});

/** What comes from there is believed: nobody on the way may change it. */
export const trustedUrl = (): SettingType<string> => ({
  expected: "https://… (http only on a loopback address)",
  schema: z.string().refine((given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isLoopback = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url?.hostname ?? "");
    return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
  }),
});

export const webAddress = (): SettingType<string> => ({
  expected: "a URL that begins with http:// or https://",
  placeholder: "url",
  schema: z.url({ protocol: /^https?$/ }),
});

/** Objects by name in the file; in a variable or a flag the same as JSON. */
export const objectsByName = (expected: string, name: RegExp): SettingType<Readonly<Record<string, JsonObject>>> => {
  const objects = z.record(z.string().regex(name), z.record(z.string(), z.json()));
  return {
    expected,
    placeholder: "json",
    schema: z.union([objects, z.string().transform(parsedJson).pipe(objects)]),
    show: (value) => (Object.keys(value).length === 0 ? "(none)" : JSON.stringify(value)),
  };
};

function parsedJson(text: string, context: { addIssue(issue: string): void }): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("no JSON");
    return z.NEVER;
  }
}
