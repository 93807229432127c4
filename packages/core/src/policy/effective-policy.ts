/**
 * effective-policy: what holds for a job in the end, and who said so.
 *
 * Takes        the same sources as `coverageOf`.
 * Gives        for `schedulerMetadata.recovery.policy`: each key with its value and where that comes from, as
 *              `{"max_requeue_times": {"value": 3, "origin": "default"}}`. A key without value and default has the value null.
 *              Undefined when the job is not covered.
 * Pure, total
 */
import type { JsonObject, JsonValue } from "../nouns.ts";
import { type Origin, type PolicyServer, type PolicySources, readSources, type SourcesReading } from "./coverage-of.ts";
import { policyValues } from "./policy-keys.ts";

export function effectivePolicy(sources: PolicySources, server: PolicyServer = {}): JsonObject | undefined {
  const reading = readSources(sources, server);
  if (reading.coverage.kind === "not-covered") return undefined;
  const row = (key: string, value: JsonValue = null) => [key, { value, origin: originOf(key, reading) }] as const;
  return Object.fromEntries(policyValues(reading.coverage.policy).map(([key, value]) => row(key, value)));
}

function originOf(key: string, { given, lowered, site, source }: SourcesReading): Origin {
  if (lowered.has(key)) return "site cap";
  if (given.has(key)) return source;
  return site.given.has(key) ? "site default" : "default";
}
