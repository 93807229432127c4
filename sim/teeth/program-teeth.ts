/** program-teeth: bugs in the programs around the core, alone or together with one in it. */
import type { Tooth } from "./teeth.ts";

const gate = "apps/sac/src/gate.ts";
const send = "apps/sac/src/slurm/command/send.ts";

export const programTeeth: readonly Tooth[] = [
  {
    name: "no-last-look",
    bug: "the command's child does not compare what it reads",
    edits: [
      {
        file: send,
        find: "compare(read, fence.expected) ??",
        put: "(false as boolean ? compare(read, fence.expected) : undefined) ??",
      },
    ],
    transcript: "between-the-look-and-the-command.txt",
  },
  {
    name: "an-old-silence-counts",
    bug: "what would end a running program is begun although nobody has read its log for a while",
    edits: [
      {
        file: "apps/server/src/manager/routes/observation.ts",
        find: "undecided: !isDecided || isUnheard(work, now),",
        put: "undecided: !isDecided || isUnheard(work, work.logHeardAt ?? now),",
      },
    ],
    transcript: "an-old-silence-is-heard-again.txt",
  },
  {
    name: "a-line-needs-no-look",
    bug: "a node's line is told of whoever had the node when Slurm was looked at last",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/node-window.ts",
        find: "return stay(Math.min(lastSeenAt, told ?? open), open, lastSeenAt);",
        put: "return stay(open, lastSeenAt + (told ?? open), open);",
      },
    ],
    transcript: "a-kernel-line-while-nobody-looks.txt",
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
    name: "unreadable-is-gone",
    bug: "a row that cannot be read counts as a job that is gone",
    edits: [
      {
        file: "packages/core/src/plan/plan.ts",
        find: "if (unread !== undefined) return wait",
        put: "if (unread?.why === work.jobId) return wait",
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
    name: "observe-mode-acts",
    bug: "observe mode is not asked for: not by the gate, not for the lease, not of the watchdog",
    edits: [
      {
        file: gate,
        find: 'if (facts.mode !== "act" && (isNew',
        put: 'if (facts.mode !== "act" && now < 0 && (isNew',
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
    name: "stop-not-heard",
    bug: "the gate does not ask whether an operator has stopped everything new",
    edits: [{ file: gate, find: "if (facts.stop !== undefined)", put: "if (facts.stop !== undefined && now < 0)" }],
    transcript: "stop-and-go.txt",
  },
  {
    name: "order-to-observe-not-heard",
    bug: "the mode that was ordered is not asked for",
    edits: [
      {
        file: "packages/core/src/mode/cluster-orders.ts",
        find: 'if (mode === "observe" || ordered === undefined) return',
        put: 'if (mode === "observe" || ordered === undefined || ordered.at > 0) return',
      },
    ],
    transcript: "observe-mode-is-ordered-while-a-job-is-held.txt",
  },
  {
    name: "allowlist-ignored",
    bug: "the gate does not ask for the partition",
    edits: [{ file: gate, find: "if (outside.length > 0 &&", put: "if (outside.length > 99 &&" }],
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
        file: "apps/sac/src/lease.ts",
        find: "state.isLeaseElsewhere = !lease.isHeld;",
        put: "state.isLeaseElsewhere = false;",
      },
    ],
  },
  {
    name: "any-release-will-do",
    bug: "recovery acts on a Slurm that nobody has tried",
    edits: [
      {
        file: "apps/sac/src/gate.ts",
        find: "if (release !== undefined) return no(release);",
        put: "if (release === facts.mode) return no(release);",
      },
    ],
    transcript: "slurm-that-nobody-tried.txt",
  },
  {
    name: "slurms-own-hold-is-ours",
    bug: "the hold that Slurm lays on an expedited job is not told from ours, or from none",
    edits: [
      {
        file: "packages/core/src/plan/ownership.ts",
        find: 'if (isHeldBySlurm(job)) return "theirs";',
        put: 'if (isHeldBySlurm(job)) return "ours";',
      },
    ],
    transcript: "slurm-25-11-holds-an-expedited-job.txt",
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
    name: "a-failed-look-is-the-last-one",
    bug: "when Slurm cannot be read, what it showed last is acted on",
    edits: [
      {
        file: "apps/sac/src/controller.ts",
        find: "  const parts: Parts = {\n    ...given,",
        put: `  let last: Awaited<ReturnType<typeof given.slurm.look>> | undefined;
  const look = async () => {
    const seen = await given.slurm.look();
    if (seen.kind === "seen") last = seen;
    return last ?? seen;
  };
  const parts: Parts = {
    ...given,
    slurm: { ...given.slurm, look },`,
      },
    ],
  },
  {
    name: "a-changed-mind-is-not-told",
    bug: "a new generation for the same reason has no audit row",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/recording.ts",
        find: "const events = [...made, auditOf(generation, said, decision, source, now)];",
        put: "const events = before?.because === decision.because ? made : [...made, auditOf(generation, said, decision, source, now)];",
      },
    ],
  },
  {
    name: "a-gate-that-closes-again",
    bug: "the release of a job is not taken back when its parent runs again",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/next-generation.ts",
        find: 'return isOfGates(because) || because === "off" || because === forbidden;',
        put: 'return because === "off" || because === forbidden;',
      },
    ],
    transcript: "dag-slurmctld-forgets-the-parents-end.txt",
  },
  {
    name: "the-wall-clock-tells-who-lives",
    bug: "the watchdog believes the times in SAC's heartbeat, and in the journal, whatever was done to the clock",
    edits: [
      {
        file: "apps/sac/src/loops/watch-once.ts",
        find: "  ageOf: createAges(clock),",
        put: '  ageOf: (name, at) => (createAges(clock) && name === "" ? 0 : clock.now() - at),',
      },
    ],
    transcript: "the-hosts-clock-is-set-back-while-a-job-is-held.txt",
  },
];
