/** core-teeth: bugs in what is decided and planned: the pure core. */
import type { Tooth } from "./teeth.ts";

const plan = "packages/core/src/plan/plan.ts";
const successor = "packages/core/src/plan/successor.ts";
const limits = "packages/core/src/limits.ts";

export const coreTeeth: readonly Tooth[] = [
  {
    name: "no-settle-time",
    bug: "an unknown outcome is looked for at once",
    edits: [{ file: limits, find: "settleMs: 6_000,", put: "settleMs: 0," }],
    transcript: "slurmctld-crashes-after-the-release.txt",
  },
  {
    name: "release-before-constraints",
    bug: "our hold is released before the exclusions are there",
    edits: [
      {
        file: successor,
        find: "if (next.missing.length > 0 || (chain",
        put: 'if ((next.missing.length > 0 && owner !== "ours") || (chain',
      },
    ],
  },
  {
    name: "two-ahead",
    bug: "Advice for attempt k acts on k+2, and takes its hold for ours",
    edits: [
      { file: plan, find: "if (ahead < 0 || ahead > 1)", put: "if (ahead < 0 || ahead > 2)" },
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
    name: "budget-forgets",
    bug: "restarts that were made are not counted",
    edits: [
      {
        file: "packages/core/src/decide/budget.ts",
        find: "const charged = ours.filter((a) => a.charged).length;",
        put: "const charged = ours.filter((a) => a.charged && a.generation > 99).length;",
      },
    ],
  },
  {
    name: "cancelled-is-restartable",
    bug: "a cancelled job may be requeued: neither deciding nor planning asks",
    edits: [
      {
        file: "packages/core/src/decide/decide.ts",
        find: 'if (phase(s) !== "cancelled") return',
        put: 'if (phase(s) !== "cancelled" || s.nodes.length >= 0) return',
      },
      {
        file: "packages/core/src/fact/slurm-state.ts",
        find: '  "PREEMPTED",\n]);',
        put: '  "PREEMPTED",\n  "CANCELLED",\n]);',
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
    name: "fail-open-never",
    bug: "the watchdog's patience is a thousand times as long",
    edits: [
      {
        file: "packages/core/src/watchdog/stranded.ts",
        find: "if (heldForMs >= failOpenAfterMs) found.push",
        put: "if (heldForMs >= failOpenAfterMs * 1000) found.push",
      },
    ],
    transcript: "sac-dies-after-the-requeue.txt",
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
    name: "too-few-nodes",
    bug: "an exclusion may leave too few nodes",
    edits: [
      {
        file: "packages/core/src/decide/exclusion.ts",
        find: "while (remaining < eligible.needed && keep.length > 0) {",
        put: "while (remaining < 0 && keep.length > 0) {",
      },
    ],
  },
  {
    name: "off-is-on",
    bug: 'auto_resume_mode "off" is not asked for',
    edits: [
      {
        file: "packages/core/src/decide/decide.ts",
        find: 'if (policy.autoResumeMode === "off")',
        put: 'if (policy.autoResumeMode === "off" && policy.maxRequeueTimes < 0)',
      },
    ],
  },
  {
    name: "in-flight-for-ever",
    bug: "any number of steps after a fatal line are taken for the one in flight",
    edits: [
      {
        file: "packages/core/src/situation/root.ts",
        find: "const inFlightSteps = 1;",
        put: "const inFlightSteps = 100_000;",
      },
    ],
    transcript: "a-false-alarm-is-not-the-cause.txt",
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
    name: "silence-without-a-listener",
    bug: "silence counts where nobody has read the log",
    edits: [
      {
        file: "packages/core/src/decide/grace.ts",
        find: "if (!isReadPast(root, readAt, waitMs, now)) {",
        put: "if (!isReadPast(root, readAt, waitMs, now) && now < 0) {",
      },
    ],
    transcript: "silence-that-nobody-listened-to.txt",
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
    name: "gate-opens-while-restarting",
    bug: "a failed parent has ended for good, although its restart is open",
    edits: [
      {
        file: "packages/core/src/dag/standing.ts",
        find: 'advice?.desired === "RESTARTED" && advice.disposition !== "ABANDONED"',
        put: 'advice?.desired === "RESTARTED" && advice.disposition === "ABANDONED"',
      },
    ],
    transcript: "dag-the-restart-takes-its-time.txt",
  },
  {
    name: "gate-does-not-wait-for-success",
    bug: "a parent that runs has succeeded",
    edits: [
      {
        file: "packages/core/src/dag/gates.ts",
        find: 'if (kind === "succeeded") return "open";\n      return kind',
        put: 'if (kind === "succeeded" || kind === "running") return "open";\n      return kind',
      },
    ],
  },
  {
    name: "release-is-not-noted",
    bug: "a hold that its owner lays after our release is taken for his first one",
    edits: [{ file: "packages/core/src/plan/release.ts", find: "if (isMarked(work, known)) return true;", put: "" }],
    transcript: "dag-slurmctld-crashes-after-the-release.txt",
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
];
