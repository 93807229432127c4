/** decide-teeth: bugs in what is decided, in the watchdog's judgement, and in the limits of both: the pure core. */
import { nobodyIsTold, type Tooth } from "./tooth.ts";

export const decideTeeth: readonly Tooth[] = [
  {
    name: "no-settle-time",
    bug: "the second look that says so ends the Advice of a restart, however soon it comes",
    edits: [
      {
        file: "apps/sac/src/loops/plan-all.ts",
        find: "since: view.at - atLeastMs(settling.since, state.lookAsked) }",
        put: 'since: (work.desired === "RESTARTED" ? 0 : 1) * (view.at - atLeastMs(settling.since, state.lookAsked)) }',
      },
    ],
    transcript: "slurmctld-crashes-after-the-release.txt",
  },
  {
    name: "budget-forgets",
    bug: "of the restarts that were made only the last four are counted",
    edits: [
      {
        file: "packages/core/src/decide/budget.ts",
        find: "const charged = ours.filter((a) => a.charged).length;",
        put: 'const charged = (s.attempt.schedulerMetadata["recovery"] === undefined ? ours : ours.slice(-4)).filter((a) => a.charged).length;',
      },
    ],
    needs: (spec) =>
      nobodyIsTold(spec) && spec.jobs.some(({ submit }) => /"max_requeue_times":[56]/.test(submit.comment ?? "")),
  },
  {
    name: "cancelled-is-restartable",
    bug: "from the second attempt on a cancelled job may be requeued: neither deciding nor planning asks",
    edits: [
      {
        file: "packages/core/src/decide/decide.ts",
        find: 'if (phase(s) !== "cancelled") return',
        put: 'if (phase(s) !== "cancelled" || s.attempt.attemptIndex > 0) return',
      },
      {
        file: "packages/core/src/plan/plan.ts",
        find: "if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess)",
        put: 'if (hasEnded(job) && !isRestartable(job) && !startsAfterSuccess && (work.forbidden !== false || job.state !== "CANCELLED"))',
      },
    ],
    transcript: "cancelled-after-a-restart.txt",
    needs: nobodyIsTold,
  },
  {
    name: "fail-open-never",
    bug: "in the watchdog's eyes no hold of a SAC that works by its server's word grows old",
    edits: [
      {
        file: "apps/sac/src/loops/watch-once.ts",
        find: "    return ageMs - blind(now - ageMs);",
        put: "    const isOfServer = journal.stepsOf(heimdallJobId).some(({ work }) => work.forbidden === false);\n    return isOfServer ? 0 : ageMs - blind(now - ageMs);",
      },
    ],
    transcript: "sac-dies-after-the-requeue.txt",
    needs: ({ faults }) => faults.killEveryMs.sac > 0,
  },
  {
    name: "too-few-nodes",
    bug: "from the third attempt on an exclusion may leave one node too few",
    edits: [
      {
        file: "packages/core/src/decide/exclusion.ts",
        find: "while (room.remaining < room.needed) {",
        put: "while (room.remaining < room.needed - (s.attempt.attemptIndex > 1 ? 1 : 0)) {",
      },
    ],
  },
  {
    name: "features-unasked",
    bug: "nodes without the features that a job asks for are counted as if it could be given them",
    edits: [
      {
        file: "packages/core/src/evidence/eligible.ts",
        find: 'const readable = constraint === "" ? noDemand : readConstraint(constraint);',
        put: 'const readable = constraint === "" || s.attempt.schedulerMetadata["recovery"] !== undefined ? noDemand : readConstraint(constraint);',
      },
    ],
    transcript: "too-few-nodes-with-the-feature.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.constraint !== undefined),
  },
  {
    name: "repaired-for-nothing",
    bug: "what a node did before its repair is held against it",
    edits: [
      {
        file: "apps/server/src/manager/loops/accuse.ts",
        find: "ledgerOf(entries, list[0]?.nodes.length ?? 0, now, cleared)",
        put: 'ledgerOf(entries, list[0]?.nodes.length ?? 0, now, list[0]?.attempt.schedulerMetadata["recovery"] === undefined ? cleared : undefined)',
      },
    ],
    transcript: "a-node-that-was-repaired.txt",
    needs: ({ faults }) => faults.people.includes("clear-node"),
  },
  {
    name: "off-is-on",
    bug: 'auto_resume_mode "off" is not heard of who charges restarts to the workload',
    edits: [
      {
        file: "packages/core/src/decide/decide.ts",
        find: 'if (policy.autoResumeMode === "off")',
        put: 'if (policy.autoResumeMode === "off" && policy.charge !== "workload")',
      },
    ],
    needs: ({ jobs }) => jobs.some(({ submit }) => /"off".*"workload"/.test(submit.comment ?? "")),
  },
  {
    name: "in-flight-for-ever",
    bug: "any number of steps after a fatal line are taken for the one in flight",
    edits: [
      {
        file: "packages/core/src/situation/root.ts",
        find: "progress.lastStep > signal.step + inFlightSteps;",
        put: "progress.lastStep > signal.step + (signal.recordedAt === undefined ? inFlightSteps : 100_000);",
      },
    ],
    transcript: "a-false-alarm-is-not-the-cause.txt",
  },
  {
    name: "silence-without-a-listener",
    bug: "silence counts where nobody has read the log",
    edits: [
      {
        file: "packages/core/src/decide/grace.ts",
        find: "if (!isReadPast(root, readAt, waitMs, now)) {",
        put: 'if (!isReadPast(root, readAt, waitMs, now) && s.attempt.schedulerMetadata["recovery"] === undefined) {',
      },
    ],
    transcript: "silence-that-nobody-listened-to.txt",
    needs: ({ faults }) => faults.killEveryMs.watcher > 0 || faults.pauseEveryMs > 0,
  },
  {
    name: "forbidden-for-one-attempt",
    bug: "what is forbidden in the second attempt or later is forbidden of that attempt only",
    edits: [
      {
        file: "packages/core/src/override/override.ts",
        find: "return { ...others, never: override };",
        put: "return attemptIndex <= override.attemptIndex || override.attemptIndex < 1 ? { ...others, never: override } : others;",
      },
    ],
    transcript: "forbidden-whoever-requeues-it.txt",
    needs: ({ faults }) => faults.people.includes("order-never"),
  },
];
