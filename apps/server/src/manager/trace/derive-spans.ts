/**
 * deriveSpans: the trace of one recovery, as far as the records tell it: from the root line to the end of the run that it led to.
 *
 *     recovery restart   root line ─────────────────────────────── confirmed, or otherwise over      reprise-server
 *       detect           root line ── taken in                                                      reprise-watcher
 *       decide                         taken in ── Advice                                            reprise-server
 *       requeue-hold, update-constraints, release …      begun ── ended (each try)                  reprise-sac
 *       start                                             released ── the successor runs             slurm
 *       confirm                                           last step ── second look                   reprise-sac
 *       resume                                            it runs ── training goes on                reprise-watcher
 *       run                                               it runs ── its end                         slurm
 *
 * In the loop   records → **spans** → receiver of traces
 * Pure, total
 * Gives         only what is over, each with the name that it has for ever: derived again, after a crash or elsewhere, it is the same span.
 * Keeps         a time is the one that stands in the records. Clocks differ: what would end before it began has no length.
 */
import { type Outcome, outcomeOf } from "@reprise/core/figures/recovery.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import { operationOf, rootSpan, spanIdOf, traceIdOf } from "@reprise/core/sequence/sequence.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { Span } from "@reprise/runtime/spans.ts";
import type { Milestone, RecoverySequence } from "../sequence/recovery-sequence.ts";
import { timesOf } from "../stages.ts";
import type { StepRecord } from "../store.ts";
import type { AttemptStoryRecord } from "../story-store.ts";

/** A span by its name in the trace. */
export interface NamedSpan {
  readonly key: string;
  readonly span: Span;
}

export interface Derived {
  readonly spans: readonly NamedSpan[];
  /** Nothing more comes of it. */
  readonly isOver: boolean;
}

/** After its end: what is reported late, because SAC or the server was away, still finds its trace. */
const lateMs = 10 * 60_000;

/** Undefined: it is not over yet, or was not seen. */
type Named = readonly [key: string, told: Told | undefined];

interface Told {
  readonly name: string;
  readonly service: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly attributes?: Span["attributes"];
  readonly failure?: string;
}

/**
 * @param after     The attempts that came after it, oldest first.
 * @param sequences Of the attempt, this one among them.
 */
export function deriveSpans(
  sequence: RecoverySequence,
  story: AttemptStoryRecord,
  after: readonly AttemptStoryRecord[],
  sequences: readonly RecoverySequence[],
  now: Instant,
): Derived {
  const own = story.advice.filter(({ desired }) => operationOf(desired) === sequence.operation);
  const [first] = own;
  const last = own.at(-1);
  if (first === undefined || last === undefined) return { spans: [], isOver: true };
  const end = endOf(last, story, sequences, now);
  const [successor] = after;
  const isRestarted = end?.outcome === "restarted";
  const isSettled = end !== undefined && now >= end.at + lateMs;
  const told: readonly Named[] = [
    [rootSpan, rootOf(sequence, story, last, end)],
    ...detection(sequence, first, story),
    ...steps(sequence, own, story, isSettled),
    ["confirm", end?.outcome === "restarted" || end?.outcome === "stopped" ? confirmed(story, own, end.at) : undefined],
    ...(isRestarted && successor !== undefined ? running(story, after, successor) : []),
  ];
  const isRunAwaited = isRestarted && successor?.attempt.endedAt === undefined;
  const spans = told.flatMap(([key, one]) => (one === undefined ? [] : [{ key, span: spanOf(sequence, key, one) }]));
  return { spans, isOver: isSettled && !isRunAwaited };
}

function spanOf({ sequenceId }: RecoverySequence, key: string, { name, service, from, to, ...said }: Told): Span {
  return {
    traceId: traceIdOf(sequenceId),
    spanId: spanIdOf(sequenceId, key),
    ...(key === rootSpan ? {} : { parentId: spanIdOf(sequenceId, rootSpan) }),
    service,
    name,
    startAt: Math.min(from, to),
    endAt: to,
    attributes: said.attributes ?? {},
    ...present({ failure: said.failure }),
  };
}

interface End {
  readonly at: Instant;
  readonly outcome: Outcome | "replaced";
}

/** Undefined: it is still being carried out, or, in observe mode, might be. */
function endOf(
  last: Advice,
  story: AttemptStoryRecord,
  sequences: readonly RecoverySequence[],
  now: Instant,
): End | undefined {
  const newest = story.advice.at(-1) ?? last;
  if (newest.generation !== last.generation) {
    const other = sequences.find(({ operation }) => operation === operationOf(newest.desired));
    return { at: other?.startedAt ?? newest.updatedAt, outcome: "replaced" };
  }
  const { desired, status, withdrawnAt, expiresAt } = last;
  const { disposition, reason, observedAt } = status;
  const outcome = outcomeOf({ desired, disposition, reason, isWithdrawn: withdrawnAt !== undefined, expiresAt }, now);
  if (outcome === "open" || outcome === "observed") return undefined;
  const at = outcome === "withdrawn" ? withdrawnAt : outcome === "expired" ? expiresAt : observedAt;
  return { at: at ?? observedAt, outcome };
}

