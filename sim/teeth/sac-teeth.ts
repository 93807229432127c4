/** sac-teeth: bugs in SAC and its watchdog, around the core. */
import type { Tooth } from "./tooth.ts";

const controller = "apps/sac/src/controller.ts";
const send = "apps/sac/src/slurm/command/send.ts";

export const sacTeeth: readonly Tooth[] = [
  {
    name: "no-last-look",
    bug: "the command's child does not compare what it reads",
    edits: [
      {
        file: send,
        find: "compare(read, fence.expected) ??",
        put: "(fence.ordersUntil === undefined ? compare(read, fence.expected) : undefined) ??",
      },
    ],
    transcript: "between-the-look-and-the-command.txt",
    needs: ({ faults }) => faults.peopleAtOnce > 0,
  },
  {
    name: "begin-not-durable",
    bug: "one kind of step, the start time, is not in the journal before its effect",
    edits: [
      {
        file: "apps/sac/src/journal.ts",
        find: 'write({ kind: "begin", key, at, ...step });',
        put: '(step.action === "set-start" ? known.take : write)({ kind: "begin", key, at, ...step });',
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
        put: "if (unread !== undefined && work.forbidden !== false) return wait",
      },
    ],
    needs: ({ faults }) => faults.slurmGarbleEveryMs > 0,
  },
  {
    name: "observe-mode-acts",
    bug: "observe mode is not asked for: not by the gate, not for the lease, not of the watchdog",
    edits: [
      {
        file: controller,
        find: "    requireWatchdog: config.requireWatchdog,\n",
        put: '    mode: "act",\n    requireWatchdog: false,\n',
      },
      {
        file: "apps/sac/src/sac.ts",
        find: 'if (config.mode === "act") await renewOrTell(parts, state, view);',
        put: "if (config.pollMs > 0) await renewOrTell(parts, state, view);",
      },
    ],
    needs: ({ reprise }) => reprise.mode === "observe",
  },
  {
    name: "stop-not-heard",
    bug: "the gate does not ask whether an operator has stopped everything new",
    edits: [
      {
        file: controller,
        find: "...(state.orders.stop === undefined ?",
        put: "...(state.orders.stop === undefined || config.pollMs > 0 ?",
      },
    ],
    transcript: "stop-and-go.txt",
    needs: ({ faults }) => faults.people.includes("order-stop"),
  },
  {
    name: "order-to-observe-not-heard",
    bug: "the mode that was ordered is not asked for",
    edits: [
      {
        file: "apps/sac/src/controller.ts",
        find: "    ...inForce(parts, state),\n    ...(until",
        put: "    ...inForce(parts, { ...state, orders: (({ mode: _, ...others }) => others)(state.orders) }),\n    ...(until",
      },
    ],
    transcript: "observe-mode-is-ordered-while-a-job-is-held.txt",
    needs: ({ faults }) => faults.people.includes("order-observe") || faults.people.includes("order-fewer-partitions"),
  },
  {
    name: "allowlist-ignored",
    bug: "of the partitions of a job the gate is asked about the first one only",
    edits: [
      {
        file: "apps/sac/src/loops/pass-gate.ts",
        find: "mayTake(next.step, work, next.job, facts, now);",
        put: 'mayTake(next.step, { ...work, partition: "" }, { ...next.job, partition: next.job.partition.split(",")[0] ?? "" }, facts, now);',
      },
    ],
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.partition?.includes(",") === true),
  },
  {
    name: "lease-ignored",
    bug: "while another has one of the first terms of the lease but the very first, a SAC acts without it",
    edits: [
      {
        file: controller,
        find: "...(until === undefined ? {} : { leaseExpiresAt: until }),",
        put: "leaseExpiresAt: until ?? now.at + 30_000,",
      },
      {
        file: "apps/sac/src/lease.ts",
        find: "state.isLeaseElsewhere = !lease.isHeld;",
        put: "state.isLeaseElsewhere = !lease.isHeld && (lease.term < 2 || lease.term > 5);",
      },
    ],
    transcript: "the-first-sac-comes-back.txt",
    needs: ({ reprise }) => reprise.hasSecondSac,
  },
  {
    name: "any-release-will-do",
    bug: "recovery acts on a Slurm that nobody has tried",
    edits: [
      {
        file: controller,
        find: "    slurmReleases: config.slurmReleases,\n",
        put: '    slurmReleases: [...config.slurmReleases, state.slurm?.version ?? ""],\n',
      },
    ],
    transcript: "slurm-that-nobody-tried.txt",
    needs: ({ settings }) => settings.release === "27.05",
  },
  {
    name: "journal-not-read-back",
    bug: "a SAC that starts does not know what its journal holds",
    edits: [
      {
        file: "apps/sac/src/journal.ts",
        find: "  refresh();\n\n  return {",
        put: '  for (const line of file.readNew()) {\n    const entry = parseEntry(line);\n    if (entry !== undefined && (entry.kind !== "begin" || entry.work.forbidden !== false)) known.take(entry);\n  }\n\n  return {',
      },
    ],
    needs: ({ faults }) => faults.killEveryMs.sac > 0 || faults.killUnderWay > 0,
  },
  {
    name: "undecided-is-begun",
    bug: "a restart is begun although more is known than was decided about",
    edits: [
      {
        file: "apps/sac/src/loops/reconcile-once.ts",
        find: "return work.isUndecided === true || isOldLook",
        put: "return (work.isUndecided === true && work.forbidden !== false) || isOldLook",
      },
    ],
    transcript: "the-program-went-on-while-sac-was-away.txt",
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
    needs: ({ faults }) => faults.slurmDownEveryMs > 0 || faults.slurmPauseEveryMs > 0,
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
    needs: ({ faults }) => faults.clockStepEveryMs > 0 && faults.killEveryMs.sac > 0,
  },
  {
    name: "sent-is-told",
    bug: "a step that was sent to the server counts as taken, whether it answered or not",
    edits: [
      {
        file: "apps/sac/src/sac.ts",
        find: "    const confirmed = await tell(",
        put: "    for (const step of steps) state.confirmedSteps.set(step.key, phaseOf(step));\n    const confirmed = await tell(",
      },
    ],
    needs: ({ faults }) => faults.network.loseAnswer > 0 || faults.network.dropRequest > 0,
  },
];
