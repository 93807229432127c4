/**
 * explain: the whole story of one job: its attempts, what was seen, what was decided and why, what was done, what came of it.
 *
 * Takes   the server's `ExplainResponse`.
 * Pure    Lines of others are made printable; the three stages are said each by itself, and never inferred here.
 */
import type { WireAdvice, WireDecision, WireExplain, WireSignal, WireStep, WireStory } from "../wire.ts";
import { reasonOf, statusOf, wantedOf } from "./advice.ts";
import { labelled, stateOf, warningsOf } from "./jobs.ts";
import { paintState } from "./paint.ts";
import { printable } from "./printable.ts";
import { clockTime, instant, seconds } from "./time.ts";
import type { View } from "./view.ts";

export function renderExplain(answer: WireExplain, view: View): string {
  const attempts = answer.attempts ?? [];
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
  const workflow = answer.workflowId === undefined ? "" : ` · workflow ${printable(answer.workflowId)}`;
  const head = view.paint.strong(`Job ${printable(answer.jobId ?? "?")}`);
  return [`${head}${workflow} · ${count}\n`, ...attempts.map((story) => renderStory(story, view))].join("\n");
}

function renderStory(story: WireStory, view: View): string {
  const job = story.job ?? {};
  const nodes = (job.nodes ?? []).length === 0 ? "" : ` · ${printable((job.nodes ?? []).join(" "))}`;
  const head = `${view.paint.strong(`Attempt ${job.attemptIndex ?? 0}`)} · ${paintState(view.paint, stateOf(job))}${nodes}`;
  const body = [
    ...section("training", progressText(story, view), view),
    ...section(
      "not covered",
      story.covered === true ? undefined : (story.notCoveredBecause ?? "no reason given"),
      view,
    ),
    ...warningsOf(job).flatMap(([label, text]) => section(label, text, view)),
    ...evidenceLines(story.signals ?? [], view),
    ...decisionLines(story.decision, view),
    ...(story.advice ?? []).flatMap((advice) => adviceLines(advice, view)),
    ...stepLines(story.steps ?? [], view),
    ...stageLines(story, view),
    ...section("seconds", secondsText(story), view),
  ];
  return `${[head, ...body].join("\n")}\n`;
}

const section = (label: string, value: string | undefined, view: View): readonly string[] =>
  value === undefined || value === "" ? [] : labelled(label, value, view.width);

function timeOf(text: string | undefined, view: View): string {
  const at = instant(text);
  return at === undefined ? "--:--:--" : clockTime(at, view.timeZone);
}

