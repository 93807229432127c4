/**
 * openapi: the services as one OpenAPI 3.1 document: paths, parameters, bodies, answers, refusals.
 *
 * Takes   the routes that the transcoder serves, what the proto says about them, and what the server has besides RPCs.
 * Gives   a value for JSON.stringify; the same input gives the same bytes.
 * Pure
 * Keeps   what is documented is what is served: both come from the same routes.
 */
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { grpcCode } from "../refusal.ts";
import type { Route } from "../transcode.ts";
import { queryFields } from "../transcode/bind.ts";
import {
  type Comments,
  type Json,
  fieldSchema,
  inJson,
  isRequired,
  type Reached,
  refTo,
  type Schema,
  schemasOf,
} from "./schema.ts";

export interface Served {
  readonly routes: readonly Route[];
  readonly comments: Comments;
  readonly version: string;
  /** Path of the root as callers see it. */
  readonly serverUrl: string;
  /** What is served besides RPCs: path → method → operation. */
  readonly besides: Readonly<Record<string, Schema>>;
  /** Whoever calls must say who he is. */
  needsToken(method: DescMethod): boolean;
}

export function openApi({ routes, comments, version, serverUrl, besides, needsToken }: Served): Schema {
  const services = [...new Set(routes.map(({ method }) => method.parent))];
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = {
      ...paths[path],
      [route.httpMethod.toLowerCase()]: operationOf(route, comments, needsToken(route.method)),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Reprise",
      version,
      description:
        "Brings long training jobs on Slurm back. Times are RFC 3339; int64 is text; an unset field is left out. " +
        "`/v1` ignores fields that it does not know and names them in the header Reprise-Ignored-Fields; `/reprise/v1` refuses them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: services.map(({ name, typeName }) => ({ name, description: inJson(comments[typeName] ?? typeName) })),
    paths: { ...paths, ...besides },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema, ...schemasOf(messagesOf(routes), comments) },
      responses: { Refused: refusedResponse, Failed: failedResponse },
      headers: { IgnoredFields: ignoredFields },
    },
  };
}

/** `/v1/jobs/{heimdall_job_id}` → `/v1/jobs/{heimdallJobId}`. */
export function pathOf({ method, path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${fieldNamed(method, name).jsonName}}`);
}

function fieldNamed(method: DescMethod, name: string): DescField {
  const field = method.input.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${method.input.typeName} has no field ${name}`);
  return field;
}

export function pathFields({ method, template }: Route): readonly DescField[] {
  return template.segments.flatMap((segment) =>
    segment.kind === "variable" ? [fieldNamed(method, segment.field)] : [],
  );
}

export const methodName = ({ parent, name }: DescMethod): string => `${parent.typeName}.${name}`;

function messagesOf(routes: readonly Route[]): Reached {
  return {
    read: routes.flatMap(({ method, body }) => (body === "whole" ? [method.input] : (body?.message ?? []))),
    written: routes.map(({ method }) => method.output),
    asked: routes.flatMap(({ method }) => method.input.fields.flatMap((field) => field.enum ?? [])),
  };
}

function operationOf(route: Route, comments: Comments, needsToken: boolean): Schema {
  const { method, body } = route;
  const name = methodName(method);
  const parameters = parametersOf(route, comments);
  return {
    operationId: method.name,
    tags: [method.parent.name],
    summary: method.name,
    ...(needsToken ? {} : { security: [] }),
    ...(comments[name] === undefined ? {} : { description: inJson(comments[name]) }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(method, body, comments) }),
    responses: { "200": answerOf(method), "4XX": responseRef("Refused"), "5XX": responseRef("Failed") },
  };
}

function parametersOf(route: Route, comments: Comments): readonly Schema[] {
  const inPath = pathFields(route);
  return [
    ...inPath.map((field) => ({ ...parameter(field, comments), in: "path", required: true })),
    ...queryFields(route.method.input, { body: route.body, path: new Set(inPath) }).map((field) => ({
      ...parameter(field, comments),
      in: "query",
      ...(isRequired(field) ? { required: true } : {}),
    })),
  ];
}

function parameter(field: DescField, comments: Comments): Schema {
  const { description, ...schema } = fieldSchema(field, comments);
  return { name: field.jsonName, ...(description === undefined ? {} : { description }), schema };
}

function requestBody(method: DescMethod, body: "whole" | DescField, comments: Comments): Json {
  const schema = body === "whole" ? refTo(method.input) : fieldSchema(body, comments);
  return { required: true, content: { "application/json": { schema } } };
}

function answerOf(method: DescMethod): Schema {
  const schema = refTo(method.output);
  const ignores = method.parent.file.proto.package === "heimdall.v1";
  if (method.methodKind === "server_streaming")
    return {
      description: "One event for each message, its `data` being the message's JSON.",
      content: { "text/event-stream": { schema } },
    };
  return {
    description: "Done.",
    ...(ignores ? { headers: { "Reprise-Ignored-Fields": { $ref: "#/components/headers/IgnoredFields" } } } : {}),
    content: { "application/json": { schema } },
  };
}

const responseRef = (name: string): Schema => ({ $ref: `#/components/responses/${name}` });

const codes = Object.entries(grpcCode).map(([name, code]) => `${code} ${name}`);
const errorSchema: Schema = {
  type: "object",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", minimum: 1, maximum: 16, description: `The gRPC code: ${codes.slice(1).join(", ")}.` },
    message: { type: "string", description: "Names the field, the value and what was expected." },
    details: { type: "array", items: { type: "object" }, description: "Always empty." },
  },
};
const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
const refusedResponse: Schema = {
  description:
    "Refused, and nothing was changed. 400 INVALID_ARGUMENT or FAILED_PRECONDITION, 401 UNAUTHENTICATED, 403 PERMISSION_DENIED, " +
    "404 NOT_FOUND, 405 (with Allow) UNIMPLEMENTED, 409 ALREADY_EXISTS or ABORTED, 429 RESOURCE_EXHAUSTED.",
  content: errorContent,
};
const failedResponse: Schema = {
  description:
    "500 INTERNAL, 501 UNIMPLEMENTED, 503 UNAVAILABLE, 504 DEADLINE_EXCEEDED. 503 and 504 may be tried again.",
  content: errorContent,
};
const ignoredFields: Schema = {
  description: "Fields and parameters of the request that this API does not have, separated by commas. Absent: none.",
  schema: { type: "string" },
};
