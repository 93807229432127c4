/**
 * legacy-keys: the API key endpoints of the original, which it has switched off: they always answer the same.
 *
 * Source  api.md §1, the last row.
 */
import type { Schema } from "@reprise/protocol/openapi/schema.ts";
import { grpcCode, toHttpError } from "@reprise/protocol/refusal.ts";

const methods = ["get", "post", "put", "delete"];
const message = "API key management is disabled.";

/** @returns Undefined where it is another endpoint. Asked before anything else: the answer tells nobody anything. */
export function legacyKeys(httpMethod: string, path: string): ReturnType<typeof toHttpError> | undefined {
  if (!/^\/v1\/keys(?:$|\/)/.test(path) || !methods.includes(httpMethod.toLowerCase())) return undefined;
  return toHttpError({ code: grpcCode.internal, message });
}

const operation = (httpMethod: string, path: string): Schema => ({
  operationId: `${httpMethod}LegacyKey${path.includes("{") ? "" : "s"}`,
  tags: ["Server"],
  summary: "Switched off",
  deprecated: true,
  security: [],
  responses: { "500": { $ref: "#/components/responses/Failed" }, "4XX": { $ref: "#/components/responses/Refused" } },
});
const operations = (path: string): Schema =>
  Object.fromEntries(methods.map((httpMethod) => [httpMethod, operation(httpMethod, path)]));
const keyId = [{ name: "keyId", in: "path", required: true, schema: { type: "string" } }];

/** For the OpenAPI document. */
export const legacyKeyPaths: Readonly<Record<string, Schema>> = {
  "/v1/keys": operations("/v1/keys"),
  "/v1/keys/{keyId}": { parameters: keyId, ...operations("/v1/keys/{keyId}") },
};
