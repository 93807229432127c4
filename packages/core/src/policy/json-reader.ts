/**
 * json-reader: JSON text to values that know where they stand, so that an error can point at its place.
 *
 * Takes        any text.
 * Gives        the tree; duplicate keys are kept, since only the reader of the policy can say what they mean. Or the first
 *              place where the text is no JSON, and what was expected there.
 * Pure, total  Accepts exactly what JSON.parse accepts, up to `jsonDepthMax`.
 * Source       RFC 8259.
 */
import type { JsonValue } from "../nouns.ts";

/** `at`: 0-based offset of the value's first character, in UTF-16 units. */
export type JsonNode =
  | ObjectNode
  | { readonly kind: "array"; readonly at: number; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly at: number; readonly value: string }
  | { readonly kind: "number"; readonly at: number; readonly value: number }
  | { readonly kind: "boolean"; readonly at: number; readonly value: boolean }
  | { readonly kind: "null"; readonly at: number };
export interface ObjectNode {
  readonly kind: "object";
  readonly at: number;
  readonly members: readonly JsonMember[];
}
/** `at`: of the key's opening quote. */
export interface JsonMember {
  readonly key: string;
  readonly at: number;
  readonly value: JsonNode;
}

export type JsonReading =
  | { readonly kind: "read"; readonly node: JsonNode }
  | {
      readonly kind: "broken";
      readonly position: number;
      /** `expected …, found …`. */
      readonly why: string;
      /** The text ends before the value does. */
      readonly isCut: boolean;
    };

/** Deeper than any text that fits into a comment, and shallow enough for the stack. */
export const jsonDepthMax = 1024;

export function readJson(text: string): JsonReading {
  const scanner = new Scanner(text);
  const node = scanner.value(0);
  if (node !== undefined) scanner.end();
  const { failure } = scanner;
  if (node !== undefined && failure === undefined) return { kind: "read", node };
  const position = failure?.position ?? 0;
  const isCut = position >= text.length;
  const found = isCut ? "the end" : JSON.stringify(String.fromCodePoint(text.codePointAt(position) ?? 0));
  return { kind: "broken", position, why: `expected ${failure?.expected ?? "a value"}, found ${found}`, isCut };
}

export function valueOf(node: JsonNode): JsonValue {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]));
    case "array":
      return node.items.map(valueOf);
    case "null":
      return null;
    default:
      return node.value;
  }
}

/** A value that has no text, as a tree whose places say nothing. */
export function nodeOf(value: JsonValue): JsonNode {
  const at = 0;
  if (value === null) return { kind: "null", at };
  if (typeof value === "string") return { kind: "string", at, value };
  if (typeof value === "number") return { kind: "number", at, value };
  if (typeof value === "boolean") return { kind: "boolean", at, value };
  if (isList(value)) return { kind: "array", at, items: value.map(nodeOf) };
  return { kind: "object", at, members: Object.entries(value).map(([key, of]) => ({ key, at, value: nodeOf(of) })) };
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** Each method reads one thing from `position` on, or notes the first failure and gives undefined. */
class Scanner {
  failure: { readonly position: number; readonly expected: string } | undefined;
  private position = 0;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  value(depth: number): JsonNode | undefined {
    this.skipSpace();
    const at = this.position;
    const first = this.text[at];
    if (first === "{" || first === "[") {
      if (depth >= jsonDepthMax) return this.fail(`at most ${jsonDepthMax} levels`);
      this.position++;
      return first === "{" ? this.object(at, depth) : this.array(at, depth);
    }
    if (first === '"') {
      const value = this.string();
      return value === undefined ? undefined : { kind: "string", at, value };
    }
    if (this.takes("true")) return { kind: "boolean", at, value: true };
    if (this.takes("false")) return { kind: "boolean", at, value: false };
    if (this.takes("null")) return { kind: "null", at };
    return this.number(at);
  }

  end(): void {
    this.skipSpace();
    if (this.position < this.text.length) this.fail("the end");
  }

  private object(at: number, depth: number): JsonNode | undefined {
    const members: JsonMember[] = [];
    if (this.takesAfterSpace("}")) return { kind: "object", at, members };
    do {
      this.skipSpace();
      const keyAt = this.position;
      if (this.text[keyAt] !== '"') return this.fail("a key in double quotes");
      const key = this.string();
      if (key === undefined) return undefined;
      if (!this.takesAfterSpace(":")) return this.fail('":"');
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      members.push({ key, at: keyAt, value });
    } while (this.takesAfterSpace(","));
    return this.takesAfterSpace("}") ? { kind: "object", at, members } : this.fail('"," or "}"');
  }

  private array(at: number, depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    if (this.takesAfterSpace("]")) return { kind: "array", at, items };
    do {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.takesAfterSpace(","));
    return this.takesAfterSpace("]") ? { kind: "array", at, items } : this.fail('"," or "]"');
  }

  /** From the opening quote on. */
  private string(): string | undefined {
    let value = "";
    for (this.position++; ; ) {
      const character = this.text[this.position];
      if (character === undefined) return this.fail('"\\""');
      if (character < " ") return this.fail("no control character in a string");
      this.position++;
      if (character === '"') return value;
      const unescaped = character === "\\" ? this.escape() : character;
      if (unescaped === undefined) return undefined;
      value += unescaped;
    }
  }

  /** After the backslash. */
  private escape(): string | undefined {
    const letter = this.text[this.position] ?? "";
    const simple = escapes.get(letter);
    if (simple !== undefined) {
      this.position++;
      return simple;
    }
    if (letter !== "u") return this.fail('one of " \\ / b f n r t u after a backslash');
    this.position++;
    const from = this.position;
    while (this.position < from + 4) {
      if (!/^[0-9a-f]$/i.test(this.text[this.position] ?? "")) return this.fail("four hexadecimal digits");
      this.position++;
    }
    return String.fromCharCode(parseInt(this.text.slice(from, this.position), 16));
  }

  private number(at: number): JsonNode | undefined {
    if (!this.takes("-") && !this.atDigit()) return this.fail("a value");
    if (!this.takes("0") && !this.digits()) return this.fail("a digit");
    if (this.takes(".") && !this.digits()) return this.fail("a digit");
    if (this.takes("e") || this.takes("E")) {
      if (!this.takes("+")) this.takes("-");
      if (!this.digits()) return this.fail("a digit");
    }
    return { kind: "number", at, value: Number(this.text.slice(at, this.position)) };
  }

  private digits(): boolean {
    const from = this.position;
    while (this.atDigit()) this.position++;
    return this.position > from;
  }

  private atDigit(): boolean {
    const character = this.text[this.position] ?? "";
    return character >= "0" && character <= "9";
  }

  private takes(token: string): boolean {
    const isHere = this.text.startsWith(token, this.position);
    if (isHere) this.position += token.length;
    return isHere;
  }

  private takesAfterSpace(token: string): boolean {
    this.skipSpace();
    return this.takes(token);
  }

  private skipSpace(): void {
    while (this.position < this.text.length && " \t\n\r".includes(this.text.charAt(this.position))) this.position++;
  }

  private fail(expected: string): undefined {
    this.failure ??= { position: this.position, expected };
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
