/**
 * bind: path values, query keys and a JSON body → one request message.
 *
 * Takes   names in lowerCamelCase or snake_case; nested fields of a query as `a.b`; repeated ones as repeated keys,
 *         with or without `[]`.
 * Gives   the message, and the fields and query keys that the message does not have.
 * Fails   `Refusal("invalid", …)` that names the field and what was expected.
 * Bound   `limits.bodyDepthMax` levels of nesting; the caller bounds the body's bytes.
 */
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { Refusal } from "@reprise/core/refusal.ts";
import { parseBody } from "./parse-body.ts";

export interface Parts {
  /** Request field → value, from the path. */
  readonly path: ReadonlyMap<DescField, string>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** `whole`: the body is the request. A field: the body is that field. Absent: there is no body. */
  readonly body: "whole" | DescField | undefined;
  /** Empty counts as absent. */
  readonly bodyText: string;
}

export interface Bound {
  readonly request: Message;
  readonly unknown: readonly string[];
}

export function bindRequest(input: DescMessage, parts: Parts): Bound {
  const unknown: string[] = [];
  const json: Record<string, JsonValue> = {};
  const body = parts.body === undefined || parts.bodyText === "" ? undefined : parseBody(parts.bodyText);
  if (body !== undefined && parts.body === "whole")
    Object.assign(json, knownPart(input, object(body, "body"), "", unknown));
  if (body !== undefined && typeof parts.body === "object")
    json[parts.body.jsonName] = fieldPart(parts.body, body, "", unknown);
  for (const [key, values] of parts.query) {
    const path = parts.body === "whole" ? undefined : fieldPath(input, key);
    const taken = path?.[0] !== undefined && (path[0] === parts.body || parts.path.has(path[0]));
    if (path === undefined || taken) unknown.push(key);
    else setQuery(json, path, key, values);
  }
  // Last: what stands in the path wins over a body that says otherwise.
  for (const [field, value] of parts.path) json[field.jsonName] = value;
  return { request: toMessage(input, json), unknown };
}

/** A copy of `json` without what `message` does not know; the names of that go into `unknown`. */
function knownPart(message: DescMessage, json: JsonObject, prefix: string, unknown: string[]): JsonObject {
  const known: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(json)) {
    const field = fieldNamed(message, key);
    if (field === undefined) {
      unknown.push(prefix + key);
      continue;
    }
    if (Object.hasOwn(known, field.jsonName))
      throw invalid(`${prefix}${field.jsonName}: given twice, in both spellings`);
    known[field.jsonName] = fieldPart(field, value, prefix, unknown);
  }
  return known;
}

function fieldPart(field: DescField, value: JsonValue, prefix: string, unknown: string[]): JsonValue {
  const path = prefix + field.jsonName;
  if (value === null) return value;
  if (field.fieldKind === "list" && field.listKind === "message") {
    if (!Array.isArray(value)) throw invalid(`${path}: expected an array`);
    return value.map((item: JsonValue, i) => messagePart(field.message, item, `${path}[${i}]`, unknown));
  }
  if (field.fieldKind === "message") return messagePart(field.message, value, path, unknown);
  return field.fieldKind === "enum" ? checkedEnum(field.enum, value, path) : value;
}

function messagePart(message: DescMessage, value: JsonValue, path: string, unknown: string[]): JsonValue {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return checkedTime(value, path);
    case "google.protobuf.Struct":
      return object(value, path);
    case "google.protobuf.Value":
      return value;
    default:
      return knownPart(message, object(value, path), `${path}.`, unknown);
  }
}

/** By name; a number stands for itself, as proto3 has it. */
function checkedEnum(names: DescEnum, value: JsonValue, path: string): JsonValue {
  if (typeof value === "number" || names.values.some(({ name }) => name === value)) return value;
  throw invalid(`${path}: ${shown(value)} is not one of ${names.values.map(({ name }) => name).join(", ")}`);
}

