/**
 * any-situation.example: facts of every sort that the types allow, from a seed; sense is not asked for.
 *
 * Gives   the same row of facts for the same seed; made so cheaply that a million of them are a matter of seconds.
 */
import { against } from "../evidence/evidence.example.ts";
import { type Ledger, ledgerOf } from "../evidence/ledger.ts";
import type { Gate } from "../dag/gates.ts";
import type {
  Advice,
  AttemptRecord,
  CauseClass,
  Coverage,
  Domain,
  Exclusion,
  Instant,
  JmState,
  JobStatus,
  Policy,
  Progress,
  ReconciliationReason,
  Signal,
  SignalKind,
} from "../nouns.ts";
import type { Override } from "../override/override.ts";
import { defaultPolicy, fullPolicy } from "../policy/policy.example.ts";
import type { EarlierFacts, Facts } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";
import { attempt, t0 } from "./decide.example.ts";

export interface AnySituation {
  readonly facts: Facts;
  readonly coverage: Coverage;
  readonly now: Instant;
}

export function* anySituations(seed: number): Generator<AnySituation, never> {
  const of = lotsFrom(seed);
  for (;;) {
    const now = anyTime(of);
    yield { facts: anyFacts(of, now), coverage: anyCoverage(of), now };
  }
}

interface Lots {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  yes(share?: number): boolean;
  one<T>(of: readonly T[]): T;
  some<T>(most: number, make: () => T): readonly T[];
}

/** Xorshift: 32 bits of state are enough to look everywhere. */
function lotsFrom(seed: number): Lots {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    yes: (share = 0.5) => next() < share,
    one: (of) => of[int(of.length)]!,
    some: (most, make) => Array.from({ length: int(most + 1) }, make),
  };
}

const statuses: readonly JobStatus[] = ["PENDING", "RUNNING", "STOPPED", "COMPLETED", "FAILED", "CANCELLED", "DELETED"];
const words = [
  "RUNNING",
  "COMPLETING",
  "FAILED",
  "TIMEOUT",
  "OUT_OF_MEMORY",
  "NODE_FAIL",
  "BOOT_FAIL",
  "PREEMPTED",
  "toString",
  "",
];
const jmStates: readonly JmState[] = [
  "PENDING",
  "RUNNING",
  "SUSPENDED",
  "COMPLETED",
  "FAILED",
  "OUT_OF_MEMORY",
  "TIMEOUT",
  "DEADLINE",
  "NODE_FAIL",
  "BOOT_FAIL",
  "PREEMPTED",
  "REVOKED",
  "CANCELLED",
  "REQUEUED",
  "UNKNOWN",
];
const kinds: readonly SignalKind[] = [
  "crash",
  "hang",
  "slowdown",
  "numerics",
  "progress",
  "checkpoint-saved",
  "resumed",
  "finished",
];
const domains: readonly Domain[] = ["workload", "hardware", "network", "storage", "scheduler", "unknown"];
const causes = [
  "cuda-ecc-uncorrectable",
  "in-job-restart",
  "throughput-lost",
  "no-step",
  "no-first-step",
  "watchdog",
  "toString",
];
const classes = Object.keys(causeClasses) as readonly CauseClass[];
const names = ["n1", "n2", "n3", "n4", "node-with-a-long-name-7", ""];
const lines = [
  "CUDA error: uncorrectable ECC error encountered",
  "FileNotFoundError: '/data/a/b.bin' at 0x7f3a, rank 7 of 10.0.0.1, 2026-11-29 10:00:00",
  "\u0001\ue000 \ud800 half a pair",
  "/".repeat(300),
  "",
];
const reasons: readonly ReconciliationReason[] = [
  "UNSPECIFIED",
  "DESIRED_STATE_OBSERVED",
  "ALREADY_SATISFIED",
  "SUPERSEDED",
  "HELD_BY_OTHERS",
  "OBSERVE_MODE",
  "WITHDRAWN",
  "RELEASED_BY_WATCHDOG",
];