function progressText({ progress }: WireStory, view: View): string | undefined {
  if (progress?.lastStep === undefined && progress?.resumedFromStep === undefined) return undefined;
  const parts = [
    progress.resumedFromStep === undefined ? undefined : `resumed from step ${progress.resumedFromStep}`,
    progress.lastStep === undefined ? undefined : `steps ${progress.firstStep ?? "?"} to ${progress.lastStep}`,
    progress.checkpointStep === undefined ? undefined : `newest checkpoint ${progress.checkpointStep}`,
    progress.lastStepAt === undefined ? undefined : `last step at ${timeOf(progress.lastStepAt, view)}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** Progress is told above, as a whole; each step of it would bury the rest. */
function evidenceLines(signals: readonly WireSignal[], view: View): readonly string[] {
  const told = signals.filter(({ kind }) => kind !== "progress" && kind !== "checkpoint-saved");
  return told.flatMap((signal, i) => {
    const on = (signal.nodes ?? []).length === 0 ? "" : ` on ${(signal.nodes ?? []).join(" ")}`;
    const cause = [
      signal.cause,
      signal.causeClass === undefined ? undefined : `(${signal.causeClass})`,
      signal.root === true ? "root" : undefined,
    ];
    const words = [
      timeOf(signal.at, view),
      signal.kind ?? "",
      ...cause.filter((word) => word !== undefined && word !== ""),
    ];
    const where =
      signal.evidence?.path === undefined
        ? undefined
        : `${signal.evidence.path}, byte ${signal.evidence.offset ?? "?"}`;
    return [
      ...section(i === 0 ? "evidence" : "", `${words.join(" ")}${on}`, view),
      ...section("", signal.evidence?.line, view),
      ...section("", where, view),
    ];
  });
}

function decisionLines(decision: WireDecision | undefined, view: View): readonly string[] {
  if (decision === undefined) return section("decision", "none yet", view);
  const rules = (decision.rules ?? []).map(
    ({ rule, answered, why }) => `${answered === true ? "→" : "·"} ${rule ?? ""}: ${why ?? ""}`,
  );
  const budgets = (decision.budgets ?? []).map(
    ({ bound, spent, allowed }) => `${bound ?? ""}: ${spent ?? 0} of ${allowed ?? 0}`,
  );
  return [
    ...section(
      "decision",
      `${timeOf(decision.decidedAt, view)} ${decision.because ?? ""}: ${decision.sentence ?? ""}`,
      view,
    ),
    ...rules.flatMap((text, i) => section(i === 0 ? "rules" : "", text, view)),
    ...section("budgets", budgets.join("; "), view),
  ];
}

function adviceLines(advice: WireAdvice, view: View): readonly string[] {
  const exclusions = advice.nodeConstraints?.exclusions ?? [];
  const without = exclusions.length === 0 ? "" : ` without ${exclusions.join(" ")}`;
  const reason = reasonOf(advice) === "" ? "" : ` (${reasonOf(advice)})`;
  const message = advice.reconciliationStatus?.message ?? "";
  const text = `${timeOf(advice.createdAt, view)} generation ${advice.generation ?? "?"}: ${wantedOf(advice)}${without}; ${statusOf(advice)}${reason}`;
  return [...section("advice", text, view), ...section("", message, view)];
}

function stepLines(steps: readonly WireStep[], view: View): readonly string[] {
  return steps.flatMap((step, i) => {
    const [begun, ended] = [instant(step.begunAt), instant(step.endedAt)];
    const took = begun === undefined || ended === undefined ? "" : ` after ${seconds((ended - begun) / 1_000)} s`;
    const outcome =
      step.outcome === undefined || step.outcome === "" ? "begun, and no end is known" : `${step.outcome}${took}`;
    const detail = step.detail === undefined || step.detail === "" ? "" : `: ${step.detail}`;
    return section(
      i === 0 ? "steps" : "",
      `${timeOf(step.begunAt, view)} ${step.action ?? ""} ${outcome}${detail}`,
      view,
    );
  });
}

/** Three different things. Only shown where something was to be recovered. */
function stageLines(story: WireStory, view: View): readonly string[] {
  if ((story.advice ?? []).length === 0) return [];
  const { schedulerRecoveredAt, trainingResumedAt, resumedFromStep, trainingCompletedAt } = story.stages ?? {};
  const say = (at: string | undefined) => (at === undefined ? "not seen" : timeOf(at, view));
  const from = trainingResumedAt === undefined || resumedFromStep === undefined ? "" : `, from step ${resumedFromStep}`;
  return [
    ...section("stages", `scheduler recovered  ${say(schedulerRecoveredAt)}`, view),
    ...section("", `training resumed     ${say(trainingResumedAt)}${from}`, view),
    ...section("", `training completed   ${say(trainingCompletedAt)}`, view),
  ];
}

function secondsText({ seconds: given }: WireStory): string | undefined {
  const order = ["detect", "decide", "act", "released", "running", "resumed", "converged"];
  const told = order.flatMap((name) => {
    const value = given?.[name];
    return typeof value === "number" ? [`${name} ${seconds(value)}`] : [];
  });
  return told.length === 0 ? undefined : `${told.join(", ")} (since the root line)`;
}