function checkedTime(value: JsonValue, path: string): JsonValue {
  try {
    fromJson(TimestampSchema, value);
    return value;
  } catch {
    throw invalid(`${path}: ${shown(value)} is not a time; expected RFC 3339, e.g. "2026-01-31T12:00:00Z"`);
  }
}

function object(value: JsonValue, path: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalid(`${path}: expected a JSON object`);
}

/** The fields of a request that its query can set by their own name, in the proto's order. */
export function queryFields(
  input: DescMessage,
  { body, path }: { readonly body: Parts["body"]; readonly path: ReadonlySet<DescField> },
): readonly DescField[] {
  if (body === "whole") return [];
  return input.fields.filter((field) => field !== body && !path.has(field) && isQueryable(field, field.name));
}

/** `a.b[]` → its fields; undefined where there is no such field that a query can set. */
function fieldPath(input: DescMessage, key: string): readonly DescField[] | undefined {
  const path: DescField[] = [];
  let message: DescMessage | undefined = input;
  for (const name of key.replace(/\[\]$/, "").split(".")) {
    const field: DescField | undefined = message && fieldNamed(message, name);
    if (field === undefined) return undefined;
    path.push(field);
    message =
      field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf.")
        ? field.message
        : undefined;
  }
  const last = path.at(-1);
  return last !== undefined && isQueryable(last, key) ? path : undefined;
}

function isQueryable(field: DescField, key: string): boolean {
  if (field.fieldKind === "list") return field.listKind !== "message";
  if (key.endsWith("[]") || field.fieldKind === "map") return false;
  return field.fieldKind !== "message" || field.message.typeName === TimestampSchema.typeName;
}

function setQuery(
  json: Record<string, JsonValue>,
  path: readonly DescField[],
  key: string,
  values: readonly string[],
): void {
  let at = json;
  for (const field of path.slice(0, -1)) at = (at[field.jsonName] ??= {}) as Record<string, JsonValue>;
  const field = path.at(-1)!; // fieldPath gives at least one.
  if (field.fieldKind === "list") {
    const earlier = (at[field.jsonName] ?? []) as readonly JsonValue[]; // `a=1&a[]=2` are two keys.
    at[field.jsonName] = [...earlier, ...values.map((value) => fromText(field, value, key))];
    return;
  }
  const [value = "", another] = values;
  if (another !== undefined || Object.hasOwn(at, field.jsonName)) throw invalid(`${key}: given more than once`);
  at[field.jsonName] = fromText(field, value, key);
}

/** What a query can only say as text, as JSON has it. Numbers stay text: proto3 JSON reads both. */
function fromText(field: DescField, text: string, key: string): JsonValue {
  if (field.fieldKind === "message") return checkedTime(text, key);
  if (field.enum !== undefined) return checkedEnum(field.enum, /^\d+$/.test(text) ? Number(text) : text, key);
  if (field.scalar !== ScalarType.BOOL) return text;
  // The spellings of Go's strconv.ParseBool, "True" of Python among them.
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw invalid(`${key}: ${shown(text)} is not true or false`);
}

function fieldNamed(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.jsonName === name || field.name === name);
}

function toMessage(input: DescMessage, json: JsonObject): Message {
  if (Object.keys(json).length === 0) return create(input);
  try {
    return fromJson(input, json);
  } catch (error) {
    const cause = (error as Error).cause;
    if (isFieldError(cause)) throw invalid(`${fieldNameOf(cause.field())}: ${cause.message}`);
    throw invalid((error as Error).message);
  }
}

/** For a message: short, whatever the caller sent. */
function shown(value: JsonValue): string {
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return JSON.stringify(typeof value === "string" && value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

const fieldNameOf = (field: { readonly name: string; readonly jsonName?: string }) => field.jsonName ?? field.name;
const invalid = (message: string) => new Refusal("invalid", message);
