/**
 * case-file: one case: the logs and scheduler states of a job's attempts, and what should follow.
 *
 * Takes   YAML as testdata/cases/README.md describes it.
 * Gives   the attempts, oldest first, their lines spelled out.
 * Fails   throws an Error that names the file, the key, the value and what was expected.
 */
import { parse } from "yaml";
import { linesOf, type Repeat, type TimedLine } from "./case-lines.ts";

const states = [
  "COMPLETED",
  "FAILED",
  "OUT_OF_MEMORY",
  "TIMEOUT",
  "NODE_FAIL",
  "PREEMPTED",
  "CANCELLED",
  "REQUEUED",
] as const;
export type CaseState = (typeof states)[number];

export interface CaseAttempt {
  readonly log: readonly TimedLine[];
  /** Lines of kernel logs and health probes; negative seconds were before the attempt. */
  readonly nodeLog: readonly (TimedLine & { readonly node: string })[];
  /** Absent: it still runs. */
  readonly end?: {
    readonly at: number;
    readonly state: CaseState;
    readonly exitCode: number;
    readonly signal: number;
  };
  /** The second at which the question is asked. */
  readonly lookAt: number;
}

export interface Expectation {
  readonly kind: string;
  readonly domain: string;
  readonly next: string;
  readonly exclude: readonly string[];
  readonly charged?: boolean;
  /** A part of the root line. */
  readonly evidence?: string;
  readonly notEvidence: readonly string[];
}

export interface Case {
  readonly id: string;
  readonly nodes: readonly string[];
  readonly gpusPerNode: number;
  readonly policy: {
    readonly maxRequeueTimes?: number;
    readonly pretrainingTimeoutSeconds?: number;
    readonly trainingTimeoutSeconds?: number;
  };
  readonly attempts: readonly CaseAttempt[];
  readonly expect?: Expectation;
}

/** @param name The file, for messages. */
export function parseCase(text: string, name: string): Case {
  const at = new Part(parse(text), name, "");
  const job = at.part("job");
  const attempts = at.list("attempts").map((value, index) => attemptOf(new Part(value, name, `attempts[${index}]`)));
  if (attempts.length === 0) throw at.expected("attempts", "at least one attempt");
  const policy = job.has("policy") ? job.part("policy") : undefined;
  return {
    id: at.text("id"),
    nodes: job.texts("nodes"),
    gpusPerNode: job.number("gpusPerNode"),
    policy: {
      ...whole(policy, "maxRequeueTimes"),
      ...whole(policy, "pretrainingTimeoutSeconds"),
      ...whole(policy, "trainingTimeoutSeconds"),
    },
    attempts,
    ...(at.has("expect") ? { expect: expectationOf(at.part("expect")) } : {}),
  };
}

function whole<K extends string>(part: Part | undefined, key: K): { readonly [k in K]?: number } {
  return part?.has(key) === true ? ({ [key]: part.number(key) } as { [k in K]?: number }) : {};
}

function attemptOf(at: Part): CaseAttempt {
  const log = at.list("log").map((value, index) => entryOf(value, at.at(`log[${index}]`)));
  const nodeLog = at.has("nodeLog") ? at.list("nodeLog") : [];
  return {
    log: linesOf(log),
    nodeLog: nodeLog.map((value, index) => nodeLineOf(value, at.at(`nodeLog[${index}]`))),
    ...(at.has("end") ? { end: endOf(at.part("end")) } : {}),
    lookAt: at.number("lookAt"),
  };
}

function endOf(end: Part): NonNullable<CaseAttempt["end"]> {
  const exit = /^(\d+):(\d+)$/.exec(end.text("exit"));
  if (exit === null) throw end.expected("exit", "a code and a signal, such as 1:0");
  return {
    at: end.number("at"),
    state: end.oneOf("state", states),
    exitCode: Number(exit[1]),
    signal: Number(exit[2]),
  };
}

function entryOf(value: unknown, place: (what: string) => Error): TimedLine | Repeat {
  if (!Array.isArray(value)) {
    const { repeat, every, from, seed = 1, line } = (value ?? {}) as Record<string, unknown>;
    const numbers = [repeat, every, from, seed];
    if (!numbers.every((n) => typeof n === "number") || typeof line !== "string")
      throw place("[second, line], or a map of repeat, every, from and line");
    const [times, gap, first, start] = numbers as [number, number, number, number];
    return { repeat: times, every: gap, from: first, seed: start, line };
  }
  const [second, text] = value as unknown[];
  if (typeof second !== "number" || typeof text !== "string") throw place("[second, line]");
  return { second, text };
}

function nodeLineOf(value: unknown, place: (what: string) => Error): TimedLine & { readonly node: string } {
  const [second, node, text] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof second !== "number" || typeof node !== "string" || typeof text !== "string")
    throw place("[second, node, line]");
  return { second, node, text };
}

function expectationOf(at: Part): Expectation {
  return {
    kind: at.text("kind"),
    domain: at.text("domain"),
    next: at.text("next"),
    exclude: at.texts("exclude"),
    ...(at.has("charged") ? { charged: at.value("charged") === true } : {}),
    ...(at.has("evidence") ? { evidence: at.text("evidence") } : {}),
    notEvidence: at.has("notEvidence") ? at.texts("notEvidence") : [],
  };
}

/** One map of the file and where it stands, so that every complaint can say so. */
class Part {
  private readonly map: Readonly<Record<string, unknown>>;
  private readonly file: string;
  private readonly path: string;

  constructor(value: unknown, file: string, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error(`${file}: ${path === "" ? "the case" : path} is ${JSON.stringify(value)}; expected a map`);
    this.map = value as Readonly<Record<string, unknown>>;
    this.file = file;
    this.path = path === "" ? "" : `${path}.`;
  }

  has = (key: string): boolean => this.map[key] !== undefined && this.map[key] !== null;
  value = (key: string): unknown => this.map[key];
  part = (key: string): Part => new Part(this.map[key], this.file, `${this.path}${key}`);
  at =
    (key: string) =>
    (what: string): Error =>
      new Error(`${this.file}: ${this.path}${key}; expected ${what}`);

  text(key: string): string {
    const value = this.map[key];
    if (typeof value !== "string" || value === "") throw this.expected(key, "a text");
    return value;
  }

  number(key: string): number {
    const value = this.map[key];
    if (typeof value !== "number" || !Number.isFinite(value)) throw this.expected(key, "a number");
    return value;
  }

  list(key: string): readonly unknown[] {
    const value = this.map[key];
    if (!Array.isArray(value)) throw this.expected(key, "a list");
    return value;
  }

  texts(key: string): readonly string[] {
    const value = this.list(key);
    if (!value.every((v) => typeof v === "string")) throw this.expected(key, "a list of texts");
    return value;
  }

  oneOf<T extends string>(key: string, values: readonly T[]): T {
    const known = values.find((v) => v === this.map[key]);
    if (known === undefined) throw this.expected(key, `one of ${values.join(", ")}`);
    return known;
  }

  expected(key: string, what: string): Error {
    return new Error(`${this.file}: ${this.path}${key} is ${JSON.stringify(this.map[key])}; expected ${what}`);
  }
}
