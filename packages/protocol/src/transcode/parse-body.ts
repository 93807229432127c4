/**
 * parse-body: the JSON text of a request body → its value, read strictly.
 *
 * Takes   any text.
 * Gives   what JSON.parse gives, but for keys `__proto__`: these would become a prototype on their way, and are left out.
 * Fails   `Refusal("invalid", …)`: no JSON, with line and column; a key given twice, since two readers would believe two
 *         different ones; too deep.
 * Bound   `limits.bodyDepthMax`; the caller bounds the bytes. One pass over the text beside JSON.parse.
 * Source  RFC 8259 §4: names within an object should be unique.
 */
import type { JsonValue } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import { readJson } from "@reprise/core/policy/json-reader.ts";
import { Refusal } from "@reprise/core/refusal.ts";

export function parseBody(text: string): JsonValue {
  const twice = checkObjects(text);
  const value = parse(text);
  // Only now: what the scan takes for a key is one only where the text is JSON.
  if (twice !== undefined)
    throw invalid(`${JSON.stringify(cut(twice.key))} is given twice in one object`, text, twice.at);
  return value;
}

function parse(text: string): JsonValue {
  const mayHoldProto = /__proto__|\\u005f/i.test(text);
  const drop = (key: string, value: JsonValue) => (key === "__proto__" ? undefined : value);
  try {
    return JSON.parse(text, mayHoldProto ? drop : undefined) as JsonValue;
  } catch (error) {
    const reading = readJson(text); // Slower, and knows the place.
    if (reading.kind === "broken") throw invalid(`not JSON: ${reading.why}`, text, reading.position);
    throw new Refusal("invalid", `body: not JSON: ${(error as Error).message}`);
  }
}

interface Place {
  readonly key: string;
  readonly at: number;
}

/**
 * Walks the brackets, strings and commas of a text that may or may not be JSON.
 *
 * @returns The first key that an object has twice.
 */
function checkObjects(text: string): Place | undefined {
  /** The keys of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let twice: Place | undefined;
  let mayBeKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (mayBeKey && keys !== undefined) {
        const key = unescaped(text.slice(at, end + 1));
        if (keys.has(key)) twice ??= { key, at };
        keys.add(key);
      }
      mayBeKey = false;
      at = end;
    } else if (character === openBrace || character === openBracket) {
      if (open.push(character === openBrace ? new Set() : undefined) > limits.bodyDepthMax)
        throw invalid(`deeper than ${limits.bodyDepthMax} levels`, text, at);
      mayBeKey = true;
    } else if (character === closeBrace || character === closeBracket) open.pop();
    else if (character === comma) mayBeKey = true;
  }
  return twice;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** @returns Where its closing quote stands; the last character of a text that has none. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === backslash) at++;
    else if (character === quote) return at;
  }
  return text.length - 1;
}

/** `"a\u0062"` and `"ab"` are one key. */
function unescaped(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal; // No JSON: what comes next says so.
  }
}

function invalid(words: string, text: string, at: number): Refusal {
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return new Refusal("invalid", `body: ${words}, line ${before.length}, column ${column}`);
}

const cut = (key: string) => (key.length > 80 ? `${key.slice(0, 80)}…` : key);