const anyTime = (of: Lots): Instant => t0 + of.int(7_200_000) - 3_600_000;
const anyStep = (of: Lots): number => of.one([0, 1, 12, 13, of.int(50), 2 ** 40]);

function anyFacts(of: Lots, now: Instant): Facts {
  const index = of.int(4);
  return {
    ...anyEarlier(of, index),
    earlier: Array.from({ length: of.yes(0.8) ? index : 0 }, (_, i) => anyEarlier(of, i)),
    nodes: of.some(6, () => ({ name: of.one(names), isEligible: of.yes(0.8), partitions: of.yes() ? ["gpu"] : [] })),
    ...(of.yes(0.3) ? { successor: anyAttempt(of, index + 1) } : {}),
    ...(of.yes(0.2) ? { overrides: of.some(3, () => anyOverride(of, index)) } : {}),
    ...(of.yes(0.8) ? { pass: anyPass(of, now) } : {}),
    ...(of.yes(0.5) ? { ledger: anyLedger(of) } : {}),
    ...(of.yes(0.2) ? { gates: of.some(3, () => anyGate(of)) } : {}),
  };
}

function anyLedger(of: Lots): Ledger {
  const entries = of.some(9, () =>
    against(of.one(names), of.one(["7", "8", "9", "123", ""]), anyTime(of), {
      causeClass: of.one(classes),
      confidence: of.int(11) / 10,
      counts: of.yes(0.8),
      nodesAtRisk: of.one([1, 4, 1_000]),
    }),
  );
  return ledgerOf(entries, of.one([0, 4, 1_000]), anyTime(of));
}

function anyEarlier(of: Lots, index: number): EarlierFacts {
  return {
    attempt: anyAttempt(of, index),
    progress: anyProgress(of),
    signals: of.some(5, () => anySignal(of)),
    ...(of.yes(0.6) ? { advice: anyAdvice(of, index) } : {}),
    ...(of.yes(0.5) ? { requeuedByUs: of.yes() } : {}),
    ...(of.yes(0.3) ? { launchReleaseAdvised: of.yes() } : {}),
  };
}

function anyAttempt(of: Lots, attemptIndex: number): AttemptRecord {
  const slurm = {
    slurmState: of.one(words),
    reason: of.one(["None", "NonZeroExitCode", ""]),
    exitCode: of.one([0, 1, 93, 137]),
    signal: of.one([0, 9, 15]),
    partition: of.one(["gpu", "gpu,long", ""]),
  };
  const { startedAt: _, ...never } = attempt;
  return {
    ...never,
    attemptIndex,
    status: of.one(statuses),
    jmState: of.one(jmStates),
    nodes: of.some(4, () => of.one(names)),
    nodeConstraints: { exclusions: of.some(1, () => of.one(names)), inclusions: of.some(1, () => of.one(names)) },
    schedulerMetadata: of.one([{ slurm }, { slurm }, { slurm: {} }, {}]),
    lastSeenAt: anyTime(of),
    ...(of.yes() ? { startedAt: anyTime(of) } : {}),
    ...(of.yes() ? { endedAt: anyTime(of) } : {}),
  };
}

function anyProgress(of: Lots): Progress {
  return {
    ...(of.yes() ? { firstStep: anyStep(of), lastStep: anyStep(of) } : {}),
    ...(of.yes() ? { lastStepAt: anyTime(of) } : {}),
    ...(of.yes() ? { stepSpacingMs: of.one([0, 100, 600_000]) } : {}),
    ...(of.yes() ? { checkpointStep: anyStep(of), checkpointAt: anyTime(of) } : {}),
    ...(of.yes(0.2) ? { resumedFromStep: anyStep(of), resumedAt: anyTime(of) } : {}),
    ...(of.yes(0.7) ? { logReadAt: anyTime(of) } : {}),
    ...(of.yes() ? { logEndedAt: anyTime(of) } : {}),
  };
}

