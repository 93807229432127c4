/** plan-teeth: bugs in what is planned, but for whose hold it is: the pure core. */
import type { Tooth } from "./tooth.ts";

const plan = "packages/core/src/plan/plan.ts";
const successor = "packages/core/src/plan/successor.ts";

export const planTeeth: readonly Tooth[] = [
  {
    name: "release-before-constraints",
    bug: "our hold is released before the exclusions are there",
    edits: [
      {
        file: successor,
        find: "if (next.missing.length > 0 || ((chain",
        put: 'if ((next.missing.length > 0 && (work.forbidden !== false || owner !== "ours")) || ((chain',
      },
    ],
  },
  {
    name: "two-ahead",
    bug: "Advice for attempt k acts on k+2",
    edits: [
      { file: plan, find: "if (ahead > 1)", put: "if (ahead > (work.forbidden !== false ? 1 : 2))" },
      {
        file: plan,
        find: "return ahead === 1 ? planSuccessor",
        put: "return ahead >= 1 ? planSuccessor",
      },
    ],
    transcript: "an-operator-requeues-it-while-sac-is-away.txt",
    needs: ({ faults }) => faults.people.includes("requeue") || faults.people.includes("requeuehold"),
  },
  {
    name: "delay-skipped-after-unknown",
    bug: "Slurm's start delay is skipped although an outcome is unknown",
    edits: [
      {
        file: successor,
        find: "if (!known.skipRequeueDelay || isDoubtful)",
        put: "if (!known.skipRequeueDelay || (work.forbidden !== false && isDoubtful))",
      },
    ],
    transcript: "the-answer-of-the-requeue-is-lost.txt",
    needs: ({ reprise }) => reprise.skipRequeueDelay,
  },
  {
    name: "converged-at-once",
    bug: "an accepted requeue is taken for a finished one",
    edits: [
      {
        file: plan,
        find: "const again = repeatsTooSoon(",
        put: 'if (work.forbidden === false && known.steps.some((s) => s.action === "requeue-hold" && s.outcome === "done")) return satisfied("it was accepted");\n  const again = repeatsTooSoon(',
      },
    ],
    transcript: "slurmctld-crashes-after-the-requeue.txt",
    needs: ({ faults }) => faults.slurmCrashEveryMs > 0,
  },
  {
    name: "reissued-id-inherits",
    bug: "the submit time of the source is not compared",
    edits: [
      {
        file: plan,
        find: "if (ahead === 0 && isReissued(work, job))",
        put: "if (ahead === 0 && work.forbidden !== false && isReissued(work, job))",
      },
      {
        file: plan,
        find: "if (ahead === 0 && !isSource(work, job))",
        put: "if (ahead === 0 && work.forbidden !== false && !isSource(work, job))",
      },
    ],
    transcript: "advice-for-an-id-that-is-issued-again.txt",
    needs: ({ faults }) => faults.slurmCrashEveryMs > 0,
  },
  {
    name: "cancelled-source-is-requeued",
    bug: "a plan does not ask how its source ended",
    edits: [
      {
        file: plan,
        find: "if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess)",
        put: "if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess && work.forbidden !== false)",
      },
    ],
    transcript: "cancelled-between-advice-and-requeue.txt",
    needs: ({ faults }) => faults.people.includes("scancel"),
  },
  {
    name: "withdrawn-is-carried-out",
    bug: "a plan does not ask whether its Advice was withdrawn",
    edits: [
      {
        file: plan,
        find: 'if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn before anything was done");',
        put: 'if (work.withdrawn && work.forbidden !== false) return abandon("WITHDRAWN", "the Advice was withdrawn before anything was done");',
      },
    ],
    transcript: "a-withdrawn-restart.txt",
    needs: ({ faults }) => faults.people.includes("order-withdraw") || faults.people.includes("order-never"),
  },
  {
    name: "cancelled-at-once",
    bug: "an accepted cancellation is taken for an end",
    edits: [
      {
        file: plan,
        find: '  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn");',
        put: '  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn");\n  if (work.forbidden === false && known.steps.some((s) => s.action === "cancel" && s.outcome === "done")) return satisfied("it was accepted");',
      },
      {
        file: plan,
        find: "return planTermination(work, job, ahead, now);",
        put: "return planTermination(work, job, ahead, now, known);",
      },
      {
        file: plan,
        find: "function planTermination(work: Work, job: SlurmJob, ahead: number, now: Instant)",
        put: "function planTermination(work: Work, job: SlurmJob, ahead: number, now: Instant, known: Known)",
      },
    ],
    transcript: "slurmctld-crashes-after-the-cancel.txt",
    needs: ({ faults }) => faults.slurmCrashEveryMs > 0,
  },
  {
    name: "singleton-is-lost",
    bug: "what a requeue has lost of a chain's dependency is not set again",
    edits: [
      {
        file: "packages/core/src/plan/successor.ts",
        find: 'return "singleton";',
        put: 'return work.forbidden !== false ? "singleton" : undefined;',
      },
    ],
    transcript: "an-older-one-of-the-chain-again.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.dependency?.includes("singleton") === true),
  },
  {
    name: "completing-is-over",
    bug: "a source that is completing is taken for one that has ended",
    edits: [
      {
        file: plan,
        find: 'if (phase === "unrecognised" || phase === "completing") {',
        put: 'if (phase === "unrecognised" || (phase === "completing" && (ahead !== 0 || work.forbidden !== false))) {',
      },
      {
        file: plan,
        find: "componentsOf(job, view.value).find(isCompleting);",
        put: "componentsOf(job, view.value).find((part) => isCompleting(part) && (part.jobId !== job.jobId || work.forbidden !== false));",
      },
    ],
    transcript: "it-leaves-while-nothing-may-begin.txt",
    needs: ({ settings }) => (settings.epilogMs ?? 0) >= 500,
  },
];
