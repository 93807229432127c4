/**
 * config: from a YAML file, variables and flags to the values in force, each with where it came from.
 *
 * Takes   one table of settings. The key `httpPort` is `http_port` in the file, `REPRISE_HTTP_PORT` among the variables
 *         and `--http-port` on the command line.
 * Gives   values and origins; a flag wins over a variable, a variable over the file, the file over the default.
 * Fails   `ConfigError` with every problem at once: the key, the value, what was expected, and where it was given.
 *         A key that nobody knows is one, with the name that was probably meant. A secret's value is never in it.
 */
import { dirname } from "node:path";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import type { Environment } from "./environment.ts";
import { nearest } from "./nearest.ts";
import { maskText } from "./secrets.ts";
import type { Setting } from "./setting.ts";

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly path: string; readonly line: number }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "flag"; readonly name: string };

export interface ConfigSources {
  readonly file?: { readonly path: string; readonly text: string };
  readonly variables: Environment;
  /** By setting key. `name` is what was typed, e.g. `--act`. */
  readonly flags: Readonly<Record<string, { readonly name: string; readonly value: unknown }>>;
  /** Where the command was called: relative paths of flags and variables count from here. */
  readonly workDir: string;
}

export interface Resolved<S extends Settings> {
  readonly values: Values<S>;
  readonly origins: { readonly [K in keyof S]: Origin };
  /** Variables that look like a setting and are none. */
  readonly warnings: readonly string[];
}

export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** `httpPort` → `http_port`, its name in the file. */
export const fileKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const variableName = (key: string): string => `REPRISE_${fileKey(key).toUpperCase()}`;
export const flagName = (key: string): string => `--${fileKey(key).replaceAll("_", "-")}`;

interface Given {
  readonly value: unknown;
  readonly origin: Origin;
  readonly baseDir: string;
}

export function resolveConfig<const S extends Settings>(settings: S, sources: ConfigSources): Resolved<S> {
  const problems: string[] = [];
  const fromFile = readFile(settings, sources.file, problems);
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const given = findGiven(key, setting, sources, fromFile);
    if (given === undefined) {
      values[key] = setting.type.settle?.(setting.default, sources.workDir) ?? setting.default;
      origins[key] = { kind: "default" };
      continue;
    }
    const parsed = setting.type.schema.safeParse(given.value);
    if (!parsed.success) problems.push(problem(key, setting, given.value, given.origin));
    else values[key] = setting.type.settle?.(parsed.data, given.baseDir) ?? parsed.data;
    origins[key] = given.origin;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    values: values as Values<S>,
    origins: origins as Resolved<S>["origins"],
    warnings: unknownVariables(settings, sources.variables),
  };
}

function findGiven(
  key: string,
  setting: Setting<unknown>,
  sources: ConfigSources,
  fromFile: Map<string, Given>,
): Given | undefined {
  const flag = sources.flags[key];
  if (flag !== undefined) {
    return { value: flag.value, origin: { kind: "flag", name: flag.name }, baseDir: sources.workDir };
  }
  for (const name of [variableName(key), ...(setting.variables ?? [])]) {
    const value = sources.variables[name];
    // Set to nothing is how a shell or a unit file says "not set".
    if (value !== undefined && value !== "") {
      return { value, origin: { kind: "variable", name }, baseDir: sources.workDir };
    }
  }
  return fromFile.get(key);
}

/** The keys of the file, by setting key. */
function readFile(settings: Settings, file: ConfigSources["file"], problems: string[]): Map<string, Given> {
  const found = new Map<string, Given>();
  if (file === undefined) return found;
  const lines = new LineCounter();
  const document = parseDocument(file.text, { lineCounter: lines, prettyErrors: false });
  for (const error of document.errors) {
    problems.push(`${file.path}:${lines.linePos(error.pos[0]).line}: this is not YAML: ${error.message}`);
  }
  if (document.errors.length > 0 || document.contents === null) return found;
  if (!isMap(document.contents)) {
    problems.push(`${file.path}: expected keys with values, such as "http_port: 8080"`);
    return found;
  }
  const content = document.toJS() as Readonly<Record<string, unknown>>;
  const known = new Map(Object.keys(settings).map((key) => [fileKey(key), key]));
  for (const pair of document.contents.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
    const line = isScalar(pair.key) && pair.key.range ? lines.linePos(pair.key.range[0]).line : 0;
    const key = known.get(name);
    if (key === undefined) {
      const meant = nearest(name, [...known.keys()]);
      problems.push(
        `${file.path}:${line}: unknown key "${name}"${meant === undefined ? "; `reprise config` lists all keys" : `; did you mean "${meant}"?`}`,
      );
      continue;
    }
    const value = content[name];
    if (value === null) continue; // `key:` with nothing behind it says nothing.
    found.set(key, { value, origin: { kind: "file", path: file.path, line }, baseDir: dirname(file.path) });
  }
  return found;
}

/** One sentence with the key, the value, its origin and what was expected. */
export function problem(
  key: string,
  setting: Setting<unknown>,
  value: unknown,
  origin: Origin,
  expected = setting.type.expected,
): string {
  return `${fileKey(key)} = ${showGiven(value, setting)} (from ${showOrigin(origin)}): expected ${expected}`;
}

export function showOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return "the default";
    case "file":
      return `${origin.path}:${origin.line}`;
    case "variable":
      return `the variable ${origin.name}`;
    case "flag":
      return `the flag ${origin.name}`;
  }
}

/** A value in force as it may be shown: a secret only by the parts of it that are none. A default is no secret. */
export function showValue(value: unknown, setting: Setting<unknown>): string {
  const shown = setting.type.show?.(value) ?? String(value);
  return setting.isSecret === true && value !== undefined && value !== setting.default ? hide(shown) : shown;
}

/** A value that is perhaps no value at all, as it was given. */
function showGiven(value: unknown, setting: Setting<unknown>): string {
  if (value === undefined) return "(not set)";
  if (Array.isArray(value) && value.length === 0) return "(none)";
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return setting.isSecret === true ? hide(shown) : shown;
}

function hide(text: string): string {
  const masked = maskText(text);
  return masked === text ? "***" : masked;
}

/** A variable that is nearly a setting's was meant as one, and would be ignored in silence. */
function unknownVariables(settings: Settings, variables: Environment): readonly string[] {
  const known = Object.keys(settings).map(variableName);
  return Object.keys(variables)
    .filter((name) => name.startsWith("REPRISE_") && !known.includes(name) && variables[name] !== "")
    .flatMap((name) => {
      const meant = nearest(
        name.slice("REPRISE_".length),
        known.map((other) => other.slice("REPRISE_".length)),
      );
      return meant === undefined ? [] : [`the variable ${name} sets nothing; did you mean REPRISE_${meant}?`];
    });
}
