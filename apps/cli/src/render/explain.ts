/**
 * explain: the whole story of one job: its attempts, what was seen, what was decided and why, what was done, what came of it.
 *
 * Takes   the server's `ExplainResponse`.
 * Gives   one screen: every rule's answer of the newest attempt (or of the one that was asked for), of the others the ones that answered.
 * Pure    Lines of others are made printable; the three stages are said each by itself, and never inferred here.
 */
import {
  desiredOf,
  dispositionOf,
  type WireAdvice,
  type WireExplain,
  type WireOverride,
  type WireStep,
  type WireStory,
} from "../wire.ts";
import { reasonText } from "./advice.ts";
import { decisionLines, listed, sectionIn } from "./explain-decision.ts";
import { evidenceLines, timeOf } from "./explain-evidence.ts";
import { startOf, stateOf, unreadText, warningsOf } from "./jobs.ts";
import { paintState } from "./paint.ts";
import { printable } from "./printable.ts";
import { instant, seconds } from "./time.ts";
import type { View } from "./view.ts";

export function renderExplain(answer: WireExplain, view: View): string {
  const attempts = answer.attempts ?? [];
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
  const workflow = answer.workflowId === undefined ? "" : ` · workflow ${printable(answer.workflowId)}`;
  const head = view.paint.strong(`Job ${printable(answer.jobId ?? "?")}`);
  const stories = attempts.map((story, i) => renderStory(story, i === attempts.length - 1 ? "all" : "answered", view));
  const more = view.paint.faint("`--attempt k` shows every rule's answer about an earlier attempt.");
  return [`${head}${workflow} · ${count}\n`, ...stories, ...(attempts.length > 1 ? [`${more}\n`] : [])].join("\n");
}

