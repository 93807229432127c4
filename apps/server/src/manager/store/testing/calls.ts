/**
 * calls: random calls on a store, as plain data: few jobs, few nodes, near times, so that they meet each other.
 *
 * Keeps   every number that a call needs is in it: the same calls are the same run.
 */
import fc from "fast-check";

const jobId = fc.constantFrom("7", "7", "8");
const attemptIndex = fc.constantFrom(0, 0, 1, 1, 2, 4);
const cluster = fc.constantFrom("default", "default", "default", "other");
/** Which of the attempts known so far; beyond them one that nobody knows. */
const which = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3, 9);
const afterMs = fc.constantFrom(0, 500, 1_000, 1_000, 20_000, 3_600_000, -1_500);

const state = fc.constantFrom(
  "running",
  "running",
  "pending",
  "failed",
  "completed",
  "cancelled",
  "node-fail",
  "deleted",
  "unlisted",
  "silent",
);

const job = fc.record({
  jobId,
  attemptIndex,
  state,
  /** Hours by which the submit time differs from the usual one; null: not said. */
  submitted: fc.constantFrom(0, 0, 0, 0, 9, 1, -1, null),
  named: fc.constantFrom("by-job", "by-job", "by-job", "by-job", "by-both", "by-uuid", "by-wrong-uuid"),
  uuid: which,
  covered: fc.constantFrom(true, true, false),
  /** The ID or, behind a colon, the name of the job that it waits for. */
  waitsFor: fc.constantFrom(null, null, "7", "8", ":train"),
  speaks: fc.constantFrom(true, true, false),
  workflow: fc.constantFrom("own", "own", "shared"),
  nodes: fc.subarray(["n1", "n2"]),
  sluid: fc.constantFrom(null, null, null, "sA", "sB"),
});

/** A key names the step of one attempt. */
const step = fc.record({ key: fc.nat(2), end: fc.constantFrom(null, "done", "refused", "") });

const signal = fc.record({
  which,
  kind: fc.constantFrom("crash", "progress", "progress", "checkpoint-saved", "resumed", "finished", "hang"),
  key: fc.constantFrom("a", "b", "c"),
  atMs: fc.constantFrom(0, 1_000, 2_000, 2_000, 7_000),
  step: fc.constantFrom(null, 1, 2, 3, 3, 9),
  root: fc.boolean(),
});

const position = fc.record({
  which,
  path: fc.constantFrom("/logs/o", "/logs/E", "/logs/e"),
  offset: fc.nat(50),
  ended: fc.boolean(),
  readable: fc.constantFrom(true, true, false),
});

const nodeLine = fc.record({
  node: fc.constantFrom("n1", "n2"),
  key: fc.constantFrom("a", "b", "c"),
  /** Before it is told. */
  agoMs: fc.constantFrom(0, 1_000, 5_000, 60_000),
});

const auditEvent = fc.record({
  which: fc.constantFrom(null, 0, 1),
  producer: fc.constantFrom("a", "b"),
  type: fc.constantFrom("x", "y"),
  level: fc.constantFrom("info", "error"),
  payload: fc.constantFrom(null, 1, "text", ["list"], { key: [true, null] }),
  key: fc.constantFrom(null, "k1", "k2"),
  producedAtUs: fc.constantFrom(0, 1_795_000_000_000_001, 1_795_000_000_000_002),
});

const decision = fc.record({
  which,
  decision: fc.constantFrom("restart", "restart", "restart-more", "ordered", "terminate", "none", "withdraw"),
  /** How many facts behind. */
  behind: fc.constantFrom(0, 0, 0, 0, 1),
  reconsiderMs: fc.constantFrom(null, null, 500),
});

