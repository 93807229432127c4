/**
 * explain: the whole story of one scheduler job: `Explain` of `reprise.v1.RecoveryService`.
 *
 *     GET /reprise/v1/jobs/{job_id}/explain    viewer, operator, controller
 *
 * Gives   attempt by attempt: what was seen, every rule's answer, what was counted, what was advised, done and observed, what people
 *         ordered, what stopped it and what can be done. Read only; safe to repeat.
 * Fails   `not-found` for a job that nobody saw, or an attempt that it does not have.
 */
import { roomInWords } from "@reprise/core/evidence/eligible.ts";
import type { LogContext } from "@reprise/core/course/course.ts";
import { budgetsCounted, nodesConsidered } from "@reprise/core/explain/counted.ts";
import { endingOf } from "@reprise/core/explain/ending.ts";
import { incidentOf, type SignalGroup } from "@reprise/core/explain/incident.ts";
import { secondsOf } from "@reprise/core/figures/recovery.ts";
import type { Instant, Progress, Signal } from "@reprise/core/nouns.ts";
import { phaseOf } from "@reprise/core/situation/situation.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire } from "@reprise/protocol/wire/advice.ts";
import { identifier, present } from "@reprise/protocol/wire/check.ts";
import { contextToWire } from "@reprise/protocol/wire/course.ts";
import { instantToWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import { jobToWire } from "@reprise/protocol/wire/job.ts";
import { signalToWire } from "@reprise/protocol/wire/signal.ts";
import type { Caller, Manager } from "../context.ts";
import type { RecoverySequence } from "../sequence/recovery-sequence.ts";
import { stagesOf, timesOf } from "../stages.ts";
import type { StepRecord, StoredDecision } from "../store.ts";
import type { AttemptStoryRecord } from "../story-store.ts";
import { overrideToWire } from "./override.ts";

export function explainRoute({
  store,
  clock,
  site,
}: Manager): Pick<RpcHandlers<typeof RecoveryService, Caller>, "explain"> {
  return {
    async explain(request) {
      const jobId = identifier("jobId", request.jobId);
      const stories = await store.story(request.cluster === "" ? site.cluster : request.cluster, jobId);
      const last = stories.at(-1);
      if (last === undefined) throw new Refusal("not-found", `job ${jobId} is not known`);
      const now = clock.now();
      const uuids = stories.map(({ attempt }) => attempt.heimdallJobId);
      const sequences = await store.sequencesOf(uuids);
      const contexts = await store.contextsOf(uuids);
      const told = stories.map((story, i) =>
        attemptToWire(story, stories.slice(i + 1), { sequences, contexts: contexts.get(uuids[i]!) ?? [] }, now),
      );
      const attempts =
        request.attemptIndex === undefined ? told : told.filter((a) => a.job.attemptIndex === request.attemptIndex);
      if (attempts.length === 0) throw new Refusal("not-found", `job ${jobId} has no attempt ${request.attemptIndex}`);
      return { jobId, workflowId: last.attempt.workflowId, attempts };
    },
  };
}

function attemptToWire(
  story: AttemptStoryRecord,
  after: readonly AttemptStoryRecord[],
  {
    sequences,
    contexts,
  }: { readonly sequences: readonly RecoverySequence[]; readonly contexts: readonly LogContext[] },
  now: Instant,
) {
  const { attempt, signals, decision, advised, advice } = story;
  const { coverage, heimdallJobId } = attempt;
  const { schedulerRecoveredAt, trainingResumedAt, resumedFromStep, trainingCompletedAt } = stagesOf(story, after);
  const own = sequences.filter((sequence) => sequence.heimdallJobId === heimdallJobId);
  const times = timesOf(story, after, own);
  const ending = endingOf(coverage, decision?.decision, advice.at(-1), attempt.jobId);
  const isOther = advised !== undefined && advised.decision.because !== decision?.decision.because;
  return {
    job: jobToWire(attempt),
    covered: coverage.kind === "covered",
    notCoveredBecause: coverage.kind === "not-covered" ? coverage.because : "",
    signals: signals.map(signalToWire),
    progress: progressToWire(story.progress),
    ...present({
      incident: incidentToWire(story, contexts),
      decision: decision === undefined ? undefined : decisionToWire(decision, signals),
      advised: isOther ? decisionToWire(advised, signals) : undefined,
    }),
    advice: advice.map((one) => adviceToWire(one, now)),
    steps: story.steps.map(stepToWire),
    stages: present({
      schedulerRecoveredAt: optionalInstantToWire(schedulerRecoveredAt),
      trainingResumedAt: optionalInstantToWire(trainingResumedAt),
      resumedFromStep: big(resumedFromStep),
      trainingCompletedAt: optionalInstantToWire(trainingCompletedAt),
    }),
    seconds: times === undefined ? {} : { rootAt: instantToWire(times.rootAt), ...secondsOf(times) },
    overrides: story.overrides.map(overrideToWire),
    unreadLogs: story.unread.map(({ path, unreadable = "", readAt }) => ({
      path,
      why: unreadable,
      ...present({ readAt: optionalInstantToWire(readAt) }),
    })),
    stoppedBy: ending?.stoppedBy ?? "",
    whatToDo: ending?.whatToDo ?? "",
  };
}

function incidentToWire(
  { attempt, signals, progress, decision, advised }: AttemptStoryRecord,
  contexts: readonly LogContext[],
) {
  const blamed = (advised ?? decision)?.decision.evidence[0];
  const incident = incidentOf(signals, progress, phaseOf(attempt), blamed);
  if (incident === undefined) return undefined;
  const { root, consequences, survived } = incident;
  const context = contexts.find(({ key }) => key === root?.key);
  return {
    ...present({
      root: root === undefined ? undefined : signalToWire(root),
      rootContext: context === undefined ? undefined : contextToWire(context),
    }),
    consequences: consequences.map(groupToWire),
    survived: survived.map(groupToWire),
  };
}

const groupToWire = ({ firstAt, lastAt, nodes, paths, ...group }: SignalGroup) => ({
  ...group,
  nodes: [...nodes],
  paths: [...paths],
  firstAt: instantToWire(firstAt),
  lastAt: instantToWire(lastAt),
});

function progressToWire(p: Progress) {
  return present({
    firstStep: big(p.firstStep),
    firstStepAt: optionalInstantToWire(p.firstStepAt),
    lastStep: big(p.lastStep),
    lastStepAt: optionalInstantToWire(p.lastStepAt),
    checkpointStep: big(p.checkpointStep),
    resumedFromStep: big(p.resumedFromStep),
    resumedAt: optionalInstantToWire(p.resumedAt),
    logReadAt: optionalInstantToWire(p.logReadAt),
    logEndedAt: optionalInstantToWire(p.logEndedAt),
  });
}

function decisionToWire({ decision, decidedAt }: StoredDecision, signals: readonly Signal[]) {
  const { because, sentence, rules } = decision;
  return {
    because,
    sentence,
    decidedAt: instantToWire(decidedAt),
    rules: rules.map(({ rule, answered, why }) => ({ rule, answered, why })),
    budgets: budgetsCounted(decision).map(({ bound, spent, allowed, before, after }) => ({
      bound,
      spent,
      allowed,
      before,
      after,
    })),
    nodes: nodesConsidered(decision, signals).map(({ node, isExcluded, why, confidence, expiresAt }) => ({
      node,
      excluded: isExcluded,
      why,
      ...present({ confidence, expiresAt: optionalInstantToWire(expiresAt) }),
    })),
    ...roomToWire(decision),
  };
}

function roomToWire(decision: StoredDecision["decision"]) {
  const room = decision.kind === "advise" ? decision.room : undefined;
  if (room === undefined) return {};
  const { unknown = [], uncounted, ...counts } = room;
  return { room: { ...counts, uncounted: [...uncounted], unknown: [...unknown], words: roomInWords(room) } };
}

function stepToWire(step: StepRecord) {
  const { begunAt, endedAt, generation, ...words } = step;
  return {
    ...words,
    generation: BigInt(generation),
    begunAt: instantToWire(begunAt),
    ...present({ endedAt: optionalInstantToWire(endedAt) }),
  };
}

const big = (n: number | undefined) => (n === undefined ? undefined : BigInt(n));