function renderStory(story: WireStory, rules: "all" | "answered", view: View): string {
  const job = story.job ?? {};
  const section = sectionIn(view);
  const nodes = (job.nodes ?? []).length === 0 ? "" : ` · ${printable((job.nodes ?? []).join(" "))}`;
  const head = `${view.paint.strong(`Attempt ${job.attemptIndex ?? 0}`)} · ${paintState(view.paint, stateOf(job))}${nodes}`;
  const body = [
    ...section("starts", startOf(job, view)),
    ...section("training", progressText(story, view)),
    ...section("not covered", story.covered === true ? undefined : (story.notCoveredBecause ?? "no reason given")),
    ...warningsOf(job).flatMap(([label, text]) => section(label, text)),
    ...listed(section, "log unread", unreadText(story.unreadLogs, view)),
    ...evidenceLines(story, view),
    ...listed(
      section,
      "ordered",
      (story.overrides ?? []).map((override) => orderText(override, view)),
    ),
    ...decided(story, rules, view),
    ...(story.advice ?? []).flatMap((advice) => adviceLines(advice, view)),
    ...listed(
      section,
      "steps",
      inOrder(story.steps ?? []).map((step) => stepText(step, view)),
    ),
    ...stageLines(story, view),
    ...section("seconds", secondsText(story)),
    ...section("stopped by", story.stoppedBy),
    ...section("what to do", story.whatToDo),
  ];
  return `${[head, ...body].join("\n")}\n`;
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

function orderText({ action = "", reason = "", by = "", at, generation }: WireOverride, view: View): string {
  const became = generation === undefined ? "" : `, which became generation ${generation}`;
  return `${timeOf(at, view)} ${action} by ${by}${became}: ${reason}`;
}

/** The decision that the Advice says; and what is said now, where that is something else. */
function decided({ decision, advised }: WireStory, rules: "all" | "answered", view: View): readonly string[] {
  const section = sectionIn(view);
  const main = advised ?? decision;
  if (main === undefined) return section("decision", "none yet");
  const words = `${timeOf(main.decidedAt, view)} ${main.because ?? ""}: ${main.sentence ?? ""}`;
  const now = advised === undefined || decision === undefined ? undefined : decision;
  return [
    ...section("decision", words),
    ...decisionLines(main, rules, view),
    ...section("later", now && `${timeOf(now.decidedAt, view)} ${now.because ?? ""}: ${now.sentence ?? ""}`),
  ];
}

function adviceLines(advice: WireAdvice, view: View): readonly string[] {
  const section = sectionIn(view);
  const exclusions = advice.nodeConstraints?.exclusions ?? [];
  const without = exclusions.length === 0 ? "" : ` without ${exclusions.join(" ")}`;
  const reason = reasonText(advice) === "" ? "" : ` (${reasonText(advice)})`;
  const { message = "", observedAt } = advice.reconciliationStatus ?? {};
  const seen = instant(observedAt);
  // Only the first generation is as old as the Advice itself.
  const at = (advice.generation ?? "1") === "1" ? `${timeOf(advice.createdAt, view)} ` : "";
  const status = `${dispositionOf(advice)}${reason}${message === "" ? "" : `: ${message}`}`;
  return [
    ...section(
      "advice",
      `${at}generation ${advice.generation ?? "?"}: ${desiredOf(advice)}${without}, because ${advice.because ?? "?"}`,
    ),
    ...section("observed", seen === undefined || seen === 0 ? "nothing yet" : `${timeOf(observedAt, view)} ${status}`),
  ];
}

/** Of one moment: as they follow from each other. */
const actions = ["cancel", "requeue-hold", "update-constraints", "mark", "release", "set-start", "repair-dependency"];

function inOrder(steps: readonly WireStep[]): readonly WireStep[] {
  const at = ({ begunAt }: WireStep) => instant(begunAt) ?? 0;
  const place = ({ action = "" }: WireStep) => actions.indexOf(action);
  return steps.toSorted((a, b) => at(a) - at(b) || place(a) - place(b));
}

function stepText(step: WireStep, view: View): string {
  const [begun, ended] = [instant(step.begunAt), instant(step.endedAt)];
  const took = begun === undefined || ended === undefined ? "" : ` after ${seconds((ended - begun) / 1_000)} s`;
  const outcome =
    step.outcome === undefined || step.outcome === "" ? "begun, and no end is known" : `${step.outcome}${took}`;
  const detail = step.detail === undefined || step.detail === "" ? "" : `: ${step.detail}`;
  return `${timeOf(step.begunAt, view)} ${step.action ?? ""} ${outcome}${detail}`;
}

/** Three different things. Only shown where something was to be recovered. */
function stageLines(story: WireStory, view: View): readonly string[] {
  if (!(story.advice ?? []).some((advice) => desiredOf(advice) === "RESTARTED")) return [];
  const { schedulerRecoveredAt, trainingResumedAt, resumedFromStep, trainingCompletedAt } = story.stages ?? {};
  const say = (at: string | undefined) => (at === undefined ? "not seen" : timeOf(at, view));
  const lostSteps = Number(story.progress?.lastStep) - Number(resumedFromStep);
  const lost = lostSteps > 0 ? ` (${lostSteps} ${lostSteps === 1 ? "step" : "steps"} lost)` : "";
  const from =
    trainingResumedAt === undefined || resumedFromStep === undefined ? "" : `, from step ${resumedFromStep}${lost}`;
  return listed(sectionIn(view), "stages", [
    `scheduler recovered  ${say(schedulerRecoveredAt)}`,
    `training resumed     ${say(trainingResumedAt)}${from}`,
    `training completed   ${say(trainingCompletedAt)}`,
  ]);
}

function secondsText({ seconds: given }: WireStory): string | undefined {
  const order = ["detect", "decide", "act", "released", "running", "resumed", "converged"];
  const told = order.flatMap((name) => {
    const value = given?.[name];
    return typeof value === "number" ? [`${name} ${seconds(value)}`] : [];
  });
  return told.length === 0 ? undefined : `${told.join(", ")} (since the root line)`;
}
