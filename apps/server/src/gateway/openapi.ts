/**
 * openapi: what `GET /openapi.json` says: every RPC of this server, and what it answers besides.
 *
 * Gives   the JSON text, made once. Needs no token: what it tells is in the source too.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { protoComments } from "@reprise/protocol/gen/proto-comments.ts";
import { openApi } from "@reprise/protocol/openapi/openapi.ts";
import type { Schema } from "@reprise/protocol/openapi/schema.ts";
import type { Route } from "@reprise/protocol/transcode.ts";
import { legacyKeyPaths } from "./legacy-keys.ts";
import { mayCall } from "./roles.ts";

/** Of the API, not of the program: it changes with what callers can see. */
const version = "1.0.0";

/** @param prefix What stands before every path of this listener; empty for none. */
export function openApiText(routes: readonly Route[], prefix = ""): string {
  const served = { routes, comments: protoComments, version, serverUrl: prefix === "" ? "/" : prefix };
  const needsToken = ({ parent, name }: DescMethod) => mayCall[`${parent.typeName}/${name}`] !== "everybody";
  return JSON.stringify(openApi({ ...served, needsToken, besides: { ...probePaths, ...legacyKeyPaths } }));
}

const answers = (description: string, schema: Schema): Schema => ({
  description,
  content: { "application/json": { schema } },
});
const probe = (operationId: string, summary: string, responses: Schema): Schema => ({
  get: { operationId, tags: ["Server"], summary, security: [], responses: { ...responses, "4XX": refused } },
});
const refused: Schema = { $ref: "#/components/responses/Refused" };
const ready: Schema = { type: "object", required: ["ready"], properties: { ready: { type: "boolean" } } };

const probePaths: Readonly<Record<string, Schema>> = {
  "/healthz": probe("getHealth", "Is the process alive?", { "200": answers("It is.", { type: "object" }) }),
  "/readyz": probe("getReadiness", "Does it serve?", {
    "200": answers("It does.", ready),
    "503": answers("Not yet, or no longer.", ready),
  }),
  "/openapi.json": probe("getOpenApi", "This document", { "200": answers("OpenAPI 3.1.", { type: "object" }) }),
};
