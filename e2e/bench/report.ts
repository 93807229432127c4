/**
 * report: the figures of the recoveries as parts of `docs/benchmarks.md`, and as lines for the terminal.
 *
 * Pure, total
 */
import { type FigureName, figureNames, type Figures, type Extent, extentOf } from "./figures.ts";
import type { JobKind } from "./jobs.ts";

export interface Result {
  readonly kind: JobKind;
  readonly jobId: string;
  readonly figures: Figures;
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly os: string;
  readonly slurm: string;
  readonly node: string;
  /** One minute's load before the start. */
  readonly load: number;
}

export interface Run {
  readonly machine: Machine;
  /** `2030-01-31`. */
  readonly date: string;
  readonly recoveries: readonly Result[];
  /** PENDING → RUNNING of the jobs that Slurm itself requeued (s). */
  readonly slurmsOwn: readonly number[];
}

/** Median, seconds. */
export const aims: Partial<Record<FigureName, number>> = { "decidable → hold": 1, "PENDING → RUNNING": 4 };

const meanings: Readonly<Record<FigureName, string>> = {
  detect: "the fatal line is a signal in the server's record",
  decide: "the Advice is written; for a job that stays alive this contains the grace of 5 s without a further step",
  act: "the job is requeued, held",
  running: "the successor runs (Slurm's own start time, whole seconds)",
  resumed: "the training program has taken its first step from the checkpoint",
  converged: "confirmed by a second look at Slurm, at least 6 s after the first",
  "decidable → Advice": "from the end of the grace, or of the job, to the Advice",
  "Advice → hold": "from the Advice to the answer of `requeuehold`",
  "decidable → hold": "both together",
  "hold → PENDING": "Slurm ends the old attempt (COMPLETING, up to KillWait)",
  "PENDING → RUNNING": "constraints, release, Slurm's delay skipped, start",
};
const fromFault: readonly FigureName[] = ["detect", "decide", "act", "running", "resumed", "converged"];

const seconds = (value: number) => value.toFixed(2);
const cells = (s: Extent) => `${s.count} | ${seconds(s.min)} | **${seconds(s.median)}** | ${seconds(s.max)}`;

export function extentOfFigure(results: readonly Result[], name: FigureName): Extent | undefined {
  return extentOf(results.flatMap(({ figures }) => figures[name] ?? []));
}

function rows(results: readonly Result[], names: readonly FigureName[]): string[] {
  return names.flatMap((name) => {
    const spread = extentOfFigure(results, name);
    return spread === undefined ? [] : [`| ${name} | ${cells(spread)} | ${meanings[name]} |`];
  });
}

const head = (what: string) => [
  `| ${what} | n | min | median | max | is |`,
  "| --- | ---: | ---: | ---: | ---: | --- |",
];

export function parts(run: Run): string {
  const { machine: m, recoveries, slurmsOwn, date } = run;
  const own = extentOf(slurmsOwn);
  const of = (...kinds: JobKind[]) => recoveries.filter(({ kind }) => kinds.includes(kind));
  const alive = of("stuck", "deaf", "training");
  return [
    "## Recovery through Reprise",
    "",
    "`make bench-recovery` measures recoveries on a real one-machine Slurm and writes this part and the next two.",
    "",
    `Measured on ${date}: ${m.cores} cores (${m.cpu}), ${m.memoryGiB} GiB, ${m.os}, Slurm ${m.slurm}, Node ${m.node}; load before the start`,
    `${m.load.toFixed(1)}. Everything runs on this one machine: Slurm (4 nodes), Reprise with its embedded database, and the jobs.`,
    "",
    `${recoveries.length} faults, one every few seconds, under an acting Reprise (\`jobcomp/script\` wakes it). Slurm has its default restart delay`,
    `of 121 s, KillWait 30 s and \`sched_interval=1\`. ${of("stuck").length} jobs print an uncorrectable ECC error and stay alive, ${of("deaf").length} do so and ignore SIGTERM,`,
    `${of("exit").length} exit without a word, ${of("training").length} are real trainings on two nodes with an ECC error. Seconds since the fault:`,
    "",
    ...head("since the fault"),
    ...rows(recoveries, fromFault),
    "",
    "The same without what the faults themselves take. *Decidable* is the moment from which a decision is allowed: the end of the job, or the",
    "end of the grace for one that stays alive.",
    "",
    ...head("stage"),
    ...rows(
      recoveries,
      figureNames.filter((name) => !fromFault.includes(name)),
    ),
    "",
    ...head("decidable → hold, by fault"),
    ...byKind("stays alive", alive),
    ...byKind("exits", of("exit")),
    "",
    ...verdicts(recoveries),
    "",
    "## Slurm's own requeue",
    "",
    `${slurmsOwn.length} jobs without a comment beside them, at the same time, whose exit code Slurm itself requeues (\`RequeueExit\`): nothing is`,
    "excluded, and Slurm's restart delay (`cred_expire` + 1 s) is waited for.",
    "",
    ...head("stage"),
    ...(own === undefined ? [] : [`| PENDING → RUNNING | ${cells(own)} | the same stage, left to Slurm |`]),
    "",
    "## What the figures of recoveries mean",
    "",
    "- A job that stays alive after its fatal line is not seen by Slurm at all: without Reprise it holds its GPUs until its time limit.",
    "- A job that still runs is marked before it is requeued: two journalled steps, each a short-lived process that looks once more first. A job that",
    "  has ended needs only one, which is why exits are held sooner after their Advice.",
    "- Skipping the restart delay costs at least 2 s: slurmd compares credentials in whole seconds, so the start is set to now + 2 s.",
    "- PENDING and RUNNING are seen by a look every 0.2 s; `running` has whole seconds. Reading the checkpoint is the program's own time.",
    "- A program that traps SIGTERM keeps its node COMPLETING up to KillWait: that is the site's setting, and the longest hold → PENDING above.",
    "",
  ].join("\n");
}

function byKind(name: string, results: readonly Result[]): string[] {
  const spread = extentOfFigure(results, "decidable → hold");
  return spread === undefined ? [] : [`| ${name} | ${cells(spread)} | |`];
}

export function verdicts(recoveries: readonly Result[]): string[] {
  return (Object.entries(aims) as [FigureName, number][]).map(([name, aim]) => {
    const median = extentOfFigure(recoveries, name)?.median;
    const isMet = median !== undefined && median <= aim;
    return `- Aim: median ${name} ≤ ${aim} s: ${median === undefined ? "not measured" : `${seconds(median)} s, ${isMet ? "met" : "**missed**"}`}.`;
  });
}
