/**
 * make-call: makes the calls of `calls.ts` on a store, and reads everything that can be read of it.
 *
 * Gives   answers that may be compared: a refusal as its code, and without an order where the contract promises none.
 */
import type { Advise, Decision } from "@reprise/core/decide/decision.ts";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import { sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import { jobStandings } from "@reprise/core/now/job-standing.ts";
import type { Coverage, Instant, JmState, JobStatus, SignalKind } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { StandingRecord } from "../../now-store.ts";
import type { JobFilter, JobReport, StepRecord, Store } from "../../store.ts";
import type { Call, CallOf } from "./calls.ts";
import {
  course,
  covered,
  crash,
  hour,
  issue,
  none,
  noon,
  notCovered,
  pass,
  position,
  restart,
  settleDecisions,
  status,
  terminate,
} from "./world.ts";

/** What the calls so far have led to. */
export interface Made {
  now: Instant;
  readonly uuids: Set<string>;
  held: readonly string[];
  readonly versions: Map<string, string>;
}

type Ask = (store: Store) => Promise<unknown>;
const leaseMs = 30_000;

/** @returns How to make that call on one store; it may be made on several. */
export function make(call: Call, made: Made): Ask {
  made.now += call.afterMs;
  const ask = asks[call.kind] as (call: Call, made: Made) => Ask;
  const makeOn = ask(call, made);
  return (store) => makeOn(store).catch(said);
}

function said(error: unknown): unknown {
  if (error instanceof Refusal) return { refused: error.code, message: error.message };
  const { code } = error as { code?: unknown };
  if (code === "23505" || (error as Error).message.includes("already, not")) return "a second row for one attempt";
  throw error;
}

const asks: { readonly [Kind in Call["kind"]]: (call: CallOf<Kind>, made: Made) => Ask } = {
  upsertJob: ({ cluster, job }, made) => {
    const { now } = made;
    const report = reportOf(job, cluster, made);
    return async (store) => {
      const saved = await store.upsertJob(report, now);
      made.uuids.add(saved.heimdallJobId);
      return saved;
    };
  },
  reportPass: (call, made) => {
    const { now } = made;
    const changed = call.changed.map((job) => reportOf(job, call.cluster, made));
    const named = changed.flatMap(({ jobId, attemptIndex }) => (jobId === undefined ? [] : [{ jobId, attemptIndex }]));
    const report = pass(now - call.takenBeforeMs, {
      cluster: call.cluster,
      leaseTerm: call.leaseTerm,
      complete: call.complete && !call.unavailable,
      ...(call.unavailable ? { unavailable: "slurmctld is away" } : { changed }),
      seen: call.unavailable ? [] : call.isSeenAll ? [...call.seen, ...named] : call.seen,
      nodes: call.unavailable ? [] : call.nodes.map((name) => nodeOf(name, call.areEligible)),
      steps: call.steps.map((step) => stepOf(step, made)),
      mode: call.mode,
    });
    return async (store) => {
      const answer = await store.reportPass(report, now);
      for (const uuid of answer.heimdallJobIds) made.uuids.add(uuid);
      return [answer, await store.passState(call.cluster)];
    };
  },
  recordSignals: (call, made) => {
    const { now } = made;
    const signals = call.signals.map(({ which, kind, key, atMs, step, root }) =>
      crash(attempt(which, made), {
        kind: kind as SignalKind,
        key,
        at: noon + atMs,
        root,
        ...(step === null ? {} : { step }),
      }),
    );
    const positions = call.positions.map(({ which, path, offset, ended, readable }) =>
      position(attempt(which, made), offset, { path, ended, ...(readable ? {} : { unreadable: "EACCES" }) }),
    );
    return (store) => store.recordSignals({ reporter: call.reporter, signals, positions }, now);
  },
  recordCourses: ({ courses }, made) => {
    const reports = courses.map(({ which, atMs, step, key }) =>
      course(attempt(which, made), {
        points: [{ at: noon + atMs, step }],
        contexts: [{ key, before: [`step ${step}`], after: ["\0"] }],
      }),
    );
    return (store) => store.recordCourses(reports);
  },
  claimTargets: ({ watcher, renew, release }, made) => {
    const { now, held } = made;
    const ask = {
      watcher,
      limit: 100,
      renew: renew ? held : [],
      // As they came last, whoever got them: some are old.
      known: new Map(made.versions),
      release: release.map((which) => attempt(which, made).heimdallJobId),
    };
    return async (store) => {
      const claimed = await store.claimTargets(ask, leaseMs, now);
      for (const { attempt, version } of claimed.targets) made.versions.set(attempt.heimdallJobId, version);
      made.held = [...claimed.targets.map(({ attempt }) => attempt.heimdallJobId), ...claimed.unchanged];
      return claimed;
    };
  },
  reportNodeLines: ({ cluster, reporter, lines, positions }, { now }) => {
    const report = {
      reporter,
      cluster,
      lines: lines.map(({ agoMs, ...line }) => ({ ...line, at: now - agoMs, line: "NVRM: Xid", path: "/logs/kern" })),
      positions: positions.map((node) => ({
        node,
        path: "/logs/kern",
        device: "1",
        inode: "7",
        mark: "",
        offset: now,
      })),
    };
    return (store) => store.reportNodeLines(report, now);
  },
  claimNodeLogs: ({ watcher, limit }, { now }) => {
    return (store) => store.claimNodeLogs({ watcher, limit }, leaseMs, now);
  },
  claimUndecided: (_call, { now }) => {
    return async (store) => (await store.claimUndecided(100, 10_000, now)).toSorted();
  },
  reconsider: ({ which }, made) => {
    const { now } = made;
    return (store) => store.reconsider([attempt(which, made).heimdallJobId], now);
  },
  recordDecisions: ({ decisions }, made) => {
    const { now } = made;
    const wanted = new Map(
      decisions.map(({ which, decision, behind, reconsiderMs }) => {
        const decided = decisionOf(decision, reconsiderMs === null ? {} : { reconsiderAt: now + reconsiderMs });
        return [attempt(which, made).heimdallJobId, { decision: decided, behind }];
      }),
    );
    return async (store) => {
      const facts = await store.loadFacts([...wanted.keys()], now);
      const seqOf = new Map(facts.map((one) => [one.attempt.heimdallJobId, one.factsSeq]));
      const decided = [...wanted].map(([heimdallJobId, { decision, behind }]) => {
        return { heimdallJobId, factsSeq: (seqOf.get(heimdallJobId) ?? 0) - behind, decision };
      });
      return [facts, await store.recordDecisions(decided, now)];
    };
  },
  recordEvidence: ({ which, behind, nodes, atMs, lifeMs, confidence, counts }, made) => {
    const { now } = made;
    const { heimdallJobId } = attempt(which, made);
    const at = now + atMs;
    const words = { cause: "ecc", causeClass: "hardware-node", domain: "hardware" } as const;
    const evidence = { source: "log", line: "ecc", at } as const;
    const entries = nodes.map((node) => ({ node, ...words, confidence, counts, at, expiresAt: at + lifeMs, evidence }));
    return async (store) => {
      const [{ factsSeq } = { factsSeq: 0 }] = await store.loadFacts([heimdallJobId], now);
      const said = [{ heimdallJobId, factsSeq: factsSeq - behind, entries }];
      return [
        await store.recordEvidence("default", said, now),
        await store.loadEvidence("default", now),
        await store.listExcluding("default", now, 10),
      ];
    };
  },
  observeStatus: ({ which, generation, disposition, message }, made) => {
    const { now } = made;
    const reasons = { PENDING: "OBSERVE_MODE", CONVERGED: "DESIRED_STATE_OBSERVED", ABANDONED: "UNSPECIFIED" } as const;
    const reason = reasons[disposition];
    const observed = status(generation, { disposition, reason, message, observedAt: now });
    return (store) => store.observeStatus(attempt(which, made).heimdallJobId, observed, now);
  },
  setOverride: ({ cluster, action, which, jobId, generation }, made) => {
    const { now } = made;
    const target = which === null ? { cluster, jobId } : attempt(which, made);
    const order = { action, reason: "words", by: "op", ...(generation === null ? {} : { generation }) };
    return (store) => store.setOverride(target, order, now);
  },
  acquireLease: ({ cluster, holder }, { now }) => {
    return (store) => store.acquireLease(cluster, holder, leaseMs, now);
  },
  expire: ({ what, ageMs, limit }, made) => {
    const { now } = made;
    return async (store) => {
      await settleDecisions(store, now);
      return await store.expire({ [what]: now - ageMs, limit });
    };
  },
  recordMilestone: ({ which, operation, action, key, completedMs }, made) => {
    const sequenceId = sequenceIdOf(attempt(which, made).heimdallJobId, operation);
    const milestone = { idempotencyKey: key, action, completedAt: noon + completedMs };
    return (store) => store.recordMilestone(sequenceId, operation, milestone);
  },
  recordAuditEvents: ({ events }, made) => {
    const named = events.map(({ which, key, ...event }) => ({
      ...event,
      ...(which === null ? {} : { heimdallJobId: attempt(which, made).heimdallJobId }),
      ...(key === null ? {} : { idempotencyKey: key }),
    }));
    return (store) => store.recordAuditEvents(named);
  },
  listJobs: ({ filter, offset }) => {
    return (store) => store.listJobs(filters[filter] ?? {}, { offset, limit: 3 });
  },
  listAdvice: ({ onlyActive }, { now }) => {
    return async (store) => {
      const first = await store.listAdvice({ onlyActive }, { limit: 1 }, now);
      const [last] = first.rows;
      return [first, last && (await store.listAdvice({ onlyActive }, { before: last, limit: 2 }, now))];
    };
  },
};

const filters: readonly JobFilter[] = [
  {},
  { workflowIds: ["shared"] },
  { jobIds: ["7"] },
  { jmState: "REQUEUED" },
  { reconciliationEligible: true },
  { completed: true },
  { completed: false },
  { endTimeFrom: noon + 1_000, endTimeTo: noon + hour },
  { workflowIds: ["shared", "wf-7"] },
  { workflowIds: ["wf-7"] },
  { jobIds: ["7", "8"], workflowIds: ["shared"] },
];

/** Everything that can be read. */
export async function everything(store: Store, { uuids, now }: Made): Promise<unknown> {
  const all = { offset: 0, limit: 1000 };
  const jobs = await store.listJobs({}, all);
  const perAttempt = [];
  for (const uuid of [...uuids, attempt(99, { uuids }).heimdallJobId]) {
    perAttempt.push([await store.getJobByUuid(uuid), await store.loadFacts([uuid], now), await store.getAdvice(uuid)]);
  }
  const perJob = [];
  for (const [cluster, jobId] of [
    ["default", "7"],
    ["default", "8"],
    ["other", "7"],
    ["other", "8"],
  ] as const) {
    perJob.push(await store.story(cluster, jobId), await store.getJobByAttempt(cluster, jobId, 1));
    perJob.push(await store.listJobsBySchedulerId(jobId, all));
  }
  const { rows } = await store.listWorkflows(all);
  const workflows = rows.toSorted((a, b) => (a.workflowId < b.workflowId ? -1 : 1)); // Of one pass: in any order.
  const advice = await store.listAdvice({ onlyActive: false }, { limit: 1000 }, now);
  const work = [await store.listWork("default", now), await store.listWork("other", now)];
  const sequences = await store.sequencesOf([...uuids]);
  const courses = [await store.coursesOf([...uuids]), await store.contextsOf([...uuids])];
  const { rows: events } = await store.listAuditEvents({}, { order: "asc", limit: 10_000 });
  const audit = events.map(({ id: _, ...event }) => event);
  const graph = (await store.loadGraph()).toSorted((a, b) => (a.heimdallJobId < b.heimdallJobId ? -1 : 1));
  const passes = [await store.passState("default"), await store.passState("other")];
  const clusterOrders = await store.clusterOrders("default");
  const figures = await store.figuresIn({ from: 0, to: now + 1 }, 1_000);
  const shadow = await store.shadowIn({ from: 0, to: now + 1 }, 1_000);
  const evidence = [await store.loadEvidence("default", 0), await store.loadEvidence("other", now)];
  const nodes = [await store.listNodes("default"), await store.listNodes("other")];
  const excluding = await store.listExcluding("default", now, 1000);
  const standings = [];
  for (const cluster of ["default", "other"]) {
    standings.push((await store.listStandings({ cluster }, { limit: 1_000 }, now)).rows.map(settledRow));
    for (const standing of jobStandings)
      standings.push((await store.listStandings({ cluster, standing }, { limit: 1_000 }, now)).rows.map(settledRow));
    standings.push(await store.countJobs(cluster, now - hour, now), await store.leaseOf(cluster));
  }
  return {
    standings,
    evidence,
    nodes,
    excluding,
    jobs,
    perAttempt,
    perJob,
    workflows,
    advice,
    sequences,
    courses,
    audit,
    work,
    graph,
    passes,
    clusterOrders,
    figures,
    shadow,
  };
}

/** The decision itself stands in the story; here only whether there is one. */
const settledRow = ({ decision, ...row }: StandingRecord) => ({ ...row, isDecided: decision !== undefined });

function attempt(which: number, { uuids }: Pick<Made, "uuids">): { readonly heimdallJobId: string } {
  return { heimdallJobId: [...uuids][which] ?? attemptUuid({ jobId: "unheard-of", attemptIndex: 0 }) };
}

const states: Readonly<Record<string, { readonly status?: JobStatus; readonly jmState?: JmState }>> = {
  running: { status: "RUNNING", jmState: "RUNNING" },
  pending: { status: "PENDING", jmState: "PENDING" },
  failed: { status: "FAILED", jmState: "FAILED" },
  completed: { status: "COMPLETED", jmState: "COMPLETED" },
  cancelled: { status: "CANCELLED" },
  "node-fail": { status: "FAILED", jmState: "NODE_FAIL" },
  deleted: { status: "DELETED" },
  unlisted: { jmState: "UNKNOWN" },
  silent: {},
};

type Job = CallOf<"upsertJob">["job"];

function reportOf(job: Job, cluster: string, made: Made): JobReport {
  const { jobId, attemptIndex, named, sluid, submitted } = job;
  const uuid =
    named === "by-wrong-uuid" ? attemptUuid({ jobId: "wrong", attemptIndex }) : attempt(job.uuid, made).heimdallJobId;
  return {
    cluster,
    ...(named === "by-uuid" ? {} : { jobId }),
    ...(named === "by-job" ? {} : { heimdallJobId: uuid }),
    attemptIndex,
    workflowId: job.workflow === "own" ? `wf-${jobId}` : job.workflow,
    ...states[job.state],
    coverage: job.covered ? waitingFor(job.waitsFor) : notCovered,
    ...(job.waitsFor === null ? {} : { jobName: "train" }),
    ...(job.speaks ? { recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE" } } : {}),
    nodes: job.nodes,
    schedulerMetadata: { slurm: { nodes: job.nodes } },
    ...(submitted === null ? {} : { submitAt: noon + (attemptIndex + submitted) * hour }),
    ...(sluid === null ? {} : { sluid }),
  };
}

function waitingFor(named: string | null): Coverage {
  if (named === null || covered.kind !== "covered") return covered;
  const parent = named.startsWith(":") ? { jobName: named.slice(1) } : { jobId: named };
  return { ...covered, policy: { ...covered.policy, dagDependencies: [{ ...parent, trigger: "on_success" }] } };
}

/** Put down to a line that there may be. */
const issues: Advise["issues"] = [{ ...issue, detectedAt: noon + 2_000 }];

function decisionOf(
  kind: CallOf<"recordDecisions">["decisions"][number]["decision"],
  change: { readonly reconsiderAt?: Instant },
): Decision {
  switch (kind) {
    case "restart":
      return restart(["n1"], { ...change, issues });
    case "restart-more":
      return restart(["n1", "n2"], { ...change, issues });
    case "ordered":
      return restart(["n1"], { ...change, issues, because: "override-restart" });
    case "terminate":
      return { ...terminate(), issues };
    case "none":
      return none(change);
    case "withdraw":
      return none({ ...change, withdraw: true });
  }
  throw new Error(`decision ${String(kind)}: is none of those that calls.ts knows`);
}

function nodeOf(name: string, isEligible: boolean) {
  return { name, state: isEligible ? "idle" : "drained", isEligible, partitions: ["gpu"] };
}

function stepOf({ key, end }: CallOf<"reportPass">["steps"][number], made: Made): StepRecord {
  const { heimdallJobId } = attempt(key, made);
  const named = { key: `s${key}`, heimdallJobId, jobId: "7", attemptIndex: 0, generation: 1, action: "requeue-hold" };
  return { ...named, begunAt: noon, ...(end === null ? {} : { endedAt: noon + 1 }), outcome: end ?? "", detail: "" };
}
