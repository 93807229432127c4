/** decide-teeth: bugs in what is decided, in the watchdog's judgement, and in the limits of both: the pure core. */
import type { Tooth } from "./teeth.ts";

const limits = "packages/core/src/limits.ts";

export const decideTeeth: readonly Tooth[] = [
  {
    name: "no-settle-time",
    bug: "an unknown outcome is looked for at once",
    edits: [{ file: limits, find: "settleMs: 6_000,", put: "settleMs: 0," }],
    transcript: "slurmctld-crashes-after-the-release.txt",
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
    name: "too-few-nodes",
    bug: "an exclusion may leave too few nodes",
    edits: [
      {
        file: "packages/core/src/decide/exclusion.ts",
        find: "while (room.remaining < room.needed) {",
        put: "while (room.remaining < 0) {",
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
        put: "const readable = noDemand;",
      },
    ],
    transcript: "too-few-nodes-with-the-feature.txt",
  },
  {
    name: "repaired-for-nothing",
    bug: "what a node did before its repair is held against it",
    edits: [
      {
        file: "packages/core/src/evidence/clearance.ts",
        find: "at <= (cleared.get(node) ?? -Infinity);",
        put: "at <= (cleared.get(node) ?? -Infinity) && at < 0;",
      },
    ],
    transcript: "a-node-that-was-repaired.txt",
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
    name: "forbidden-for-one-attempt",
    bug: "what is forbidden of a job is forbidden of the attempt of that time only",
    edits: [
      {
        file: "packages/core/src/override/override.ts",
        find: "return { ...others, never: override };",
        put: "return isAboutThis ? { ...others, never: override } : others;",
      },
    ],
  },
];
