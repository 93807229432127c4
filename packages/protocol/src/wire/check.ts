/**
 * check: what a value from the wire must be before it is believed.
 *
 * Takes   the name of the field, as the caller knows it, for the message.
 * Pure    Total but for `Refusal("invalid", …)`, which names the field, the value and what was expected.
 * Source  api.md §4.
 */
import { isUuid } from "@reprise/core/identity/attempt-uuid.ts";
import { limits } from "@reprise/core/limits.ts";
import type { JsonObject, JsonValue } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";

export const invalid = (field: string, words: string) => new Refusal("invalid", `${field}: ${words}`);

/** Short, whatever the caller sent. */
export const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** An ID: 1 to `limits.workflowIdCharsMax` characters. Kept as it is, since it is compared and never read. */
export function identifier(field: string, value: string | undefined): string {
  if (value === undefined || value === "") throw invalid(field, "is required");
  const max = limits.workflowIdCharsMax;
  // A character is one unit or two: of most there is nothing to count.
  const chars = value.length <= max ? value.length : [...value].length;
  if (chars > max) throw invalid(field, `has ${chars} characters; expected 1 to ${max}`);
  if (!isStorable(value)) throw invalid(field, `${shown(value)} holds a NUL or half a character`);
  return value;
}

/** Absent and empty are the same. */
export const optionalIdentifier = (field: string, value: string | undefined): string | undefined =>
  value === undefined || value === "" ? undefined : identifier(field, value);

/** @returns In lower case. */
export function uuid(field: string, value: string | undefined): string {
  if (value === undefined || value === "") throw invalid(field, "is required");
  if (!isUuid(value)) throw invalid(field, `${shown(value)} is not a UUID`);
  return value.toLowerCase();
}

export function attemptIndex(field: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (!Number.isInteger(value) || value < 0 || value > limits.attemptIndexMax) {
    throw invalid(field, `${value} is not an attempt index; expected 0 to ${limits.attemptIndexMax}`);
  }
  return value;
}

export function nodeNames(field: string, names: readonly string[]): readonly string[] {
  if (names.length > limits.nodesMax)
    throw invalid(field, `has ${names.length} nodes; expected at most ${limits.nodesMax}`);
  for (const [i, name] of names.entries()) {
    if (name.length > limits.nodeNameCharsMax || !/^[^\s,\p{C}]+$/u.test(name)) {
      throw invalid(
        `${field}[${i}]`,
        `${shown(name)} is not a node name; expected 1 to ${limits.nodeNameCharsMax} printable characters without space or comma`,
      );
    }
  }
  return names;
}

/** One of these words. */
export function oneOf<const Word extends string>(field: string, given: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === given);
  if (word === undefined) throw invalid(field, `${shown(given)}; expected one of ${words.join(", ")}`);
  return word;
}

/** A count, an offset, a generation: a whole number from 0 that JavaScript holds exactly. */
export function wholeNumber(field: string, value: bigint | number): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw invalid(field, `${value} is out of range; expected 0 to 2^53 - 1`);
  return number;
}

/** Text for people. PostgreSQL stores no NUL and no half character; a log may hold both, and must not be lost for it. */
export const freeText = (value: string): string =>
  isStorable(value) ? value : value.replaceAll("\0", "\ufffd").toWellFormed();

/** Free metadata: at most `limits.metadataDepthMax` levels of objects and arrays, each text made storable. */
export function metadata(field: string, value: JsonObject): JsonObject {
  if (isDeeper(value, limits.metadataDepthMax)) throw invalid(field, `deeper than ${limits.metadataDepthMax} levels`);
  return freeJson(value);
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item: JsonValue) => isDeeper(item, levels - 1));
}

/** The same for every text in it, keys too. */
export function freeJson(value: JsonObject): JsonObject {
  if (isFree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [freeText(key), freeJsonValue(item)]));
}

function freeJsonValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return freeText(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(freeJsonValue) : freeJson(value as JsonObject);
}

/** Nearly all of it is: then it need not be copied. */
function isFree(value: JsonValue): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isFree);
  for (const key of Object.keys(value)) {
    if (!isStorable(key) || !isFree((value as JsonObject)[key]!)) return false;
  }
  return true;
}

const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();

/** `{ a: undefined }` → `{}`: with exactOptionalPropertyTypes an absent field is not an undefined one. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
/** What has no absent field is not copied. */
export function present<T extends object>(fields: T): Present<T> {
  const given = fields as Record<string, unknown>;
  const keys = Object.keys(fields);
  if (keys.every((key) => given[key] !== undefined)) return fields;
  const present: Record<string, unknown> = {};
  for (const key of keys) if (given[key] !== undefined) present[key] = given[key];
  return present as Present<T>;
}
