/**
 * Goal    a receiver of traces is named as OpenTelemetry names it: a path is added to the endpoint of all signals, and never to that of traces.
 */
import { Command } from "commander";
import { expect, test } from "vitest";
import { addConfigFlags } from "./config-flags.ts";
import { loadConfig } from "./config-load.ts";
import { serverConfig } from "./config-slices.ts";
import { fakeConsole } from "./testing/fake-console.ts";

function tracesUrl(variables: Record<string, string>, ...flags: string[]): string | undefined {
  const command = addConfigFlags(new Command("up").exitOverride());
  command.parse(flags, { from: "user" });
  return serverConfig(loadConfig(command, fakeConsole(variables)).values).tracesUrl;
}

const base = "OTEL_EXPORTER_OTLP_ENDPOINT";
const ofTraces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

test.each([
  ["nowhere by default", {}, [], undefined],
  ["the path is added", { [base]: "http://c:4318" }, [], "http://c:4318/v1/traces"],
  ["behind another path too", { [base]: "https://c/otlp/" }, [], "https://c/otlp/v1/traces"],
  ["that of traces is whole", { [base]: "http://c:4318", [ofTraces]: "http://d/in" }, [], "http://d/in"],
  ["a flag goes first", { [base]: "http://c:4318" }, ["--otlp-endpoint", "http://e:1"], "http://e:1/v1/traces"],
] as const)("%s", (_what, variables, flags, url) => {
  expect(tracesUrl(variables, ...flags)).toBe(url);
});

test("what is no URL is refused, with its key", () => {
  expect(() => tracesUrl({ [base]: "collector:4317" })).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT.*http:\/\//);
});
