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
import { readSources, type PolicySources } from "./coverage-of.ts";
import { policyValues } from "./policy-keys.ts";
import type { Server } from "./recovery-comment.ts";

export function effectivePolicy(sources: PolicySources, server: Server = {}): JsonObject | undefined {
  const { coverage, given, origin } = readSources(sources, server);
  if (coverage.kind === "not-covered") return undefined;
  const row = (key: string, value: JsonValue = null) =>
    [key, { value, origin: given.has(key) ? origin : "default" }] as const;
  return Object.fromEntries(policyValues(coverage.policy).map(([key, value]) => row(key, value)));
}
