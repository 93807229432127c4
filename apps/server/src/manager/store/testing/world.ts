/**
 * world: the reports, signals and decisions that the contract's tests are made of. Each is plain; a test changes what it is about.
 */
import { expect } from "vitest";
import { type Course, noCourse } from "@reprise/core/course/course.ts";
import type { Advise, Decision, NoAdvice } from "@reprise/core/decide/decision.ts";
import type { AttemptRecord, Coverage, Exclusion, Instant, ReconciliationStatus } from "@reprise/core/nouns.ts";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";
import { noon } from "./life.ts";
import type { JobReport, LogPosition, PassReport, SignalReport, Store } from "../../store.ts";

/** A fresh, empty store; and the same one as another replica has it (where a body can have one; else the same object). */
export interface Opened {
  readonly store: Store;
  readonly replica: Store;
}
export type Open = () => Promise<Opened>;

export const cluster = "default";
export { noon };
export const s = 1000;
export const hour = 3_600 * s;

export const covered: Coverage = { kind: "covered", policy: defaultPolicy, warnings: [] };
export const notCovered: Coverage = { kind: "not-covered", because: "no recovery comment" };

export function report(jobId: string, attemptIndex = 0, change: Partial<JobReport> = {}): JobReport {
  return {
    cluster,
    jobId,
    attemptIndex,
    workflowId: `wf-${jobId}`,
    jobName: "train",
    status: "RUNNING",
    jmState: "RUNNING",
    coverage: covered,
    submitAt: noon + attemptIndex * hour,
    user: "ada",
    recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE" },
    ...change,
  };
}
export const pending = { status: "PENDING", jmState: "PENDING" } as const;
export const failed = { status: "FAILED", jmState: "FAILED" } as const;

export function pass(takenAt: Instant, change: Partial<PassReport> = {}): PassReport {
  return {
    cluster,
    leaseTerm: 0,
    takenAt,
    complete: true,
    changed: [],
    seen: [],
    nodes: [],
    steps: [],
    mode: "observe",
    partitions: [],
    ...change,
  };
}

type NewSignal = SignalReport["signals"][number];

/** Whose facts they are. */
type Named = Pick<AttemptRecord, "heimdallJobId">;

export function crash(attempt: Named, change: Partial<NewSignal> = {}): NewSignal {
  return {
    key: "out.log:1:100:ecc",
    heimdallJobId: attempt.heimdallJobId,
    kind: "crash",
    at: noon + 60 * s,
    evidence: { source: "log", line: "uncorrectable ECC error", path: "/logs/out.log", offset: 100, at: noon + 60 * s },
    cause: "cuda-ecc-uncorrectable",
    causeClass: "hardware-node",
    domain: "hardware",
    root: true,
    exitIndependent: true,
    nodes: ["n1"],
    ...change,
  };
}

export function step(attempt: Named, number: number, at: Instant, change: Partial<NewSignal> = {}): NewSignal {
  const evidence = { source: "log", line: `step ${number}`, at } as const;
  return {
    key: `step ${number}`,
    heimdallJobId: attempt.heimdallJobId,
    kind: "progress",
    at,
    evidence,
    root: false,
    exitIndependent: false,
    nodes: [],
    step: number,
    ...change,
  };
}

export function position(attempt: Named, offset: number, change: Partial<LogPosition> = {}): LogPosition {
  const { heimdallJobId } = attempt;
  return {
    heimdallJobId,
    path: "/logs/out.log",
    device: "1",
    inode: "7",
    offset,
    start: 0,
    ended: false,
    readAt: noon + offset,
    ...change,
  };
}

export const course = (attempt: Named, more: Partial<Course>): CourseReport => ({
  heimdallJobId: attempt.heimdallJobId,
  ...noCourse,
  ...more,
});

export const signals = (...list: NewSignal[]): SignalReport => ({ reporter: "w1", signals: list, positions: [] });

const said = {
  sentence: "A sentence.",
  evidence: [],
  rules: [{ rule: "crash", answered: true, why: "it crashed" }],
  budgets: [],
};

