/** dag.example: jobs that wait for each other, in short words, for tables. */
import type { DagDependency, Instant } from "../nouns.ts";
import { defaultPolicy } from "../policy/policy.example.ts";
import type { GraphAttempt } from "./graph.ts";

export const t0: Instant = 1_800_000_000_000;

/** `12`: that job succeeded; `name:train`, `12:on_failure`, `name:train:on_start`: as they say. */
export function dependency(text: string): DagDependency {
  const [first = "", second, third] = text.split(":");
  const trigger = ((first === "name" ? third : second) ?? "on_success") as DagDependency["trigger"];
  return first === "name" ? { jobName: second ?? "", trigger } : { jobId: first, trigger };
}

/** An attempt 0 that is queued and waits for the dependencies. Its UUID is its job ID and index. */
export function waiting(jobId: string, ...dependencies: readonly string[]): GraphAttempt {
  return attempt(jobId, { coverage: covered(dependencies) });
}

export function attempt(jobId: string, change: Partial<GraphAttempt> = {}): GraphAttempt {
  const attemptIndex = change.attemptIndex ?? 0;
  return {
    heimdallJobId: `${jobId}-${attemptIndex}`,
    cluster: "default",
    jobId,
    incarnation: 0,
    attemptIndex,
    workflowId: "w",
    status: "PENDING",
    jmState: "PENDING",
    coverage: covered([]),
    submitAt: t0 + Number(jobId) * 1_000,
    isDecided: true,
    ...change,
  };
}

const covered = (dependencies: readonly string[]): GraphAttempt["coverage"] => ({
  kind: "covered",
  policy: { ...defaultPolicy, dagDependencies: dependencies.map(dependency) },
  warnings: [],
});
