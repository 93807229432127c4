/** plan-teeth: bugs in what is planned: the pure core. */
import type { Tooth } from "./teeth.ts";

const plan = "packages/core/src/plan/plan.ts";
const successor = "packages/core/src/plan/successor.ts";
const landing = "apps/sac/src/landing.ts";

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
  },
  {
    name: "every-hold-is-ours",
    bug: "whoever laid it, a hold is taken for ours",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'if (job.restartCount !== source.attemptIndex + 1) return "theirs";',
        put: 'if (job.restartCount !== source.attemptIndex + 1) return "theirs";\n  if ((source as Partial<Work>).forbidden === false) return "ours";',
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
        put: 'return holdReason === "admin" && site === undefined ? abandon("HELD_BY_OTHERS", "an administrator laid a hold over ours") : undefined;',
      },
      {
        file: successor,
        find: "function overOurs({ jobId }: SlurmJob, { holdReason }: Known)",
        put: "function overOurs({ jobId }: SlurmJob, { holdReason, site }: Known)",
      },
    ],
    needs: ({ faults }) => faults.people.includes("admin-hold"),
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
  },
  {
    name: "suspended-is-not-asked",
    bug: "a suspended source's hold is taken for its suspension",
    edits: [
      {
        file: plan,
        find: 'if (readSlurmState(job.state).phase !== "suspended") return others;',
        put: 'if (readSlurmState(job.state).phase !== "suspended") return others;\n  if (site !== undefined) return undefined;',
      },
      {
        file: plan,
        find: "function heldSource(job: SlurmJob, { holdReason }: Known)",
        put: "function heldSource(job: SlurmJob, { holdReason, site }: Known)",
      },
    ],
    transcript: "a-suspended-job-that-is-held.txt",
  },
  {
    name: "landing-not-noted",
    bug: "nobody writes down where a requeue has landed",
    edits: [
      {
        file: landing,
        find: "if (landing !== undefined) journal",
        put: 'if (landing?.kind === "undone") journal',
      },
    ],
    transcript: "a-crash-and-somebody-elses-requeue.txt",
  },
  {
    name: "unlanded-not-noted",
    bug: "a requeue that did not land goes on to claim a hold",
    edits: [
      {
        file: landing,
        find: "if (landing !== undefined) journal",
        put: 'if (landing?.kind === "landed") journal',
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
        put: "if (isMarked(work, known) && (work.forbidden !== false || known.steps.length === 0)) return true;",
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
  },
  {
    name: "clocks-tell-whose",
    bug: "only slurmctld's clock and SAC's tell whether a hold came with our requeue",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: "if (viewAt <= until) return true;",
        put: "if (viewAt <= until && (last as JournalStep & { readonly work?: Work }).work?.forbidden !== false) return true;",
      },
      {
        file: "packages/core/src/plan/ownership.ts",
        find: "function claims(last: JournalStep | undefined, job: SlurmJob, { viewAt, blindMs = 0 }: Sight): boolean {",
        put: "function claims(last: JournalStep | undefined, job: SlurmJob, sight: Sight): boolean {\n  const { viewAt, blindMs = 0 } = sight;",
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
        put: 'return work.forbidden !== false ? "singleton" : undefined;',
      },
    ],
    transcript: "singleton-siblings.txt",
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
  },
];
