/**
 * judge: what should follow from the attempts of one job, by the whole way of a fact: parse, fold, decide.
 *
 * In the loop   lines → signals (the watcher's reader) → **Situation → Decision**, attempt by attempt
 * Takes         a case, or the logs of one attempt in the same form.
 * Gives         the judgement on the last attempt, and the decision it comes from.
 * Pure          no clock: the times are those of the case. Every restart that was decided counts as carried out.
 * Source        testdata/cases/README.md of the watcher
 */
import { decide } from "@reprise/core/decide/decide.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Advice, AttemptRecord, Instant, JmState, JobStatus, Policy } from "@reprise/core/nouns.ts";
import { policyDefaults } from "@reprise/core/policy/policy-keys.ts";
import { type EarlierFacts, fold } from "@reprise/core/situation/situation.ts";
import { foldProgress, type ProgressRow } from "@reprise/server/manager/store/postgres/fold-progress.ts";
import { saidBy } from "@reprise/server/manager/store/rules/next-generation.ts";
import type { Case, CaseAttempt, CaseState } from "@reprise/watcher/cases/case-file.ts";
import { type ReadLine, readAttempt } from "@reprise/watcher/cases/read-attempt.ts";
import type { Matcher } from "@reprise/watcher/match/matcher.ts";
import type { ReportedSignal, SilenceLimits } from "@reprise/watcher/server.ts";

export interface Judged {
  readonly decision: Decision;
  readonly signals: readonly ReportedSignal[];
  readonly progress: ProgressRow;
}

/** The logs of one attempt, without the case around them. */
export interface Logs {
  readonly nodes: readonly string[];
  /** 0: not known. */
  readonly gpusPerNode: number;
  readonly state: Exclude<CaseState, "REQUEUED"> | "RUNNING";
  readonly lines: Iterable<ReadLine>;
  /** The first time that a line shows; 0: none does. */
  readonly startedAt: Instant;
  /** The lines show their times, so that what lies between them is silence. */
  readonly judgesSilence: boolean;
}

/** The times of a case begin here; what matters are their distances. */
const epoch: Instant = Date.UTC(2000, 0, 1);
const betweenAttemptsMs = 60_000;
/** The last line of a log is not the moment at which somebody asks. */
const afterwardsMs = 60_000;

export function judge(c: Case, matcher: Matcher): Judged {
  const policy = policyOf(c);
  const earlier: EarlierFacts[] = [];
  let startedAt = epoch;
  for (const attempt of c.attempts.slice(0, -1)) {
    earlier.push(lived(judgeAttempt(c, attempt, { policy, earlier, startedAt, matcher })));
    startedAt += attempt.lookAt * 1000 + betweenAttemptsMs;
  }
  const last = c.attempts.at(-1)!; // A case has at least one.
  return judgeAttempt(c, last, { policy, earlier, startedAt, matcher });
}

/** Yesterday's logs: one attempt, looked at when it was over, or when its last line was written. */
export function judgeLogs(logs: Logs, matcher: Matcher): Judged {
  const { nodes, gpusPerNode, state, lines, startedAt } = logs;
  const c = { id: "log", nodes, gpusPerNode, policy: {} };
  const before = { policy: policyOf(c), earlier: [], startedAt, matcher };
  const of = { heimdallJobId: c.id, attemptIndex: 0, nodes, gpuCountPerNode: gpusPerNode };
  const silence = logs.judgesSilence ? { silence: silenceOf(before.policy) } : {};
  const signals = readAttempt(of, matcher, lines, { startedAt, ...silence });
  const lookAt = (signals.at(-1)?.at ?? startedAt) + afterwardsMs;
  const second = (lookAt - startedAt) / 1000;
  const end = state === "RUNNING" ? {} : { end: { at: second, state, exitCode: 1, signal: 0 } };
  return decideOn(recordOf(c, { lookAt: second, ...end }, before), signals, lookAt, before);
}

interface Before {
  readonly policy: Policy;
  readonly earlier: readonly EarlierFacts[];
  readonly startedAt: Instant;
  readonly matcher: Matcher;
}

type JudgedAttempt = Judged & { readonly record: AttemptRecord };

function judgeAttempt(c: Case, attempt: CaseAttempt, before: Before): JudgedAttempt {
  const { startedAt, matcher } = before;
  const lookAt = startedAt + attempt.lookAt * 1000;
  const record = recordOf(c, attempt, before);
  const { heimdallJobId, attemptIndex, nodes } = record;
  const of = { heimdallJobId, attemptIndex, nodes, gpuCountPerNode: c.gpusPerNode };
  const silence = silenceOf(before.policy);
  const signals = readAttempt(of, matcher, linesOf(attempt, startedAt), { startedAt, lookAt, silence });
  return decideOn(record, signals, lookAt, before);
}

function silenceOf({ anomalyDetection }: Policy): SilenceLimits {
  const { pretrainingTimeoutSeconds, trainingLoopTimeoutSeconds } = anomalyDetection;
  return { pretrainingMs: pretrainingTimeoutSeconds * 1000, trainingLoopMs: trainingLoopTimeoutSeconds * 1000 };
}