function anySignal(of: Lots): Signal {
  const at = anyTime(of);
  return {
    kind: of.one(kinds),
    at,
    evidence: { source: "log", line: of.one(lines), at, ...(of.yes() ? { path: "/out", offset: of.int(1000) } : {}) },
    root: of.yes(0.7),
    exitIndependent: of.yes(),
    nodes: of.some(2, () => of.one(names)),
    ...(of.yes(0.8) ? { cause: of.one(causes) } : {}),
    ...(of.yes(0.8) ? { causeClass: of.one(classes) } : {}),
    ...(of.yes() ? { domain: of.one(domains) } : {}),
    ...(of.yes() ? { rank: of.int(16) } : {}),
    ...(of.yes() ? { step: anyStep(of) } : {}),
  };
}

function anyAdvice(of: Lots, attemptIndex: number): Advice {
  const { heimdallJobId, cluster, jobId, workflowId } = attempt;
  const at = anyTime(of);
  return {
    heimdallJobId,
    cluster,
    jobId,
    workflowId,
    attemptIndex,
    generation: 1 + of.int(3),
    desired: of.one(["RESTARTED", "RESTARTED", "TERMINATED", "RELEASED"]),
    exclusions: of.some(2, () => anyExclusion(of)),
    issues: [],
    because: "hardware-node",
    sentence: "A sentence.",
    startDelayMs: 0,
    charged: of.yes(),
    rootKey: of.one(["", "|", "a", "unexplained|FAILED|-|-"]),
    status: {
      observedGeneration: 1,
      disposition: of.one(["PENDING", "CONVERGED", "ABANDONED"]),
      reason: of.one(reasons),
      message: "",
      observedAt: at,
    },
    createdAt: at,
    updatedAt: at,
    expiresAt: anyTime(of),
    ...(of.yes(0.2) ? { withdrawnAt: at } : {}),
  };
}

function anyExclusion(of: Lots): Exclusion {
  return { node: of.one(names), reason: "ecc", evidence: [], confidence: of.int(11) / 10, expiresAt: anyTime(of) };
}

function anyOverride(of: Lots, index: number): Override {
  return {
    action: of.one(["never", "restart", "clear", "withdraw"]),
    attemptIndex: of.int(index + 2),
    reason: "a reason",
    by: "ada",
    at: anyTime(of),
    ...(of.yes(0.2) ? { generation: 1 } : {}),
  };
}

function anyPass(of: Lots, now: Instant): NonNullable<Facts["pass"]> {
  return {
    takenAt: anyTime(of),
    ...(of.yes(0.1) ? { unavailable: "Socket timed out" } : {}),
    // Mostly of now: of an old look nothing is concluded.
    ...(of.yes(0.9) ? { completeHeardAt: of.yes(0.8) ? now - of.int(30_000) : anyTime(of) } : {}),
  };
}

function anyGate(of: Lots): Gate {
  const trigger = of.one(["on_success", "on_failure", "on_completion", "on_start"] as const);
  return { parent: "job 7", trigger, state: of.one(["open", "closed", "never", "refused"]), why: "job 7 is running" };
}

function anyCoverage(of: Lots): Coverage {
  if (of.yes(0.05)) return { kind: "not-covered", because: "The comment is not valid JSON." };
  const { anomalyDetection } = defaultPolicy;
  const policy: Policy = {
    ...(of.yes(0.2) ? fullPolicy : defaultPolicy),
    autoResumeMode: of.yes(0.9) ? "requeue" : of.one(["off", "singleton_dependency"]),
    maxRequeueTimes: of.one([0, 1, 3, 1000]),
    maxFailuresWithoutProgress: of.one([1, 3, 100]),
    charge: of.one(["all", "workload"]),
    requeueOnCompletion: of.yes(0.2),
    enableNvrx: of.yes(0.2),
    anomalyDetection: {
      ...anomalyDetection,
      logBasedCrash: of.yes(0.8),
      logBasedTimeout: of.yes(0.8),
      slowdown: of.yes(),
    },
    ...(of.yes(0.2) ? { maxRecoveryHours: of.one([0.01, 1, 100]) } : {}),
  };
  return { kind: "covered", policy, warnings: [] };
}
