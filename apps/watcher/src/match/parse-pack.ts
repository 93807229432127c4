/**
 * parse-pack: one YAML pack, a list of signatures, to values.
 *
 * Takes   the text of a pack. Unknown keys are refused: a misspelt `exitIndependent` would act on healthy jobs.
 * Gives   signatures whose own example lines have not been tried yet; `loadSignatures` does that.
 * Fails   throws an Error that names the pack, the line, the entry, the key, the value and what was expected. An expression
 *         whose time may explode on a line that somebody made up is refused (`expression-danger.ts`).
 * Bound   an anchor has at least `anchorCharsMin` characters: what is too common costs a look at every line.
 */
import { isSeq, LineCounter, parseDocument } from "yaml";
import { causeClasses as classRules } from "@reprise/core/decide/cause-class.ts";
import type { CauseClass, Domain } from "@reprise/core/nouns.ts";
import { dangerOf } from "./expression-danger.ts";
import {
  type Counts,
  type Example,
  isCause,
  type Names,
  type Signature,
  type SignatureKind,
  type Standing,
} from "./signature.ts";

const anchorCharsMin = 4;
const defaultPrecedence = 100;

const kinds: readonly SignatureKind[] = [
  "crash",
  "hang",
  "numerics",
  "progress",
  "checkpoint-saved",
  "finished",
  "checkpoint-loaded",
  "succeeded",
  "host-address",
  "rank-host",
  "world-size",
  "epoch-begins",
  "checkpoint-begins",
  "evaluation-begins",
  "evaluation-ended",
  "host-load",
  "coordinator",
];
const causeClasses = Object.keys(classRules) as readonly CauseClass[];
const domains: readonly Domain[] = ["workload", "hardware", "network", "storage", "scheduler", "unknown"];
const standings: readonly Standing[] = ["root", "root-if-first", "root-after-success", "consequence"];
const names: readonly Names[] = ["line", "nobody", "coordinator"];
const counts: readonly Counts[] = ["run", "epoch", "bar", "fraction"];
/** A name may end in a digit where one expression needs it in several alternatives: `step2` is a `step`. */
const captures = [
  "rank",
  "host",
  "peer",
  "address",
  "step",
  "firstStep",
  "path",
  "code",
  "device",
  "exception",
  "epoch",
  "total",
  "ranks",
  "elapsedMs",
  "elapsedS",
  "gpuUtil",
  "ioWait",
];
const keys = [
  "id",
  "kind",
  "anchors",
  "expression",
  "where",
  "precedence",
  "class",
  "domain",
  "standing",
  "exitIndependent",
  "explains",
  "names",
  "counts",
  "source",
  "yes",
  "no",
];

/** @param name The pack's file name, for error messages. */
export function parsePack(text: string, name: string): readonly Signature[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [wrong] = document.errors;
  if (wrong !== undefined) throw new Error(`${name}: ${wrong.message}`, { cause: wrong });
  const { contents } = document;
  if (!isSeq(contents)) throw new Error(`${name}: expected a list of signatures`);
  const entries = document.toJS() as readonly unknown[];
  return contents.items.map((item, index) => {
    const at = (item as { range?: readonly [number, number, number] }).range?.[0] ?? 0;
    return parseSignature(entries[index], `${name}:${lines.linePos(at).line}`);
  });
}

function parseSignature(entry: unknown, place: string): Signature {
  if (!isRecord(entry)) throw new Error(`${place}: expected a map, found ${JSON.stringify(entry)}`);
  const id = textAt(entry, "id", place);
  const at = new Entry(entry, `${place} (${id})`);
  at.onlyKeys(keys);
  const kind = at.oneOf("kind", kinds);
  const causeClass = isCause({ kind }) ? at.oneOf("class", causeClasses) : undefined;
  return {
    id,
    kind,
    anchors: at.anchors(),
    expression: at.expression(),
    where: at.oneOf("where", ["line", "traceback-end"] as const, "line"),
    precedence: at.integer("precedence", defaultPrecedence),
    ...(causeClass === undefined
      ? {}
      : { causeClass, domain: at.oneOf("domain", domains, classRules[causeClass].domain) }),
    standing: causeClass === undefined ? "consequence" : at.oneOf("standing", standings),
    exitIndependent: at.flag("exitIndependent"),
    names: at.oneOf("names", names, "line"),
    explains: at.texts("explains"),
    counts: at.oneOf("counts", counts, "run"),
    source: at.text("source"),
    yes: at.examples(),
    no: at.texts("no"),
  };
}

