/**
 * workflows: the list of workflows; one of them with its jobs: their attempts, what each waits for, what recovery did.
 *
 * Pure    Nothing is inferred here: gates and what was advised are as the server tells them.
 */
import { desiredOf, dispositionOf, shortName, type WireJob, type WireStory, type WireWorkflow } from "../wire.ts";
import { reasonText } from "./advice.ts";
import { listed, sectionIn } from "./explain-decision.ts";
import { stateOf } from "./jobs.ts";
import { paintState } from "./paint.ts";
import { printable } from "./printable.ts";
import { type Column, renderTable } from "./table.ts";
import { ageOf, dateTimeOf } from "./time.ts";
import type { View } from "./view.ts";

/** One scheduler job of a workflow. */
export interface WorkflowJob {
  readonly jobId: string;
  readonly jobName: string;
  /** Oldest first. An attempt whose ID was issued again since has no story, only its record. */
  readonly attempts: readonly WireStory[];
}

export interface ListedWorkflow extends WireWorkflow {
  /** Of all of its jobs. */
  readonly attempts: readonly WireJob[];
}

export function renderWorkflows(rows: readonly ListedWorkflow[], leftOut: number, view: View): string {
  if (rows.length === 0) return "No workflows. One appears with its first job.\n";
  const columns: Column<ListedWorkflow>[] = [
    { title: "WORKFLOW", cell: (w) => w.workflowId ?? "", canShrink: true },
    { title: "NAME", cell: (w) => w.name ?? "", canShrink: true },
    { title: "JOBS", cell: ({ attempts }) => String(new Set(attempts.map(nameOf)).size) },
    { title: "ATTEMPTS", cell: ({ attempts }) => String(attempts.length) },
    { title: "NOW", cell: ({ attempts }) => stateWords(attempts), canShrink: true },
    { title: "BEGAN", cell: (w) => agoOf(w.startTime, view) },
    { title: "ENDED", cell: (w) => agoOf(w.endTime, view) },
  ];
  const table = renderTable(columns, rows, view.width);
  return leftOut === 0
    ? table
    : `${table}${view.paint.faint(`${leftOut} earlier ones are not shown: --limit N shows more`)}\n`;
}

/** `2 RUNNING, 1 PENDING`: where the newest attempt of each job stands. */
function stateWords(attempts: readonly WireJob[]): string {
  const newest = new Map(attempts.map((job) => [nameOf(job), stateOf(job)]));
  const states = Map.groupBy(newest.values(), (state) => state);
  const words = [...states].toSorted(([, a], [, b]) => b.length - a.length);
  return words.map(([state, those]) => `${those.length} ${state}`).join(", ");
}

/** A job ID of one cluster. */
export const nameOf = ({ jobId = "", schedulerMetadata }: WireJob): string =>
  JSON.stringify([schedulerMetadata?.slurm?.cluster ?? "", jobId]);

export function renderWorkflow(
  workflow: WireWorkflow,
  jobs: readonly WorkflowJob[],
  leftOut: number,
  view: View,
): string {
  const name = workflow.name === undefined ? "" : ` (${printable(workflow.name)})`;
  const head = view.paint.strong(`Workflow ${printable(workflow.workflowId ?? "?")}${name}`);
  const times = [...told("began", workflow.startTime, view), ...told("ended", workflow.endTime, view)];
  const more = leftOut === 0 ? [] : [view.paint.faint(`${leftOut} earlier jobs are not shown: --limit N shows more\n`)];
  const hint = view.paint.faint("`reprise explain JOB` tells the whole story of one.\n");
  return [`${[head, ...times].join(" · ")}\n`, ...jobs.map((job) => renderJob(job, view)), ...more, hint].join("\n");
}

function renderJob({ jobId, jobName, attempts }: WorkflowJob, view: View): string {
  const section = sectionIn(view);
  const title = `Job ${printable(jobId)}${jobName === "" ? "" : ` (${printable(jobName)})`}`;
  const body = [
    ...listed(section, "waits for", gatesOf(attempts)),
    ...attempts.flatMap((story) => {
      const job = story.job ?? {};
      const nodes = (job.nodes ?? []).length === 0 ? "" : ` on ${nodesText(job.nodes ?? [])}`;
      return [...section(`attempt ${job.attemptIndex ?? 0}`, `${stateOf(job)}${nodes}`), ...recoveryLines(story, view)];
    }),
  ];
  const last = attempts.at(-1)?.job ?? {};
  return `${view.paint.strong(title)} · ${paintState(view.paint, stateOf(last))}\n${body.join("\n")}\n`;
}

/** Of hundreds the first are enough to know which they are. */
const nodesMax = 8;
const nodesText = (nodes: readonly string[]): string =>
  nodes.length <= nodesMax
    ? nodes.join(" ")
    : `${nodes.slice(0, nodesMax).join(" ")} and ${nodes.length - nodesMax} more`;

/** Each gate with why it is open or closed, as it was judged; of a job that was let go before anybody judged, what it waited for. */
function gatesOf(attempts: readonly WireStory[]): readonly string[] {
  const judged = attempts.flatMap(({ advised, decision }) =>
    [advised, decision].flatMap((one) => (one?.rules ?? []).filter(({ rule = "" }) => rule.startsWith("gate "))),
  );
  const latest = new Map(judged.map(({ rule = "", why = "" }) => [rule.slice("gate ".length), why]));
  if (latest.size > 0) return [...latest].map(([gate, why]) => `${gate}: ${why}`);
  const named = attempts[0]?.job?.recoveryConfig?.dagDependencies ?? [];
  return named.map(({ trigger, jobId, jobName }) => {
    const parent = jobId === undefined || jobId === "" ? `the job named "${jobName ?? ""}"` : `job ${jobId}`;
    return `${shortName(trigger, "TRIGGER_CONDITION_").toLowerCase()} of ${parent}`;
  });
}

function recoveryLines(story: WireStory, view: View): readonly string[] {
  const section = sectionIn(view);
  if (story.covered === false) return section("", `not covered: ${story.notCoveredBecause ?? "no reason given"}`);
  const advice = story.advice?.at(-1);
  const { trainingResumedAt, resumedFromStep } = story.stages ?? {};
  const resumed =
    trainingResumedAt === undefined
      ? ""
      : `; training resumed${resumedFromStep === undefined ? "" : ` from step ${resumedFromStep}`}`;
  const stopped = story.stoppedBy === undefined || story.stoppedBy === "" ? undefined : `stopped by ${story.stoppedBy}`;
  if (advice === undefined) return section("", stopped);
  const exclusions = advice.nodeConstraints?.exclusions ?? [];
  const without = exclusions.length === 0 ? "" : ` without ${nodesText(exclusions)}`;
  const reason = reasonText(advice) === "" ? "" : ` (${reasonText(advice)})`;
  return [
    ...section(
      "",
      `${desiredOf(advice)}${without}, because ${advice.because ?? "?"}: ${dispositionOf(advice)}${reason}${resumed}`,
    ),
    ...section("", stopped),
  ];
}

function told(word: string, text: string | undefined, view: View): readonly string[] {
  const at = dateTimeOf(text, view);
  return at === "" ? [] : [`${word} ${at}`];
}

function agoOf(text: string | undefined, view: View): string {
  const age = ageOf(text, view);
  return age === "" ? "" : `${age} ago`;
}
