/**
 * create-store: the contract of `manager/store.ts` over one database. Both bodies are made here.
 *
 * Keeps    every write is one transaction; who listens hears of it after its commit. A transaction that PostgreSQL gave up because
 *          of another one (deadlock, serialisation) is tried again, at most `attemptsMax` times: it has changed nothing.
 */
import type { CourseStore } from "../../course-store.ts";
import type { NoticeStore } from "../../notice-store.ts";
import type { TraceStore } from "../../trace-store.ts";
import type { Store } from "../../store.ts";
import { listAuditEvents, recordAuditEvents } from "./audit-store.ts";
import { getAdvice, listAdvice, listWork } from "./advice-store.ts";
import type { Changes, Written } from "./changes.ts";
import { clusterOrders, orderCluster, previewClusterOrder } from "./cluster-order-store.ts";
import * as courses from "./course-store.ts";
import { recordDecisions } from "./decision-store.ts";
import { clearNode, loadClearances } from "./clearance-store.ts";
import { listExcluding, recordEvidence } from "./evidence-store.ts";
import { claimUndecided } from "./facts-store.ts";
import { figuresIn, recoveriesIn } from "./figures-store.ts";
import { shadowIn } from "./shadow-store.ts";
import { loadGraph, reconsider } from "./graph-store.ts";
import * as jobs from "./job-query.ts";
import { acquireLease } from "./lease-store.ts";
import { loadFacts, story } from "./load-facts.ts";
import { listJobs } from "./list-jobs.ts";
import { reportNodeLines } from "./node-line-store.ts";
import { claimNodeLogs } from "./node-log-store.ts";
import { createNodeCache, listNodes } from "./node-store.ts";
import * as notices from "./notice-store.ts";
import { countJobs, leaseOf, listStandings } from "./now-store.ts";
import { previewOverride, setOverride } from "./override-store.ts";
import { passOf } from "./pass-store.ts";
import { inBatches } from "./report-batch.ts";
import { reportPass, upsertJobs } from "./report-store.ts";
import { expire } from "./retention-store.ts";
import type { Db, Tx } from "./schema.ts";
import { getSequence, recordMilestone, sequencesOf } from "./sequence-store.ts";
import { recordSignals } from "./signal-store.ts";
import { observeStatus } from "./status-store.ts";
import { claimTargets } from "./target-store.ts";
import { createToken, listTokens, revokeToken } from "./token-store.ts";
import { claimTraces, tellSpans } from "./trace-store.ts";
import { loadEvidence } from "./select-evidence.ts";

const attemptsMax = 5;

