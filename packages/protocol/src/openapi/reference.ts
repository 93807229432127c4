/**
 * reference: docs/api-reference.md: every operation, message and enum of the proto, with what it says about each.
 *
 * Pure    the same input gives the same text.
 */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import type { Route } from "../transcode.ts";
import { queryFields } from "../transcode/bind.ts";
import { type Bounds, boundsOf } from "./bounds.ts";
import { methodName, pathFields, pathOf } from "./openapi.ts";
import { type Comments, fullName, inJson, reachedFrom } from "./schema.ts";

export function reference(routes: readonly Route[], comments: Comments): string {
  const used = [...reachedFrom(routes.flatMap(({ method }) => [method.input, method.output]))];
  const named = used.sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  const parts = [
    "# API reference",
    "Written by `make golden` from `packages/protocol/proto` and `packages/protocol/src/openapi/bounds.ts`; " +
      "rules and examples: [api.md](api.md). The server gives the same as OpenAPI 3.1: `GET /openapi.json`.",
    "## Operations",
    ...routes.flatMap((route) => operation(route, comments)),
    "## Messages",
    ...named.flatMap((type) => (type.kind === "message" && type.fields.length > 0 ? message(type, comments) : [])),
    "## Enums",
    ...named.flatMap((type) => (type.kind === "enum" ? enumeration(type, comments) : [])),
  ];
  return `${parts.join("\n\n")}\n`;
}

function operation(route: Route, comments: Comments): readonly string[] {
  const { method, body } = route;
  const query = queryFields(method.input, { body, path: new Set(pathFields(route)) });
  const keys = query.map((field) => `\`${field.jsonName}\``).join(", ");
  const lines = [
    `\`${route.httpMethod} ${pathOf(route)}\``,
    ...(keys === "" ? [] : [`query ${keys}`]),
    ...(body === undefined ? [] : [`body ${linked(body === "whole" ? method.input : (body.message as DescMessage))}`]),
    `${query.length > 0 ? `fields ${linked(method.input)}, ` : ""}answer ${method.methodKind === "server_streaming" ? "a stream of " : ""}${linked(method.output)}`,
  ];
  return [`### ${method.name}`, ...sentence(comments[methodName(method)]), lines.join("; ")];
}

function message(type: DescMessage, comments: Comments): readonly string[] {
  const rows = type.fields.map(
    (field) =>
      `| \`${field.jsonName}\` | ${typeOf(field)} | ${cell([boundsText(boundsOf[fullName(field)]), comments[fullName(field)]])} |`,
  );
  return [
    `### ${type.name}`,
    ...sentence(comments[type.typeName]),
    ["| field | type | |", "| --- | --- | --- |", ...rows].join("\n"),
  ];
}

function enumeration(type: DescEnum, comments: Comments): readonly string[] {
  const values = type.values.map(({ name, number }) => `\`${name}\` ${number}`).join(", ");
  return [`### ${type.name}`, ...sentence(comments[type.typeName]), values];
}

function typeOf(field: DescField): string {
  const type = field.message ?? field.enum;
  const one =
    type === undefined ? scalarName(field) : type.typeName.startsWith("google.") ? wellKnown(type.name) : linked(type);
  return field.fieldKind === "list" ? `list of ${one}` : one;
}

const scalarNames: Readonly<Record<number, string>> = {
  1: "number",
  3: "int64, as text",
  5: "int32",
  8: "boolean",
  9: "string",
};
const scalarName = (field: DescField) => scalarNames[field.scalar ?? 0] ?? "";
const wellKnown = (name: string) => (name === "Timestamp" ? "time" : name === "Struct" ? "object" : "any JSON");

function boundsText(bounds: Bounds | undefined): string | undefined {
  if (bounds === undefined) return undefined;
  const { required, minLength = 0, maxLength, minimum, maximum, default: usual, maxItems, format, items } = bounds;
  const parts = [
    required && "required",
    format === "uuid" && "a UUID",
    maxLength !== undefined && `${minLength} to ${maxLength} characters`,
    minimum !== undefined && (maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`),
    usual !== undefined && `default ${usual}`,
    maxItems !== undefined && `at most ${maxItems}`,
    items !== undefined && `each ${boundsText(items)}`,
  ].filter((part) => typeof part === "string");
  return `${parts.join(", ")}.`;
}

/** A table's cell has one line, and no bar of its own. */
const cell = (parts: readonly (string | undefined)[]) =>
  inJson(parts.filter((part) => part !== undefined).join(" ")).replaceAll("|", "\\|");
const sentence = (comment: string | undefined) => (comment === undefined ? [] : [inJson(comment)]);
const linked = ({ name }: DescMessage | DescEnum) => `[${name}](#${name.toLowerCase()})`;
