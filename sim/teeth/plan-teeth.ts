/** plan-teeth: bugs in what is planned: the pure core. */
import type { Tooth } from "./teeth.ts";

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
        put: 'if ((next.missing.length > 0 && owner !== "ours") || ((chain',
      },
    ],
  },
  {
    name: "two-ahead",
    bug: "Advice for attempt k acts on k+2, and takes its hold for ours",
    edits: [
      { file: plan, find: "if (ahead > 1)", put: "if (ahead > 2)" },
      {
        file: plan,
        find: "return ahead === 1 ? planSuccessor",
        put: "return ahead >= 1 ? planSuccessor",
      },
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'if (job.restartCount !== source.attemptIndex + 1) return "theirs";',
        put: 'if (job.restartCount <= source.attemptIndex) return "theirs";',
      },
    ],
  },
  {
    name: "every-hold-is-ours",
    bug: "whoever laid it, a hold is taken for ours",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'if (job.restartCount !== source.attemptIndex + 1) return "theirs";',
        put: 'if (job.restartCount === source.attemptIndex + 1) return "ours";',
      },
    ],
  },
  {
    name: "admin-hold-ignored",
    bug: "an administrator's hold laid over ours is lifted",
    edits: [
      {
        file: successor,
        find: 'return holdReason === "admin" ? abandon("HELD_BY_OTHERS", "an administrator laid a hold over ours") : undefined;',
        put: "return undefined;",
      },
    ],
  },
  {
    name: "delay-skipped-after-unknown",
    bug: "Slurm's start delay is skipped although an outcome is unknown",
    edits: [
      {
        file: successor,
        find: 'if (!known.skipRequeueDelay || known.steps.some((s) => s.outcome === "unknown" || s.endedAt === undefined))',
        put: "if (!known.skipRequeueDelay)",
      },
    ],
  },
  {
    name: "converged-at-once",
    bug: "an accepted requeue is taken for a finished one",
    edits: [
      {
        file: plan,
        find: "const again = repeatsTooSoon(",
        put: 'if (known.steps.some((s) => s.action === "requeue-hold" && s.outcome === "done")) return satisfied("it was accepted");\n  const again = repeatsTooSoon(',
      },
    ],
    transcript: "slurmctld-crashes-after-the-requeue.txt",
  },
  {
    name: "reissued-id-inherits",
    bug: "the submit time of the source is not compared",
    edits: [
      {
        file: plan,
        find: "if (ahead === 0 && isReissued(work, job))",
        put: "if (ahead === 9 && isReissued(work, job))",
      },
      { file: plan, find: "if (ahead === 0 && !isSource(work, job))", put: "if (ahead === 9 && !isSource(work, job))" },
    ],
    transcript: "advice-for-an-id-that-is-issued-again.txt",
  },
  {
    name: "cancelled-source-is-requeued",
    bug: "a plan does not ask how its source ended",
    edits: [
      {
        file: plan,
        find: "if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess)",
        put: "if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess && now < 0)",
      },
    ],
    transcript: "cancelled-between-advice-and-requeue.txt",
  },
  {
    name: "withdrawn-is-carried-out",
    bug: "a plan does not ask whether its Advice was withdrawn",
    edits: [
      {
        file: plan,
        find: 'if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn before anything was done");',
        put: "",
      },
    ],
    transcript: "a-withdrawn-restart.txt",
  },
  {
    name: "suspended-is-not-asked",
    bug: "a suspended source's hold is taken for its suspension",
    edits: [
      {
        file: plan,
        find: 'if (readSlurmState(job.state).phase !== "suspended") return others;',
        put: 'if (readSlurmState(job.state).phase === "suspended") return undefined;',
      },
    ],
    transcript: "a-suspended-job-that-is-held.txt",
  },
  {
    name: "landing-not-noted",
    bug: "nobody writes down what became of a requeue",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: "if (last === undefined || viewAt < showsFrom(last)) return undefined;",
        put: "if (last === undefined || viewAt >= 0) return undefined;",
      },
    ],
    transcript: "a-crash-and-somebody-elses-requeue.txt",
  },
  {
    name: "unlanded-not-noted",
    bug: "a requeue that did not land goes on to claim a hold",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'viewAt < undoneFrom(last) ? undefined : { kind: "undone" }',
        put: "viewAt < undoneFrom(last) || viewAt > 0 ? undefined : undefined",
      },
    ],
    transcript: "somebody-elses-requeue-after-a-lost-one.txt",
  },
  {
    name: "release-is-not-noted",
    bug: "a hold that its owner lays after our release is taken for his first one",
    edits: [
      {
        file: "packages/core/src/plan/release.ts",
        find: "if (isMarked(work, known)) return true;",
        put: "if (isMarked(work, known) && known.steps.length === 0) return true;",
      },
    ],
    transcript: "dag-slurmctld-crashes-after-the-release.txt",
  },
  {
    name: "cancelled-at-once",
    bug: "an accepted cancellation is taken for an end",
    edits: [
      {
        file: plan,
        find: '  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn");',
        put: '  if (work.withdrawn) return abandon("WITHDRAWN", "the Advice was withdrawn");\n  if (known.steps.some((s) => s.action === "cancel" && s.outcome === "done")) return satisfied("it was accepted");',
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
  },
  {
    name: "clocks-tell-whose",
    bug: "only slurmctld's clock and SAC's tell whether a hold came with our requeue",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: "if (viewAt <= until) return true;",
        put: "if (viewAt < 0) return true;",
      },
    ],
    transcript: "sacs-clock-is-far-off.txt",
  },
  {
    name: "singleton-is-lost",
    bug: "what a requeue has lost of a chain's dependency is not set again",
    edits: [
      {
        file: "packages/core/src/plan/successor.ts",
        find: 'return "singleton";',
        put: 'return work.withdrawn ? "singleton" : undefined;',
      },
    ],
    transcript: "singleton-siblings.txt",
  },
];
