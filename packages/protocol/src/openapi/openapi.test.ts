/**
 * Goal    the OpenAPI document and the reference say what is served: every operation, field, bound and refusal, and nothing else.
 * Method  walks over the whole document; whole operations and schemas written out; the reference is a golden file, rewritten by
 *         `make golden`. Whether it is valid OpenAPI is tested with the server (gateway/openapi.test.ts), by an independent linter.
 */
import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AuditService } from "../gen/heimdall/v1/audit_pb.ts";
import { HeimdallService } from "../gen/heimdall/v1/heimdall_pb.ts";
import { protoComments } from "../gen/proto-comments.ts";
import * as access from "../gen/reprise/v1/access_pb.ts";
import * as signIn from "../gen/reprise/v1/sign_in_pb.ts";
import * as reprise from "../gen/reprise/v1/reprise_pb.ts";
import { createTranscoder } from "../transcode.ts";
import { boundsOf } from "./bounds.ts";
import { openApi } from "./openapi.ts";
import { reference } from "./reference.ts";
import { reachedFrom } from "./schema.ts";

const ours = Object.values({ ...reprise, ...access, ...signIn }).flatMap((one) =>
  "kind" in one && one.kind === "service" ? [one] : [],
);
const { routes } = createTranscoder([HeimdallService, AuditService, ...ours]);
const document = openApi({
  routes,
  comments: protoComments,
  version: "1",
  serverUrl: "/",
  besides: {},
  needsToken: () => true,
});
const at = (path: string): unknown =>
  path.split(" ").reduce((value: unknown, key) => (value as Record<string, unknown>)[key], document);

test("every route is there, and every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  for (const { method } of routes) expect(text).toContain(`"operationId":"${method.name}"`);
  const names = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((m) => m[1] ?? "");
  expect(names.length).toBeGreaterThan(50);
  for (const name of new Set(names)) expect(at(name.replaceAll("/", " ")), name).toBeDefined();
});

test("an operation has its parameters, bounds, answer and refusals", () => {
  expect(at("paths /v1/jobs/by-scheduler-id/{schedulerJobId} get")).toEqual({
    operationId: "GetJobsBySchedulerId",
    tags: ["HeimdallService"],
    summary: "GetJobsBySchedulerId",
    description: "All attempts of one scheduler job, attempt index ascending.",
    parameters: [
      { name: "schedulerJobId", in: "path", required: true, schema: { type: "string", minLength: 1, maxLength: 256 } },
      { name: "page", in: "query", description: "Decimal zero-based offset.", schema: { type: "string" } },
      {
        name: "limit",
        in: "query",
        description: "Default 100; above 250 counts as 250.",
        schema: { type: "integer", format: "int32", minimum: 0, default: 100 },
      },
    ],
    responses: {
      "200": {
        description: "Done.",
        headers: { "Reprise-Ignored-Fields": { $ref: "#/components/headers/IgnoredFields" } },
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/heimdall.v1.GetJobsBySchedulerIdResponse" } },
        },
      },
      "4XX": { $ref: "#/components/responses/Refused" },
      "5XX": { $ref: "#/components/responses/Failed" },
    },
  });
  expect(at("paths /v1/workflows:lookup get parameters 0")).toMatchObject({ name: "workflowId", required: true });
  expect(at("paths /v1/advice/{heimdallJobId}/reconciliation-status put requestBody")).toEqual({
    required: true,
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/heimdall.v1.AdviceReconciliationStatus" } },
    },
  });
  expect(at("paths /reprise/v1/watch get responses 200 content text/event-stream")).toBeDefined();
});

test("a body has what is required of it; an answer has what is always there", () => {
  const request = at("components schemas heimdall.v1.CreateOrUpdateJobRequest");
  expect(request).toMatchObject({ required: ["workflowId"] });
  expect(request).toMatchObject({ properties: { allocatedNodes: { maxItems: 20_000, items: { maxLength: 255 } } } });
  expect(at("components schemas heimdall.v1.GetJobsResponse")).toMatchObject({
    required: ["jobs", "count", "nextPageToken"],
  });
  expect(at("components schemas heimdall.v1.Job")).toMatchObject({ required: ["nodes"] });
  expect(at("components schemas heimdall.v1.Advice properties generation")).toMatchObject({
    type: "string",
    format: "int64",
  });
});

test("a description names fields as JSON does", () => {
  const parameters = at("paths /v1/jobs get parameters") as { description?: string }[];
  expect(parameters.map(({ description }) => description)).toContain(
    "Decimal zero-based offset. Excludes `pageNumber`.",
  );
});

test("every bound is of a field that there is", () => {
  const messages = routes.flatMap(({ method }): DescMessage[] => [method.input, method.output]);
  const fields = [...reachedFrom(messages)].flatMap((type) =>
    type.kind === "message" ? type.fields.map(({ name }) => `${type.typeName}.${name}`) : [],
  );
  expect(Object.keys(boundsOf).filter((name) => !fields.includes(name))).toEqual([]);
});

test("docs/api-reference.md is what the proto says", async () => {
  await expect(reference(routes, protoComments)).toMatchFileSnapshot("../../../../docs/api-reference.md");
});