const call = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("upsertJob" as const), cluster, afterMs, job }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("reportPass" as const),
      cluster,
      afterMs,
      takenBeforeMs: fc.constantFrom(0, 0, 0, 1_000, 60_000),
      leaseTerm: fc.constantFrom(0, 0, 1, 1, 2),
      unavailable: fc.constantFrom(false, false, false, false, true),
      complete: fc.constantFrom(true, true, true, false),
      changed: fc.array(job, { maxLength: 3 }),
      seen: fc.array(fc.record({ jobId, attemptIndex }), { maxLength: 4 }),
      isSeenAll: fc.boolean(),
      nodes: fc.subarray(["n1", "n2", "N3"]),
      areEligible: fc.boolean(),
      steps: fc.array(step, { maxLength: 2 }),
      mode: fc.constantFrom("observe", "act"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("recordSignals" as const),
      afterMs,
      reporter: fc.constantFrom("w1", "w2"),
      signals: fc.array(signal, { maxLength: 4 }),
      positions: fc.array(position, { maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("recordCourses" as const),
      afterMs,
      courses: fc.array(fc.record({ which, atMs: fc.nat(50), step: fc.nat(9), key: fc.constantFrom("a", "b") }), {
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("claimTargets" as const),
      afterMs,
      watcher: fc.constantFrom("w1", "w2"),
      renew: fc.boolean(),
      release: fc.array(which, { maxLength: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reportNodeLines" as const),
      cluster,
      afterMs,
      reporter: fc.constantFrom("w1", "w2"),
      lines: fc.array(nodeLine, { maxLength: 3 }),
      positions: fc.subarray(["n1", "n2"]),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("claimNodeLogs" as const),
      afterMs,
      watcher: fc.constantFrom("w1", "w2"),
      limit: fc.constantFrom(0, 1, 5),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claimUndecided" as const), afterMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reconsider" as const), afterMs, which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("recordDecisions" as const),
      afterMs,
      decisions: fc.array(decision, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("recordEvidence" as const),
      afterMs,
      which,
      behind: fc.constantFrom(0, 0, 0, 1),
      nodes: fc.subarray(["n1", "n2"]),
      atMs: fc.constantFrom(0, 0, 2_000, -1_000),
      confidence: fc.constantFrom(0.3, 0.9),
      counts: fc.boolean(),
      lifeMs: fc.constantFrom(1_000, 3_600_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("observeStatus" as const),
      afterMs,
      which,
      generation: fc.constantFrom(1, 1, 2, 3),
      disposition: fc.constantFrom("PENDING" as const, "PENDING" as const, "CONVERGED" as const, "ABANDONED" as const),
      message: fc.constantFrom("", "words"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("setOverride" as const),
      afterMs,
      cluster,
      action: fc.constantFrom("never" as const, "restart" as const, "clear" as const, "withdraw" as const),
      /** Null: by job ID. */
      which: fc.constantFrom(null, null, 0, 1),
      jobId,
      generation: fc.constantFrom(null, null, 1, 2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("acquireLease" as const),
      cluster,
      afterMs,
      holder: fc.constantFrom("sac-a", "sac-b"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("expire" as const),
      afterMs,
      what: fc.constantFrom("detailsBefore" as const, "attemptsBefore" as const, "attemptsBefore" as const),
      ageMs: fc.constantFrom(0, 1_000),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("recordMilestone" as const),
      afterMs,
      which,
      operation: fc.constantFrom("RESTART" as const, "RESTART" as const, "TERMINATE" as const),
      action: fc.constantFrom("SLURM_REQUEUE_HOLD" as const, "SLURM_RELEASE" as const),
      key: fc.constantFrom("k1", "k2", "k3"),
      completedMs: fc.constantFrom(0, 1_000, 2_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("recordAuditEvents" as const),
      afterMs,
      events: fc.array(auditEvent, { maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("listJobs" as const), afterMs, filter: fc.nat(10), offset: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("listAdvice" as const), afterMs, onlyActive: fc.boolean() }),
  },
);
export type Call = typeof call extends fc.Arbitrary<infer One> ? One : never;
export type CallOf<Kind extends Call["kind"]> = Call & { readonly kind: Kind };

/** They begin with a job that runs, so that there is something to talk about. */
export const arbitraryCalls = fc
  .array(call, { minLength: 4, maxLength: 28 })
  .map((calls): readonly Call[] => [runs, ...calls]);

const runs: Call = {
  kind: "upsertJob",
  cluster: "default",
  afterMs: 0,
  job: {
    jobId: "7",
    attemptIndex: 0,
    state: "running",
    submitted: 0,
    named: "by-job",
    uuid: 0,
    covered: true,
    waitsFor: null,
    speaks: true,
    workflow: "own",
    nodes: ["n1"],
    sluid: null,
  },
};