const rootLineOf = ({ issues }: Advice): Instant | undefined => issues[0]?.detectedAt;

function rootOf(
  { operation, startedAt }: RecoverySequence,
  { attempt, advice }: AttemptStoryRecord,
  last: Advice,
  end: End | undefined,
): Told | undefined {
  if (end === undefined) return undefined;
  const { heimdallJobId, cluster, jobId, attemptIndex, workflowId } = attempt;
  const first = advice.find(({ desired }) => operationOf(desired) === operation) ?? last;
  const isGivenUp = end.outcome === "given-up";
  return {
    name: `recovery ${operation.toLowerCase().replace("_", "-")}`,
    service: "reprise-server",
    from: Math.min(rootLineOf(first) ?? startedAt, startedAt),
    to: end.at,
    attributes: {
      "reprise.cluster": cluster,
      "reprise.job": jobId,
      "reprise.attempt": attemptIndex,
      "reprise.heimdall_job_id": heimdallJobId,
      "reprise.workflow": workflowId,
      "reprise.because": last.because,
      "reprise.generation": last.generation,
      "reprise.outcome": end.outcome,
      "reprise.excluded_nodes": last.exclusions.map(({ node }) => node),
      ...present({ "reprise.cause_class": last.issues[0]?.causeClass, "reprise.domain": last.issues[0]?.domain }),
    },
    ...(isGivenUp ? { failure: `${last.status.reason}: ${last.status.message}` } : {}),
  };
}

function detection({ startedAt }: RecoverySequence, first: Advice, story: AttemptStoryRecord): readonly Named[] {
  const rootAt = rootLineOf(first);
  const seen = story.signals.filter(({ at }) => at === rootAt).map(({ recordedAt }) => recordedAt);
  const detectedAt = seen.length === 0 ? undefined : Math.min(...seen);
  const attributes = { "reprise.sentence": first.sentence };
  return [
    between("detect", "reprise-watcher", rootAt, detectedAt),
    between("decide", "reprise-server", detectedAt ?? rootAt ?? startedAt, startedAt, attributes),
  ];
}

/** @param isOver Whatever was done would have been reported: what has no end, or only another controller's milestone, is told as it is. */
function steps(
  { milestones }: RecoverySequence,
  own: readonly Advice[],
  { steps: records }: AttemptStoryRecord,
  isOver: boolean,
): readonly Named[] {
  const generations = new Set(own.map(({ generation }) => generation));
  const known = new Set(records.map(({ key }) => key));
  const ofOurs = records
    .filter(({ generation, endedAt }) => generations.has(generation) && (endedAt !== undefined || isOver))
    .map((step): Named => [stepSpan(step.key), stepOf(step)]);
  const ofOthers = milestones
    .filter(({ idempotencyKey }) => isOver && !known.has(idempotencyKey))
    .map((milestone): Named => [stepSpan(milestone.idempotencyKey), milestoneOf(milestone)]);
  return [...ofOurs, ...ofOthers];
}

const stepSpan = (key: string): string => `step/${key}`;

const milestoneOf = ({ action, completedAt: at, outcome = "" }: Milestone): Told => ({
  name: action.replace("SLURM_", "").toLowerCase().replaceAll("_", "-"),
  service: "controller",
  from: at,
  to: at,
  attributes: { "reprise.outcome": outcome },
});

function stepOf({ action, begunAt, endedAt = begunAt, outcome, detail }: StepRecord): Told {
  return {
    name: action,
    service: action === "watchdog-release" ? "reprise-watchdog" : "reprise-sac",
    from: begunAt,
    to: endedAt,
    attributes: { "reprise.outcome": outcome || "unknown", ...(detail === "" ? {} : { "reprise.detail": detail }) },
    ...(outcome === "refused" ? { failure: detail } : {}),
  };
}

function confirmed({ steps: records }: AttemptStoryRecord, own: readonly Advice[], at: Instant): Told {
  const ends = records.flatMap(({ endedAt }) => (endedAt === undefined || endedAt > at ? [] : [endedAt]));
  const from = ends.length === 0 ? (own.at(-1)?.createdAt ?? at) : Math.max(...ends);
  return { name: "confirm", service: "reprise-sac", from, to: at };
}

function running(
  story: AttemptStoryRecord,
  after: readonly AttemptStoryRecord[],
  { attempt, progress }: AttemptStoryRecord,
): readonly Named[] {
  const { startedAt, endedAt, status } = attempt;
  const releasedAt = timesOf(story, after, [])?.releasedAt;
  const { resumedAt, resumedFromStep } = progress;
  const step = present({ "reprise.resumed_from_step": resumedFromStep });
  const attributes = { "reprise.attempt": attempt.attemptIndex, "reprise.status": status, ...step };
  return [
    between("start", "slurm", releasedAt, startedAt),
    between("resume", "reprise-watcher", startedAt, resumedAt, step),
    between("run", "slurm", startedAt, endedAt, attributes),
  ];
}

const between = (
  name: string,
  service: string,
  from: Instant | undefined,
  to: Instant | undefined,
  attributes: Span["attributes"] = {},
): Named => [name, from === undefined || to === undefined ? undefined : { name, service, from, to, attributes }];
