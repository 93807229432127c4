/** demo.example: what the API, the log and the files said in one recovery, for the tests of this folder. */
import type { WireExplain, WireJob, WireStory } from "../wire.ts";
import type { Seen } from "./result.ts";
import type { Facts } from "./story.ts";

export const submittedAt = Date.parse("2030-01-31T14:00:00Z");
const at = (seconds: number) => new Date(submittedAt + seconds * 1000).toISOString();

const firstJob: WireJob = {
  jobId: "1",
  nodes: ["n1", "n2"],
  state: "JOB_STATUS_STOPPED",
  schedulerMetadata: { slurm: { startTime: submittedAt } },
};
const secondJob: WireJob = {
  jobId: "1",
  attemptIndex: 1,
  nodes: ["n3", "n4"],
  state: "JOB_STATUS_COMPLETED",
  schedulerMetadata: { slurm: { startTime: submittedAt + 22_000 } },
};

const failed: WireStory = {
  job: firstJob,
  signals: [
    { kind: "progress", at: at(11), root: false },
    {
      kind: "crash",
      cause: "cuda-ecc-uncorrectable",
      detail: "", // As the server writes a text that is not set.
      root: true,
      at: at(12.5),
      evidence: {
        line: "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered, and so much more that no terminal shows it on one line\u001b[2J",
      },
    },
  ],
  decision: { because: "overtaken", decidedAt: at(22) },
  advice: [
    {
      generation: "1",
      desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
      because: "hardware-node",
      createdAt: at(18.1),
      nodeConstraints: { exclusions: ["n2"] },
      reconciliationStatus: {
        disposition: "ADVICE_RECONCILIATION_DISPOSITION_CONVERGED",
        reason: "ADVICE_RECONCILIATION_REASON_DESIRED_STATE_OBSERVED",
        message: "the successor runs with the constraints",
        observedAt: at(26.2),
      },
    },
  ],
  steps: [
    { action: "mark", outcome: "done", endedAt: at(18.4) },
    { action: "requeue-hold", outcome: "done", endedAt: at(18.7) },
    { action: "update-constraints", outcome: "done", endedAt: at(19.3) },
    { action: "release", outcome: "unknown", endedAt: at(19.6) },
    { action: "release", outcome: "done", endedAt: at(19.9) },
    { action: "set-start", outcome: "done", endedAt: at(20.1) },
  ],
  stages: { resumedFromStep: "40" },
  seconds: { rootAt: at(12.5), detect: 0.1, decide: 5.6, act: 6.2, running: 9.5, resumed: 11, converged: 13.7 },
};
const successor: WireStory = { job: secondJob, progress: { resumedFromStep: "40", resumedAt: at(23.5) } };
export const explain: WireExplain = { jobId: "1", attempts: [failed, successor] };

const fault = { attempt: 0, rank: 2, node: "n2", step: 48, kind: "ecc", at: at(12.2) } as const;

export const factsAtTheEnd: Facts = { explain, fault, stepLines: [...steps(1, 47), ...steps(41, 80)] };

/** The same while the grace runs. */
export const factsInTheGrace: Facts = {
  explain: {
    attempts: [
      {
        job: { ...firstJob, state: "JOB_STATUS_RUNNING" },
        signals: failed.signals ?? [],
        decision: { because: "grace", decidedAt: at(12.6) },
      },
    ],
  },
  fault,
  stepLines: steps(1, 47),
};

export const seenAtTheEnd: Seen = {
  jobId: "1",
  scheduler: "slurm",
  faultKind: "ecc",
  jobs: [firstJob, secondJob],
  explain,
  fault,
  checkpointStep: 40,
  lastStepBeforeFault: 47,
  hasResult: true,
};

function steps(from: number, to: number): Facts["stepLines"] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    step: from + i,
    steps: 80,
    consumedSamples: (from + i) * 64,
    elapsedMs: 250,
    loss: 1 + 1 / (from + i),
  }));
}
