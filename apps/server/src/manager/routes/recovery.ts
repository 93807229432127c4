/**
 * recovery: what people ask: `reprise.v1.RecoveryService`.
 *
 * Gives   Explain: the whole story of a scheduler job, attempt by attempt, with every rule's answer. Watch: a hint for every
 *         change, as it happens.
 * Bound   `watchQueueMax` hints wait for a slow reader; then the oldest go (they say only "look").
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire } from "@reprise/protocol/wire/advice.ts";
import { identifier, present } from "@reprise/protocol/wire/check.ts";
import { instantToWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import { jobToWire } from "@reprise/protocol/wire/job.ts";
import { signalToWire } from "@reprise/protocol/wire/signal.ts";
import type { Progress } from "@reprise/core/nouns.ts";
import type { Caller, Manager } from "../context.ts";
import { secondsOf, stagesOf } from "../stages.ts";
import type { AttemptStoryRecord, Change, StepRecord, StoredDecision } from "../store.ts";

const watchQueueMax = 1_000;

export function recoveryRoutes({ store, clock, site }: Manager): RpcHandlers<typeof RecoveryService, Caller> {
  return {
    async explain(request) {
      const jobId = identifier("jobId", request.jobId);
      const stories = await store.story(request.cluster === "" ? site.cluster : request.cluster, jobId);
      const last = stories.at(-1);
      if (last === undefined) throw new Refusal("not-found", `job ${jobId} is not known`);
      const now = clock.now();
      const told = stories.map((story, i) => attemptToWire(story, stories.slice(i + 1), now));
      const attempts =
        request.attemptIndex === undefined ? told : told.filter((a) => a.job.attemptIndex === request.attemptIndex);
      if (attempts.length === 0) throw new Refusal("not-found", `job ${jobId} has no attempt ${request.attemptIndex}`);
      return { jobId, workflowId: last.attempt.workflowId, attempts };
    },

    async *watch(_request, { signal }) {
      const queue: Change[] = [];
      let wake = () => {};
      const stop = store.onChange((change) => {
        queue.push(change);
        if (queue.length > watchQueueMax) queue.shift();
        wake();
      });
      const onAbort = () => wake();
      signal.addEventListener("abort", onAbort);
      try {
        while (!signal.aborted) {
          const change = queue.shift();
          if (change !== undefined)
            yield { kind: change.kind, heimdallJobId: change.heimdallJobId, at: instantToWire(clock.now()) };
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        signal.removeEventListener("abort", onAbort);
        stop();
      }
    },
  };
}

function attemptToWire(story: AttemptStoryRecord, after: readonly AttemptStoryRecord[], now: number) {
  const { attempt, coverage } = { attempt: story.attempt, coverage: story.attempt.coverage };
  const { schedulerRecoveredAt, trainingResumedAt, resumedFromStep, trainingCompletedAt } = stagesOf(story, after);
  const { rootAt, ...seconds } = secondsOf(story, after);
  return {
    job: jobToWire(attempt),
    covered: coverage.kind === "covered",
    notCoveredBecause: coverage.kind === "not-covered" ? coverage.because : "",
    signals: story.signals.map(signalToWire),
    progress: progressToWire(story.progress),
    ...(story.decision === undefined ? {} : { decision: decisionToWire(story.decision) }),
    advice: story.advice.map((advice) => adviceToWire(advice, now)),
    steps: story.steps.map(stepToWire),
    stages: present({
      schedulerRecoveredAt: optionalInstantToWire(schedulerRecoveredAt),
      trainingResumedAt: optionalInstantToWire(trainingResumedAt),
      resumedFromStep: big(resumedFromStep),
      trainingCompletedAt: optionalInstantToWire(trainingCompletedAt),
    }),
    seconds: { ...present({ rootAt: optionalInstantToWire(rootAt) }), ...seconds },
  };
}

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

function decisionToWire({ decision, decidedAt }: StoredDecision) {
  const { because, sentence, rules, budgets } = decision;
  return {
    because,
    sentence,
    decidedAt: instantToWire(decidedAt),
    rules: rules.map(({ rule, answered, why }) => ({ rule, answered, why })),
    budgets: budgets.map(({ bound, spent, allowed }) => ({ bound, spent, allowed })),
  };
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