/** Put down to the line of `crash`. */
export const issue = {
  kind: "crash",
  domain: "hardware",
  cause: "cuda-ecc-uncorrectable",
  causeClass: "hardware-node",
  summary: "",
  nodes: ["n1"],
  evidence: [],
  detectedAt: noon + 60 * s,
} as const;

export function restart(nodes: readonly string[] = ["n1"], change: Partial<Advise> = {}): Advise {
  const exclusions = nodes.map(
    (node): Exclusion => ({ node, reason: "ecc", evidence: [], confidence: 0.9, expiresAt: noon + 24 * hour }),
  );
  return {
    kind: "advise",
    because: "hardware-node",
    desired: "RESTARTED",
    exclusions,
    issues: [],
    startDelayMs: 0,
    charged: true,
    rootKey: "root",
    expiresAt: noon + 24 * hour,
    ...said,
    ...change,
  };
}
export const terminate = (): Advise => restart([], { desired: "TERMINATED", because: "max_requeue_times" });
export const none = (change: Partial<NoAdvice> = {}): NoAdvice => ({
  kind: "none",
  because: "healthy",
  withdraw: false,
  ...said,
  ...change,
});

export function status(observedGeneration: number, change: Partial<ReconciliationStatus> = {}): ReconciliationStatus {
  return {
    observedGeneration,
    disposition: "PENDING",
    reason: "UNSPECIFIED",
    message: "",
    observedAt: noon,
    ...change,
  };
}
export const converged = { disposition: "CONVERGED", reason: "DESIRED_STATE_OBSERVED" } as const;

/** Decides about the facts as they are now. */
export async function decided(store: Store, attempt: AttemptRecord, decision: Decision, now: Instant = noon) {
  const facts = await factsOf(store, attempt);
  return await recorded(store, attempt, facts.factsSeq, decision, now);
}

/** Decides about the facts of that number. */
export async function recorded(
  store: Store,
  { heimdallJobId }: Named,
  factsSeq: number,
  decision: Decision,
  now: Instant = noon,
) {
  const [answer] = await store.recordDecisions([{ heimdallJobId, factsSeq, decision }], now);
  expect(answer, `what became of a decision about ${heimdallJobId}`).toBeDefined();
  return answer as NonNullable<typeof answer>;
}

export async function factsOf(store: Store, { heimdallJobId }: AttemptRecord) {
  const [facts] = await store.loadFacts([heimdallJobId], noon);
  expect(facts, `facts of ${heimdallJobId}`).toBeDefined();
  return facts as NonNullable<typeof facts>;
}

/** The attempt as it is now, as one line. */
export async function shown(store: Store, { heimdallJobId }: AttemptRecord): Promise<string> {
  const job = await store.getJobByUuid(heimdallJobId);
  if (job === undefined) return "unknown";
  const [started, ended] = [job.startedAt === undefined ? "" : " started", job.endedAt === undefined ? "" : " ended"];
  return `${job.jobId}-${job.attemptIndex} ${job.status}/${job.jmState}${started}${ended}`;
}

/** Everything that waits to be decided, oldest first, as job and attempt; and it is claimed for a second. */
export async function undecided(store: Store, now: Instant): Promise<string[]> {
  const names: string[] = [];
  for (const uuid of await store.claimUndecided(100, s, now)) {
    const job = await store.getJobByUuid(uuid);
    names.push(`${job?.jobId}-${job?.attemptIndex}`);
  }
  return names.sort();
}

/** Decides `none` about everything that waits, so that only what comes after it is undecided. */
export async function settleDecisions(store: Store, now: Instant): Promise<void> {
  const facts = await store.loadFacts((await store.claimUndecided(1000, 0, now)).toSorted(), now);
  const nothing = facts.map(({ attempt: { heimdallJobId }, factsSeq }) => ({
    heimdallJobId,
    factsSeq,
    decision: none(),
  }));
  await store.recordDecisions(nothing, now);
}
