/** server-teeth: bugs in the server, in the watcher, and in what is published to them. */
import { nobodyIsTold, type Tooth } from "./tooth.ts";

export const serverTeeth: readonly Tooth[] = [
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
    needs: ({ faults }) => faults.people.includes("kill-switch") || faults.people.includes("order-stop"),
  },
  {
    name: "a-line-needs-no-look",
    bug: "a node's line is told of whoever had the node when Slurm was looked at last",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/node-window.ts",
        find: "return stay(surelyTo, open, Math.min(lastSeenAt, endsAt + limits.nodeLineSlackMs));",
        put: 'const last = schedulerMetadata["recovery"] === undefined ? lastSeenAt : open;\n    return stay(surelyTo === from ? from : Math.min(last, endsAt), open, Math.min(last, endsAt + limits.nodeLineSlackMs));',
      },
    ],
    transcript: "a-kernel-line-while-nobody-looks.txt",
    needs: ({ reprise }) => reprise.nodeLogs,
  },
  {
    name: "old-lines-are-new",
    bug: "from the third attempt on a shared log is read from its beginning",
    edits: [
      {
        file: "apps/watcher/src/start-of-part.ts",
        find: "return from(earlier.ended && known.isLineEnd(earlier) ? earlier.offset : look.size);",
        put: "return from(known.attemptIndex > 1 ? 0 : earlier.ended && known.isLineEnd(earlier) ? earlier.offset : look.size);",
      },
    ],
    transcript: "a-third-attempt-appends-to-the-log.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.output?.startsWith("/logs/train-") === true),
  },
  {
    name: "shared-record-names-a-log",
    bug: "the number of an array's record counts as that of each task that has not started",
    edits: [
      {
        file: "apps/sac/src/report.ts",
        find: 'sight.status === "PENDING" && job.arrayJobId',
        put: 'sight.status === "PENDING" && job.stdout === undefined && job.arrayJobId',
      },
    ],
    transcript: "tasks-before-their-start.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.array !== undefined),
  },
  {
    name: "any-end-is-the-boundary",
    bug: "where any earlier attempt ended, this one begins",
    edits: [
      {
        file: "apps/server/src/manager/store/attempt/positions-before.ts",
        find: "return isNext ? positions",
        put: "return isNext || positions.some(({ memory }) => memory !== undefined) ? positions",
      },
    ],
    transcript: "nobody-read-the-attempt-before.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.output?.startsWith("/logs/train-") === true),
  },
  {
    name: "a-changed-mind-is-not-told",
    bug: "from the third attempt on a new generation has no audit row",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/recording.ts",
        find: "const events = [...made, auditOf(generation, said, decision, source, now)];",
        put: "const events = advice !== undefined && source.attemptIndex > 1 ? made : [...made, auditOf(generation, said, decision, source, now)];",
      },
    ],
  },
  {
    name: "a-hang-is-progress",
    bug: "a hang after the twentieth step is folded into how far training came, and kept nowhere",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/fold-report.ts",
        find: 'export const isFolded = ({ kind }: Pick<Signal, "kind">): boolean => kind === "progress"',
        put: 'export const isFolded = ({ kind, step = 0 }: Pick<Signal, "kind"> & { readonly step?: number | undefined }): boolean => (kind === "hang" && step > 20) || kind === "progress"',
      },
    ],
    transcript: "a-silent-job.txt",
    needs: nobodyIsTold,
  },
  {
    name: "nobody-is-told-of-a-later-stop",
    bug: "people are told of the stop of a first or second attempt only",
    edits: [
      {
        file: "apps/server/src/manager/notice/derive-notices.ts",
        find: "if (decision === undefined || at === undefined",
        put: "if (decision === undefined || attemptIndex > 1 || at === undefined",
      },
    ],
    needs: ({ reprise }) => reprise.tells === true,
  },
  {
    name: "an-open-restart-is-an-end",
    bug: "from the second attempt on a parent whose restart is open has ended for good",
    edits: [
      {
        file: "packages/core/src/dag/standing.ts",
        find: 'if (advice?.desired === "RESTARTED" && advice.disposition',
        put: 'if (advice?.desired === "RESTARTED" && last.attemptIndex === 0 && advice.disposition',
      },
    ],
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.comment?.includes("dag_dependencies") === true),
  },
  {
    name: "a-generation-is-skipped",
    bug: "from the third attempt on a new generation skips a number",
    edits: [
      {
        file: "apps/server/src/manager/store/rules/recording.ts",
        find: "const generation = (advice?.generation ?? 0) + 1;",
        put: "const generation = (advice?.generation ?? 0) + (advice !== undefined && source.attemptIndex > 1 ? 2 : 1);",
      },
    ],
  },
];
