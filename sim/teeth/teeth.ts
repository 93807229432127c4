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
  /** Too rare for so few worlds: this transcript of `sim/scenarios` must tell another story. */
  readonly transcript?: string;
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
        find: 'compare(read.stdout, excluded?.stdout ?? "", expected) ??',
        put: '(false as boolean ? compare(read.stdout, "", expected) : undefined) ??',
      },
    ],
    transcript: "between-the-look-and-the-command.txt",
  },
  {
    name: "no-settle-time",
    bug: "an unknown outcome is looked for at once",
    edits: [{ file: limits, find: "settleMs: 6_000,", put: "settleMs: 0," }],
    transcript: "slurmctld-crashes-after-the-release.txt",
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
        find: "return from(earlier.ended && known.isLineEnd(earlier) ? earlier.offset : look.size);",
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
    transcript: "trapped-sigterm.txt",
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
        find: "if (readAt < until) {",
        put: "if (readAt < until && now < 0) {",
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
    name: "shared-record-names-a-log",
    bug: "the number of an array's record counts as that of each task that has not started",
    edits: [
      {
        file: "apps/sac/src/report.ts",
        find: 'sight.status === "PENDING" && job.arrayJobId',
        put: "sight.status === undefined && job.arrayJobId",
      },
    ],
    transcript: "tasks-before-their-start.txt",
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
    name: "undecided-is-begun",
    bug: "a restart is begun although more is known than was decided about",
    edits: [
      {
        file: "apps/sac/src/loops/reconcile-once.ts",
        find: "return work.isUndecided === true || isOldLook",
        put: "return isOldLook",
      },
    ],
    transcript: "the-program-went-on-while-sac-was-away.txt",
  },
  {
    name: "any-end-is-the-boundary",
    bug: "where any earlier attempt ended, this one begins",
    edits: [
      {
        file: "apps/server/src/manager/store/attempt/positions-before.ts",
        find: "return isNext ? positions",
        put: "return isNext || positions.length >= 0 ? positions",
      },
    ],
    transcript: "nobody-read-the-attempt-before.txt",
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