export function createStore(db: Db, changes: Changes): Store {
  const nodes = createNodeCache();
  const write = async <T>(body: (tx: Tx) => Promise<Written<T>>): Promise<T> => {
    const written = await again(() =>
      db.transaction().execute(async (tx) => {
        const result = await body(tx);
        await changes.announce(tx, result.changes);
        return result;
      }),
    );
    changes.emit(written.changes);
    return written.answer;
  };
  const snapshot = <T>(body: (tx: Tx) => Promise<T>): Promise<T> =>
    db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(body);

  return {
    upsertJob: inBatches((reports) => write((tx) => upsertJobs(tx, reports))),
    reportPass: (report, now) => write((tx) => reportPass(tx, report, now)),
    passState: async (cluster) => (await passOf(db, cluster))?.state,

    getJobByUuid: (heimdallJobId) => jobs.getJobByUuid(db, heimdallJobId),
    getJobByAttempt: (cluster, jobId, attemptIndex) => jobs.getJobByAttempt(db, cluster, jobId, attemptIndex),
    listJobs: (filter, slice) => listJobs(db, filter, slice),
    listJobsBySchedulerId: (jobId, slice) => jobs.listJobsBySchedulerId(db, jobId, slice),
    listWorkflows: (slice) => jobs.listWorkflows(db, slice),
    getWorkflow: (workflowId) => jobs.getWorkflow(db, workflowId),

    recordSignals: (report, now) => write((tx) => recordSignals(tx, report, now)),
    claimTargets: (ask, leaseMs, now) => again(() => claimTargets(db, ask, leaseMs, now)),
    reportNodeLines: (report, now) => write((tx) => reportNodeLines(tx, report, now)),
    claimNodeLogs: (ask, leaseMs, now) => again(() => claimNodeLogs(db, ask, leaseMs, now)),

    claimUndecided: (limit, claimMs, now) => claimUndecided(db, limit, claimMs, now),
    loadFacts: (heimdallJobIds, now) => snapshot((tx) => loadFacts(tx, nodes, heimdallJobIds, now)),
    loadGraph: () => loadGraph(db),
    reconsider: (heimdallJobIds, now) =>
      again(() => db.transaction().execute((tx) => reconsider(tx, heimdallJobIds, now))),
    recordDecisions: (decided, now) => write((tx) => recordDecisions(tx, decided, now)),

    recordEvidence: (of, accusations, now) => write((tx) => recordEvidence(tx, of, accusations, now)),
    clearNode: (cluster, clearance, now) => write((tx) => clearNode(tx, cluster, clearance, now)),
    loadClearances: (cluster, now) => loadClearances(db, cluster, now),
    loadEvidence: (cluster, now) => loadEvidence(db, cluster, now),
    listNodes: (cluster) => listNodes(db, cluster),
    listExcluding: (cluster, now, limit) => listExcluding(db, cluster, now, limit),

    setOverride: (target, order, now) => write((tx) => setOverride(tx, target, order, now)),
    previewOverride: (target, order, now) => snapshot((tx) => previewOverride(tx, target, order, now)),
    clusterOrders: (cluster) => clusterOrders(db, cluster),
    orderCluster: (cluster, order, now) => write((tx) => orderCluster(tx, cluster, order, now)),
    previewClusterOrder: (cluster, order, now) => snapshot((tx) => previewClusterOrder(tx, cluster, order, now)),

    listStandings: (filter, walk, now) => snapshot((tx) => listStandings(tx, filter, walk, now)),
    countJobs: (cluster, endedFrom, now) => countJobs(db, cluster, endedFrom, now),
    leaseOf: (cluster) => leaseOf(db, cluster),

    listAdvice: (filter, slice, now) => listAdvice(db, filter, slice, now),
    getAdvice: (heimdallJobId) => getAdvice(db, heimdallJobId),
    observeStatus: (heimdallJobId, status, now) => write((tx) => observeStatus(tx, heimdallJobId, status, now)),
    listWork: (cluster) => snapshot((tx) => listWork(tx, cluster)),

    acquireLease: (cluster, holder, leaseMs, now) =>
      again(() => db.transaction().execute((tx) => acquireLease(tx, cluster, holder, leaseMs, now))),
    story: (cluster, jobId) => snapshot((tx) => story(tx, cluster, jobId)),
    figuresIn: (window, limit) => snapshot((tx) => figuresIn(tx, window, limit)),
    recoveriesIn: (window, limit) => snapshot((tx) => recoveriesIn(tx, window, limit)),
    shadowIn: (window, limit) => snapshot((tx) => shadowIn(tx, window, limit)),

    createToken: (token, now) => db.transaction().execute((tx) => createToken(tx, token, now)),
    listTokens: () => listTokens(db),
    revokeToken: (id, now) => revokeToken(db, id, now),

    recordAuditEvents: (events) => again(() => db.transaction().execute((tx) => recordAuditEvents(tx, events))),
    listAuditEvents: (filter, walk) => listAuditEvents(db, filter, walk),

    ...coursesOver(db),
    ...noticesOver(db),
    ...tracesOver(db),

    getSequence: (name) => snapshot((tx) => getSequence(tx, name)),
    sequencesOf: (heimdallJobIds) => snapshot((tx) => sequencesOf(tx, heimdallJobIds)),
    recordMilestone: (sequenceId, operation, milestone) =>
      again(() => db.transaction().execute((tx) => recordMilestone(tx, sequenceId, operation, milestone))),

    expire: (expiry) => again(() => db.transaction().execute((tx) => expire(tx, expiry))),

    onChange: (listener) => changes.subscribe(listener),
    async close() {
      await changes.close();
      await db.destroy();
    },
  };
}

const coursesOver = (db: Db): CourseStore => ({
  recordCourses: (reports) => again(() => db.transaction().execute((tx) => courses.recordCourses(tx, reports))),
  coursesOf: (heimdallJobIds) => courses.coursesOf(db, heimdallJobIds),
  contextsOf: (heimdallJobIds) => courses.contextsOf(db, heimdallJobIds),
});

const tracesOver = (db: Db): TraceStore => ({
  claimTraces: (claim, now) => again(() => db.transaction().execute((tx) => claimTraces(tx, claim, now))),
  tellSpans: (sequenceId, names, dueAt) =>
    again(() => db.transaction().execute((tx) => tellSpans(tx, sequenceId, names, dueAt))),
});

const noticesOver = (db: Db): NoticeStore => ({
  holdConditions: (cluster, conditions, now) =>
    again(() => db.transaction().execute((tx) => notices.holdConditions(tx, cluster, conditions, now))),
  recordNotices: (given, addressees, now) =>
    again(() => db.transaction().execute((tx) => notices.recordNotices(tx, given, addressees, now))),
  claimNotices: (claim, now) => again(() => notices.claimNotices(db, claim, now)),
  settleNotices: (receiver, keys, sending) => again(() => notices.settleNotices(db, receiver, keys, sending)),
});

/** serialization_failure and deadlock_detected. */
const givenUp: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if (!givenUp.has(code) || attempt >= attemptsMax) throw error;
    }
  }
}
