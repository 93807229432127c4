/** decide.example: a healthy attempt and its policy, for tables of decisions to change in one way each. */
import type { AttemptRecord, Instant, Policy, Signal } from "../nouns.ts";
import { defaultPolicy } from "../policy/policy.example.ts";
import type { Facts } from "../situation/situation.ts";

export const policy: Policy = defaultPolicy;

/** Everything in these examples happens around this time. */
export const t0: Instant = 1_800_000_000_000;

export const attempt: AttemptRecord = {
  heimdallJobId: "00000000-0000-5000-8000-000000000000",
  cluster: "default",
  jobId: "123",
  attemptIndex: 0,
  incarnation: 0,
  workflowId: "w",
  nodes: ["n1", "n2"],
  gpuCountPerNode: 8,
  nodeConstraints: { exclusions: [], inclusions: [] },
  status: "RUNNING",
  jmState: "RUNNING",
  schedulerMetadata: {
    slurm: { slurmState: "RUNNING", partition: "gpu", submitTime: t0 - 60_000, exitCode: 0, signal: 0, reason: "None" },
  },
  coverage: { kind: "covered", policy, warnings: [] },
  startedAt: t0 - 50_000,
  createdAt: t0 - 60_000,
  updatedAt: t0,
  lastSeenAt: t0,
};

export const nodes = ["n1", "n2", "n3", "n4"].map((name) => ({ name, isEligible: true, partitions: ["gpu"] }));

/** Running, step 12 just printed, the log read up to now. */
export const healthy: Facts = {
  attempt,
  progress: {
    firstStep: 1,
    lastStep: 12,
    lastStepAt: t0,
    stepSpacingMs: 100,
    checkpointStep: 10,
    logReadAt: t0 + 60_000,
  },
  signals: [],
  earlier: [],
  pass: { takenAt: t0, completeHeardAt: t0 },
  nodes,
};

export function failed(
  state: "FAILED" | "TIMEOUT" | "NODE_FAIL" | "OUT_OF_MEMORY" | "PREEMPTED",
  exitCode = 1,
): AttemptRecord {
  const status = state === "PREEMPTED" ? "STOPPED" : "FAILED";
  const slurm = {
    ...(attempt.schedulerMetadata["slurm"] as object),
    slurmState: state,
    reason: "NonZeroExitCode",
    exitCode,
  };
  return { ...attempt, status, jmState: state, schedulerMetadata: { slurm }, endedAt: t0 };
}

export function crash(change: Partial<Signal> = {}): Signal {
  const at = change.at ?? t0;
  return {
    kind: "crash",
    at,
    evidence: { source: "log", line: "CUDA error: uncorrectable ECC error encountered", path: "/out", offset: 100, at },
    cause: "cuda-ecc-uncorrectable",
    causeClass: "hardware-node",
    domain: "hardware",
    root: true,
    exitIndependent: true,
    nodes: ["n2"],
    step: 12,
    ...change,
  };
}
