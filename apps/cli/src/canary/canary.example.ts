/** canary.example: what Slurm and the server said of a canary that came back, for the tests of this folder. */
import type { WireStory } from "../wire.ts";
import type { CanarySeen } from "./judge.ts";

export const submittedAt = Date.parse("2030-01-31T14:00:00Z");
const at = (seconds: number) => new Date(submittedAt + seconds * 1000).toISOString();

export const firstAttempt = {
  covered: true,
  job: {
    jobId: "7",
    nodes: ["n1"],
    state: "JOB_STATUS_STOPPED",
    createdAt: at(1),
    lastSeen: at(8),
    schedulerMetadata: { slurm: { startTime: submittedAt + 1_000 } },
  },
  signals: [
    { kind: "crash", cause: "reprise-canary", at: at(6), evidence: { line: "reprise canary: fails on purpose" } },
  ],
  decision: { because: "overtaken", decidedAt: at(12) },
  advice: [
    {
      heimdallJobId: "f",
      generation: "1",
      desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
      because: "scheduler",
      createdAt: at(8),
      nodeConstraints: { exclusions: ["n1"] },
      reconciliationStatus: {
        disposition: "ADVICE_RECONCILIATION_DISPOSITION_CONVERGED",
        reason: "ADVICE_RECONCILIATION_REASON_DESIRED_STATE_OBSERVED",
        message: "the successor runs with the constraints",
        observedAt: at(20),
      },
    },
  ],
  steps: [
    { action: "requeue-hold", outcome: "unknown", endedAt: at(8.5) },
    { action: "requeue-hold", outcome: "done", endedAt: at(9) },
    { action: "update-constraints", outcome: "done", endedAt: at(10) },
    { action: "release", outcome: "done", endedAt: at(11) },
  ],
} as const satisfies WireStory;

export const secondAttempt = {
  covered: true,
  job: {
    jobId: "7",
    attemptIndex: 1,
    nodes: ["n2"],
    state: "JOB_STATUS_COMPLETED",
    lastSeen: at(30),
    schedulerMetadata: { slurm: { startTime: submittedAt + 14_000 } },
  },
} as const satisfies WireStory;

export const cameBack: CanarySeen = {
  jobId: "7",
  partition: "gpu",
  output: "/shared/canary.log",
  submittedAt,
  isTimeUp: false,
  slurm: { state: "COMPLETED", reason: "None", isHeld: false, restarts: 1, nodes: "n2", excluded: ["n1"] },
  explain: { jobId: "7", attempts: [firstAttempt, secondAttempt] },
};
