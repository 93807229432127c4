/**
 * schema: messages and enums of the proto as JSON Schema, as the transcoder reads and writes them.
 *
 * Gives   `components.schemas`, keyed by full name, of everything that the routes reach.
 * Pure    throws at start-up on what the proto should not have (maps, bytes, groups).
 * Source  protobuf.dev, ProtoJSON; OpenAPI 3.1 is JSON Schema 2020-12.
 */
import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { boundsOf } from "./bounds.ts";

export type Json = { readonly [key: string]: Json } | readonly Json[] | string | number | boolean;
export type Schema = { readonly [key: string]: Json };
/** What the proto says of a name; `proto-comments.ts` has it. */
export type Comments = Readonly<Record<string, string>>;

export const refTo = ({ typeName }: DescMessage | DescEnum): Schema => ({ $ref: `#/components/schemas/${typeName}` });

/** A comment names fields as the proto does; over JSON they are called otherwise. */
export const inJson = (comment: string): string =>
  comment.replaceAll(/`[a-z][a-z0-9_.]*`/g, (name) =>
    name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );

const described = (schema: Schema, comment: string | undefined): Schema =>
  comment === undefined ? schema : { ...schema, description: inJson(comment) };

/** What the routes read from bodies, write as answers, and ask in queries. */
export interface Reached {
  readonly read: readonly DescMessage[];
  /** What is only ever written has those of its fields always that cannot be unset. */
  readonly written: readonly DescMessage[];
  readonly asked: readonly DescEnum[];
}

export function schemasOf({ read, written, asked }: Reached, comments: Comments): Readonly<Record<string, Schema>> {
  const taken = reachedFrom(read);
  const all = new Set([...taken, ...reachedFrom(written), ...asked]);
  const schemas = [...all].map((type): [string, Schema] => [
    type.typeName,
    type.kind === "enum" ? enumSchema(type, comments) : messageSchema(type, !taken.has(type), comments),
  ]);
  return Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The messages and enums that the JSON of these is made of, but for Google's own. */
export function reachedFrom(messages: readonly DescMessage[]): ReadonlySet<DescMessage | DescEnum> {
  const reached = new Set<DescMessage | DescEnum>();
  const visit = (message: DescMessage) => {
    if (reached.has(message) || isWellKnown(message)) return;
    reached.add(message);
    for (const { message: part, enum: names } of message.fields) {
      if (part !== undefined) visit(part);
      if (names !== undefined) reached.add(names);
    }
  };
  for (const message of messages) visit(message);
  return reached;
}

function messageSchema(message: DescMessage, isOnlyAnswered: boolean, comments: Comments): Schema {
  const properties = Object.fromEntries(
    message.fields.map((field) => [field.jsonName, fieldSchema(field, comments)] as const),
  );
  const always = message.fields.filter((field) => (isOnlyAnswered ? isAlwaysWritten(field) : isRequired(field)));
  const required = always.map(({ jsonName }) => jsonName);
  return described(
    { type: "object", properties, ...(required.length === 0 ? {} : { required }) },
    comments[message.typeName],
  );
}

const isAlwaysWritten = (field: DescField) =>
  field.fieldKind === "list" || (!field.proto.proto3Optional && field.fieldKind !== "message");
export const isRequired = (field: DescField) => boundsOf[fullName(field)]?.required === true;
export const fullName = ({ parent, name }: DescField) => `${parent.typeName}.${name}`;

/** One field of a body, or one parameter of a query. */
export function fieldSchema(field: DescField, comments: Comments): Schema {
  const { required: _, items, ...bounds } = boundsOf[fullName(field)] ?? {};
  const one = valueSchema(field);
  const schema =
    field.fieldKind === "list" ? { type: "array", items: { ...one, ...items }, ...bounds } : { ...one, ...bounds };
  return described(schema, comments[fullName(field)]);
}

function valueSchema(field: DescField): Schema {
  if (field.fieldKind === "map") throw new Error(`${fullName(field)}: a map is not supported`);
  if (field.message !== undefined) return wellKnown[field.message.typeName] ?? refTo(field.message);
  if (field.enum !== undefined) return refTo(field.enum);
  const schema = scalars[field.scalar as ScalarType];
  if (schema === undefined) throw new Error(`${fullName(field)}: its type is not supported`);
  return schema;
}

const scalars: Readonly<Partial<Record<ScalarType, Schema>>> = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.DOUBLE]: { type: "number", format: "double" },
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  // JavaScript loses the last digits of a large number: text, as proto3 has it.
  [ScalarType.INT64]: { type: "string", format: "int64", pattern: "^-?[0-9]+$" },
};

const isWellKnown = ({ typeName }: DescMessage) => Object.hasOwn(wellKnown, typeName);
const wellKnown: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Value": {},
};

function enumSchema(names: DescEnum, comments: Comments): Schema {
  return described({ type: "string", enum: names.values.map(({ name }) => name) }, comments[names.typeName]);
}
