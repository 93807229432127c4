/** hold-teeth: bugs in whose hold it is, and in what is written down to tell it. */
import type { Tooth } from "./tooth.ts";

const plan = "packages/core/src/plan/plan.ts";
const successor = "packages/core/src/plan/successor.ts";
const ownership = "packages/core/src/plan/ownership.ts";
const landing = "apps/sac/src/landing.ts";

export const holdTeeth: readonly Tooth[] = [
  {
    name: "every-hold-is-ours",
    bug: "whoever laid it, a hold is taken for ours",
    edits: [
      {
        file: ownership,
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
    transcript: "admin-lays-a-hold-over-ours.txt",
    needs: ({ faults }) => faults.people.includes("admin-hold"),
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
    needs: ({ faults }) => faults.people.includes("suspend") && faults.people.includes("admin-hold"),
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
    needs: ({ faults }) => faults.people.includes("requeuehold"),
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
    needs: ({ faults }) => faults.people.includes("requeuehold") && faults.loseCommandAnswer > 0,
  },
  {
    name: "release-is-not-noted",
    bug: "a hold that its owner lays soon after our release is taken for his first one",
    edits: [
      {
        file: "packages/core/src/plan/release.ts",
        find: "return !isAnother || !known",
        put: "return (!isAnother && (work.forbidden !== false || !last.bootedAt)) || !known",
      },
    ],
    transcript: "dag-slurmctld-crashes-after-the-release.txt",
    needs: ({ jobs }) => jobs.some(({ submit }) => submit.comment?.includes("dag_dependencies") === true),
  },
  {
    name: "clocks-tell-whose",
    bug: "only slurmctld's clock and SAC's tell whether a hold came with our requeue",
    edits: [
      {
        file: ownership,
        find: "if (viewAt <= until) return true;",
        put: "if (viewAt <= until && (last as JournalStep & { readonly work?: Work }).work?.forbidden !== false) return true;",
      },
      {
        file: ownership,
        find: "function claims(last: JournalStep | undefined, job: SlurmJob, { viewAt, blindMs = 0 }: Sight): boolean {",
        put: "function claims(last: JournalStep | undefined, job: SlurmJob, sight: Sight): boolean {\n  const { viewAt, blindMs = 0 } = sight;",
      },
    ],
    transcript: "sacs-clock-is-far-off.txt",
    needs: ({ faults }) => faults.clockStepEveryMs > 0 && faults.loseCommandAnswer > 0,
  },
  {
    name: "slurms-own-hold-is-ours",
    bug: "the hold that Slurm lays on an expedited job is not told from ours, or from none",
    edits: [
      {
        file: ownership,
        find: 'if (isHeldBySlurm(job)) return "theirs";',
        put: 'if (isHeldBySlurm(job)) return (source as Partial<Work>).forbidden === false ? "ours" : "theirs";',
      },
    ],
    transcript: "slurm-25-11-holds-an-expedited-job.txt",
  },
];