/** One entry and where it stands, so that every complaint can say so. */
class Entry {
  private readonly map: Readonly<Record<string, unknown>>;
  private readonly place: string;

  constructor(map: Readonly<Record<string, unknown>>, place: string) {
    this.map = map;
    this.place = place;
  }

  onlyKeys(known: readonly string[]): void {
    for (const key of Object.keys(this.map)) {
      if (!known.includes(key)) throw new Error(`${this.place}: unknown key ${key}; known are ${known.join(", ")}`);
    }
  }

  text(key: string): string {
    return textAt(this.map, key, this.place);
  }

  oneOf<T extends string>(key: string, values: readonly T[], missing?: T): T {
    const value = this.map[key] ?? missing;
    const known = values.find((v) => v === value);
    if (known === undefined) throw this.expected(key, `one of ${values.join(", ")}`);
    return known;
  }

  integer(key: string, missing: number): number {
    const value = this.map[key] ?? missing;
    if (!Number.isInteger(value)) throw this.expected(key, "a whole number");
    return value as number;
  }

  flag(key: string): boolean {
    const value = this.map[key] ?? false;
    if (typeof value !== "boolean") throw this.expected(key, "true or false");
    return value;
  }

  texts(key: string): readonly string[] {
    const value = this.map[key] ?? [];
    if (!Array.isArray(value) || !value.every((v) => typeof v === "string"))
      throw this.expected(key, "a list of lines");
    return value;
  }

  anchors(): readonly string[] {
    const anchors = this.texts("anchors");
    if (anchors.length === 0 && this.map["where"] !== "traceback-end")
      throw this.expected("anchors", "at least one literal");
    const short = anchors.find((a) => a.length < anchorCharsMin);
    if (short !== undefined)
      throw this.expected("anchors", `literals of ${anchorCharsMin} characters or more, not "${short}"`);
    return anchors;
  }

  expression(): RegExp {
    const expression = compile(this.text("expression"), this.place);
    const names = [...this.text("expression").matchAll(/\(\?<([A-Za-z]\w*)>/g)].map((m) => m[1] ?? "");
    const unknown = names.find((name) => !captures.includes(captureName(name)));
    if (unknown !== undefined)
      throw this.expected("expression", `captures out of ${captures.join(", ")}, not ${unknown}`);
    const danger = dangerOf(this.text("expression"));
    if (danger !== undefined) throw this.expected("expression", `one whose time is bounded, but ${danger}`);
    return expression;
  }

  examples(): readonly Example[] {
    const value = this.map["yes"];
    if (!Array.isArray(value) || value.length === 0) throw this.expected("yes", "at least one example line");
    return value.map((example: unknown) => {
      if (typeof example === "string") return { line: example, gives: {} };
      if (!isRecord(example)) throw this.expected("yes", "lines, or maps of line and captures");
      const { line, ...rest } = example;
      if (typeof line !== "string") throw this.expected("yes", "a line in each example");
      return { line, gives: Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, String(v)])) };
    });
  }

  private expected(key: string, what: string): Error {
    return new Error(`${this.place}: ${key} is ${JSON.stringify(this.map[key])}; expected ${what}`);
  }
}

export const captureName = (group: string) => (lastDigit.test(group) ? group.slice(0, -1) : group);
const lastDigit = /\d$/;

function compile(source: string, place: string): RegExp {
  try {
    return new RegExp(source);
  } catch (error) {
    throw new Error(`${place}: expression is not a regular expression: ${(error as Error).message}`, { cause: error });
  }
}

function textAt(map: Readonly<Record<string, unknown>>, key: string, place: string): string {
  const value = map[key];
  if (typeof value !== "string" || value === "") {
    throw new Error(`${place}: ${key} is ${JSON.stringify(value)}; expected a text`);
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