function decideOn(
  record: AttemptRecord,
  signals: readonly ReportedSignal[],
  lookAt: Instant,
  { policy, earlier }: Before,
): JudgedAttempt {
  const progress = progressOf(signals, lookAt, record.endedAt);
  const facts = { attempt: record, progress, signals, earlier, nodes: [] };
  const decision = decide(fold(facts, lookAt), { kind: "covered", policy, warnings: [] }, lookAt);
  return { decision, signals, progress, record };
}

function lived({ decision, signals, progress, record }: JudgedAttempt): EarlierFacts {
  const facts = { attempt: { ...record, ...gone(record) }, progress, signals };
  if (decision.kind === "none") return facts;
  const at = record.updatedAt;
  const { heimdallJobId, cluster, jobId, attemptIndex, workflowId } = record;
  const advice: Advice = {
    heimdallJobId,
    cluster,
    jobId,
    attemptIndex,
    workflowId,
    generation: 1,
    ...saidBy(decision),
    status: {
      observedGeneration: 1,
      disposition: "CONVERGED",
      reason: "DESIRED_STATE_OBSERVED",
      message: "",
      observedAt: at,
    },
    createdAt: at,
    updatedAt: at,
  };
  return { ...facts, advice, requeuedByUs: advice.desired === "RESTARTED" };
}

/** An attempt that ran when it was requeued has no state of its own once the next one is there. */
function gone({ status }: AttemptRecord): Partial<AttemptRecord> {
  return status === "RUNNING" ? { status: "STOPPED", jmState: "REQUEUED" } : {};
}

function policyOf({ policy }: Pick<Case, "policy">): Policy {
  const { maxRequeueTimes, pretrainingTimeoutSeconds, trainingTimeoutSeconds } = policy;
  const detection = policyDefaults.anomalyDetection;
  return {
    ...policyDefaults,
    autoResumeMode: "requeue",
    charge: "workload",
    maxRequeueTimes: maxRequeueTimes ?? policyDefaults.maxRequeueTimes,
    anomalyDetection: {
      ...detection,
      slowdown: true,
      pretrainingTimeoutSeconds: pretrainingTimeoutSeconds ?? detection.pretrainingTimeoutSeconds,
      trainingLoopTimeoutSeconds: trainingTimeoutSeconds ?? detection.trainingLoopTimeoutSeconds,
    },
  };
}

const statusOf: Readonly<Record<Exclude<CaseState, "REQUEUED">, JobStatus>> = {
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  OUT_OF_MEMORY: "FAILED",
  TIMEOUT: "FAILED",
  NODE_FAIL: "FAILED",
  PREEMPTED: "STOPPED",
  CANCELLED: "CANCELLED",
};

function recordOf(
  c: Pick<Case, "id" | "nodes" | "gpusPerNode">,
  { end, lookAt }: Pick<CaseAttempt, "end" | "lookAt">,
  { startedAt, policy, earlier }: Before,
): AttemptRecord {
  const at = startedAt + lookAt * 1000;
  // The question is asked just before the requeue that the file tells of.
  const state = end === undefined || end.state === "REQUEUED" ? undefined : end.state;
  const slurm = {
    slurmState: state ?? "RUNNING",
    reason: "None",
    exitCode: state === undefined ? 0 : (end?.exitCode ?? 0),
    signal: state === undefined ? 0 : (end?.signal ?? 0),
    partition: "",
    submitTime: startedAt,
  };
  return {
    heimdallJobId: `${c.id}-${earlier.length}`,
    cluster: "default",
    jobId: c.id,
    workflowId: c.id,
    incarnation: 0,
    attemptIndex: earlier.length,
    nodes: c.nodes,
    gpuCountPerNode: c.gpusPerNode,
    nodeConstraints: { exclusions: [], inclusions: [] },
    status: state === undefined ? "RUNNING" : statusOf[state],
    jmState: (state ?? "RUNNING") satisfies JmState,
    schedulerMetadata: { slurm },
    coverage: { kind: "covered", policy, warnings: [] },
    startedAt,
    ...(state === undefined || end === undefined ? {} : { endedAt: startedAt + end.at * 1000 }),
    createdAt: startedAt,
    updatedAt: at,
    lastSeenAt: at,
  };
}

function linesOf({ log, nodeLog }: CaseAttempt, startedAt: Instant): readonly ReadLine[] {
  const offsets = new Map<string, number>();
  const line = ({ second, text }: { second: number; text: string }, path: string, node?: string): ReadLine => {
    const bytes = new TextEncoder().encode(text);
    const offset = offsets.get(path) ?? 0;
    offsets.set(path, offset + bytes.length + 1);
    return { at: startedAt + second * 1000, bytes, offset, path, ...(node === undefined ? {} : { node }) };
  };
  const own = log.map((entry) => line(entry, "log"));
  const nodes = nodeLog.map((entry) => line(entry, entry.node, entry.node));
  return [...own, ...nodes].toSorted((a, b) => a.at - b.at);
}

function progressOf(signals: readonly ReportedSignal[], readAt: Instant, endedAt: Instant | undefined): ProgressRow {
  const steps = signals.reduce<ProgressRow>(foldProgress, {});
  return { ...steps, logReadAt: readAt, ...(endedAt === undefined ? {} : { logEndedAt: readAt }) };
}
