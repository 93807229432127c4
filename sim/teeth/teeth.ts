/**
 * teeth: bugs to plant in the product, one at a time, to see whether the worlds find them.
 *
 * Keeps   each replaces exact text of one file (or of some); text that is not there any more is an error, so that no tooth rots.
 *         Each compiles, and none is in the product.
 */
export interface Edit {
  /** From the root of the tree. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export interface Tooth {
  readonly name: string;
  /** What is broken, for a person. */
  readonly bug: string;
  readonly edits: readonly Edit[];
}

const plan = "packages/core/src/plan/plan.ts";
const successor = "packages/core/src/plan/successor.ts";
const limits = "packages/core/src/limits.ts";
const gate = "apps/sac/src/gate.ts";
const send = "apps/sac/src/slurm/command/send.ts";

export const teeth: readonly Tooth[] = [
  {
    name: "no-last-look",
    bug: "the command's child does not compare what it reads",
    edits: [
      {
        file: send,
        find: "compare(read.stdout, expected) ??",
        put: "(false as boolean ? compare(read.stdout, expected) : undefined) ??",
      },
    ],
  },
  {
    name: "no-settle-time",
    bug: "an unknown outcome is looked for at once",
    edits: [{ file: limits, find: "settleMs: 6_000,", put: "settleMs: 0," }],
  },
  {
    name: "begin-not-durable",
    bug: "a step is not in the journal before its effect",
    edits: [
      {
        file: "apps/sac/src/journal.ts",
        find: 'write({ kind: "begin", key, at, ...step });',
        put: 'take({ kind: "begin", key, at, ...step });',
      },
    ],
  },
  {
    name: "release-before-constraints",
    bug: "our hold is released before the exclusions are there",
    edits: [
      { file: successor, find: "if (missing.length > 0) {", put: 'if (missing.length > 0 && owner !== "ours") {' },
    ],
  },
  {
    name: "unreadable-is-gone",
    bug: "a row that cannot be read counts as a job that is gone",
    edits: [
      {
        file: "apps/sac/src/loops/reconcile-once.ts",
        find: "if (unreadable !== undefined) return",
        put: "if (unreadable === work.jobId) return",
      },
    ],
  },
  {
    name: "two-ahead",
    bug: "Advice for attempt k acts on k+2",
    edits: [{ file: plan, find: "if (ahead < 0 || ahead > 1)", put: "if (ahead < 0 || ahead > 2)" }],
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
    name: "old-lines-are-new",
    bug: "an attempt reads a shared log from its beginning",
    edits: [
      {
        file: "apps/watcher/src/start-of-part.ts",
        find: "return from(earlier.ended ? earlier.offset : look.size);",
        put: "return from(earlier.ended ? 0 : 0 * look.size);",
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
    name: "completing-is-acted-on",
    bug: "a COMPLETING job is not waited for",
    edits: [
      {
        file: plan,
        find: 'if (phase === "completing") return wait',
        put: 'if (phase === "completing" && now < 0) return wait',
      },
    ],
  },
  {
    name: "every-hold-is-ours",
    bug: "whoever laid it, a hold is taken for ours",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'if (job.restartCount !== work.attemptIndex + 1) return "theirs";',
        put: 'if (job.restartCount === work.attemptIndex + 1) return "ours";',
      },
    ],
  },
  {
    name: "admin-hold-ignored",
    bug: "an administrator's hold laid over ours is lifted",
    edits: [
      {
        file: successor,
        find: 'if (known.holdReason === "admin") return',
        put: 'if (known.holdReason === "admin" && job.restartCount < 0) return',
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
  },
  {
    name: "observe-mode-acts",
    bug: "observe mode is not asked for: not by the gate, not for the lease, not of the watchdog",
    edits: [
      {
        file: gate,
        find: 'if (facts.mode !== "act") return no("observe mode");',
        put: 'if (facts.mode !== "act" && now < 0) return no("observe mode");',
      },
      {
        file: gate,
        find: 'if (facts.watchdog.mode !== "act") return',
        put: 'if (facts.watchdog.mode !== "act" && now < 0) return',
      },
      {
        file: "apps/sac/src/sac.ts",
        find: 'if (config.mode === "act") await renewLease(parts, state);',
        put: "await renewLease(parts, state);",
      },
    ],
  },
  {
    name: "allowlist-ignored",
    bug: "the gate does not ask for the partition",
    edits: [{ file: gate, find: "if (outside.length > 0 &&", put: "if (outside.length > 99 &&" }],
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
        find: "return left.length >= Math.max(1, s.attempt.nodes.length);",
        put: "return left.length >= 0;",
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
    name: "lease-ignored",
    bug: "a SAC acts without the lease of the cluster",
    edits: [
      {
        file: gate,
        find: "if (facts.leaseExpiresAt === undefined || facts.leaseExpiresAt <= now)",
        put: "if (facts.leaseExpiresAt !== undefined && facts.leaseExpiresAt <= 0)",
      },
      {
        file: "apps/sac/src/sac.ts",
        find: "state.isLeaseElsewhere = !lease.isHeld;",
        put: "state.isLeaseElsewhere = false;",
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
  },
  {
    name: "journal-not-read-back",
    bug: "a SAC that starts does not know what its journal holds",
    edits: [
      {
        file: "apps/sac/src/journal.ts",
        find: "  refresh();\n\n  const stepsOf",
        put: "  file.readNew();\n\n  const stepsOf",
      },
    ],
  },
];
