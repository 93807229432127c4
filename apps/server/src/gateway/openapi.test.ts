/**
 * Goal    what the server says of itself is valid OpenAPI 3.1, and names everything that it serves.
 * Method  the document of all services, judged by an independent linter that knows nothing of us.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTranscoder } from "@reprise/protocol/transcode.ts";
import { expect, onTestFinished, test } from "vitest";
import { openApiText } from "./openapi.ts";
import { servicesOf, signInServiceOf } from "./services.ts";

/** No route is called. */
const services = [...servicesOf({} as Parameters<typeof servicesOf>[0]), signInServiceOf(undefined)];
const { routes } = createTranscoder(services.map(({ desc }) => desc));
const text = openApiText(routes);

test("it is valid to an independent linter, without a warning", () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "openapi.json"), text);
  // Off: the legacy keys are documented, and never succeed. The next test asks it of all others.
  writeFileSync(
    join(folder, "redocly.yaml"),
    "extends: [recommended-strict]\nrules: { operation-2xx-response: off }\n",
  );
  const redocly = fileURLToPath(new URL("../../../../node_modules/.bin/redocly", import.meta.url));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  let report = "";
  try {
    execFileSync(redocly, ["lint", "openapi.json", "--format=stylish"], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    report = String((error as { stdout?: string }).stdout) + String((error as { stderr?: string }).stderr);
  }
  expect(report).toBe("");
}, 60_000);

test("it names every RPC's path, the probes and the legacy keys", () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { responses?: object }>> };
  for (const path of [
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/v1/keys",
    "/v1/keys/{keyId}",
    "/v1/jobs/{heimdallJobId}",
  ])
    expect(Object.keys(paths)).toContain(path);
  for (const [path, methods] of Object.entries(paths).filter(([path]) => !path.startsWith("/v1/keys")))
    for (const { responses } of Object.values(methods)) expect(Object.keys(responses ?? {}), path).toContain("200");
  expect(Object.keys(paths).length).toBeGreaterThanOrEqual(new Set(routes.map(({ path }) => path)).size);
});

test("only what everybody may call needs no token: the sign-in, and whether the server lives", () => {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { security?: readonly object[] }>> };
  const served = Object.entries(paths).filter(([path]) => !path.startsWith("/v1/keys")); // Those refuse everybody.
  const open = served.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => (security?.length === 0 ? [`${method} ${path}`] : [])),
  );
  expect(open.sort()).toEqual([
    "get /healthz",
    "get /openapi.json",
    "get /readyz",
    "get /reprise/v1/sign-in",
    "post /reprise/v1/sign-in",
  ]);
});

test("behind a prefix, it says so", () => {
  expect((JSON.parse(openApiText(routes, "/heimdall")) as { servers: object }).servers).toEqual([{ url: "/heimdall" }]);
});
