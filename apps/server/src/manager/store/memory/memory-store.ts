/**
 * memory-store: the store in this process's memory: for the simulator and for tests. `store.contract.ts` judges it, and
 * `contract/same-answers.contract.ts` compares it with PostgreSQL call by call.
 *
 * Gives    a handle, as one replica of the server has it; `replica()` gives another one on the same state.
 * Keeps    each call is one transaction, carried out whole before the next one begins; a call that refuses has changed nothing.
 *          Promises settle in microtasks: the same calls in the same order give the same answers, always.
 * Fails    as PostgreSQL does: with a `Refusal`, or an error for a fractional number in a column of whole ones. A database that is
 *          away, slow, or loses its answer is made with `with-faults.ts`.
 */
import type { CourseStore } from "../../course-store.ts";
import type { EvidenceStore } from "../../evidence-store.ts";
import type { NoticeStore } from "../../notice-store.ts";
import type { TraceStore } from "../../trace-store.ts";
import type { StoredAuditEvent } from "../../audit/audit-trail.ts";
import type { RecoverySequences } from "../../sequence/recovery-sequence.ts";
import type { Change, Store } from "../../store.ts";
import { createLocalChanges, type Changes, type Written } from "../postgres/changes.ts";
import { clearNode } from "./clearance-table.ts";
import { loadClearances, loadEvidence } from "./evidence-rows.ts";
import { listExcluding, recordEvidence } from "./evidence-table.ts";
import { getAdvice, listAdvice, listWork, observeStatus, recordDecisions } from "./advice-table.ts";
import { listAuditEvents, recordAuditEvents } from "./audit-table.ts";
import { claimUndecided } from "./facts-table.ts";
import { figuresIn, recoveriesIn } from "./figures-table.ts";
import { shadowIn } from "./shadow-table.ts";
import { loadGraph, reconsider } from "./graph-table.ts";
import * as courses from "./course-table.ts";
import * as jobs from "./job-query.ts";
import { clusterOrders, orderCluster, previewClusterOrder } from "./cluster-order-table.ts";
import { acquireLease } from "./lease-table.ts";
import { listJobs } from "./list-jobs.ts";
import { loadFacts, passState, story } from "./load-facts.ts";
import { nodesOf } from "./node-table.ts";
import { countJobs, leaseOf, listStandings } from "./now-table.ts";
import { previewOverride, setOverride } from "./override-table.ts";
import { reportPass, upsertJob } from "./report-job.ts";
import { expire } from "./retention-table.ts";
import { claimNodeLogs, reportNodeLines } from "./node-log-table.ts";
import { claimNotices, holdConditions, recordNotices, settleNotices } from "./notice-table.ts";
import { getSequence, recordMilestone, sequencesOf } from "./sequence-table.ts";
import { recordSignals } from "./signal-table.ts";
import { copyTables, emptyTables, type Tables } from "./tables.ts";
import { claimTargets } from "./target-table.ts";
import { createToken, listTokens, revokeToken } from "./token-table.ts";
import { claimTraces, tellSpans } from "./trace-table.ts";

/** Everything that was committed, as it was at one moment. It can be loaded any number of times. */
export interface Snapshot {
  readonly tables: Tables;
}

export interface MemoryStore extends Store {
  /** Another handle on the same state. It is closed by itself. */
  replica(): MemoryStore;
  dump(): Snapshot;
  /** For all handles. Nobody is told: who listens looks again at his next poll. */
  load(snapshot: Snapshot): void;
  /** All audit rows, oldest first. */
  audit(): readonly StoredAuditEvent[];
}

/** What all handles share. */
interface Database {
  tables: Tables;
  readonly changes: Changes;
}

export const createMemoryStore = (): MemoryStore => connect({ tables: emptyTables(), changes: createLocalChanges() });

type Read = <T>(body: (t: Tables) => T) => Promise<T>;
type Write = <T>(body: (t: Tables) => Written<T>) => Promise<T>;

const evidenceOver = (read: Read, write: Write): EvidenceStore => ({
  recordEvidence: (of, accusations, now) => write((t) => recordEvidence(t, of, accusations, now)),
  loadEvidence: (cluster, now) => read((t) => loadEvidence(t, cluster, now)),
  clearNode: (cluster, clearance, now) => write((t) => clearNode(t, cluster, clearance, now)),
  loadClearances: (cluster, now) => read((t) => loadClearances(t, cluster, now)),
  listNodes: (cluster) => read((t) => nodesOf(t, cluster)),
  listExcluding: (cluster, now, limit) => read((t) => listExcluding(t, cluster, now, limit)),
});

const noticesOver = (read: Read): NoticeStore => ({
  holdConditions: (cluster, conditions, now) => read((t) => holdConditions(t, cluster, conditions, now)),
  recordNotices: (given, addressees, now) => read((t) => recordNotices(t, given, addressees, now)),
  claimNotices: (claim, now) => read((t) => claimNotices(t, claim, now)),
  settleNotices: (receiver, keys, sending) => read((t) => settleNotices(t, receiver, keys, sending)),
});

const coursesOver = (read: Read): CourseStore => ({
  recordCourses: (reports) => read((t) => courses.recordCourses(t, reports)),
  coursesOf: (heimdallJobIds) => read((t) => courses.coursesOf(t, heimdallJobIds)),
  contextsOf: (heimdallJobIds) => read((t) => courses.contextsOf(t, heimdallJobIds)),
});

const sequencesOver = (read: Read): RecoverySequences => ({
  getSequence: (name) => read((t) => getSequence(t, name)),
  sequencesOf: (heimdallJobIds) => read((t) => sequencesOf(t, heimdallJobIds)),
  recordMilestone: (sequenceId, operation, milestone) =>
    read((t) => recordMilestone(t, sequenceId, operation, milestone)),
});

const tracesOver = (read: Read): TraceStore => ({
  claimTraces: (claim, now) => read((t) => claimTraces(t, claim, now)),
  tellSpans: (sequenceId, names, dueAt) => read((t) => tellSpans(t, sequenceId, names, dueAt)),
});

function connect(database: Database): MemoryStore {
  const listening = new Set<() => void>();
  let isClosed = false;
  const read: Read = async (body) => {
    if (isClosed) throw new Error("the store is closed");
    return body(database.tables);
  };
  const write: Write = async (body) => {
    const { answer, changes } = await read(body);
    database.changes.emit(changes);
    return answer;
  };
  return {
    upsertJob: (report, now) => write((t) => upsertJob(t, report, now)),
    reportPass: (report, now) => write((t) => reportPass(t, report, now)),
    passState: (cluster) => read((t) => passState(t, cluster)),

    getJobByUuid: (heimdallJobId) => read((t) => jobs.getJobByUuid(t, heimdallJobId)),
    getJobByAttempt: (cluster, jobId, attemptIndex) =>
      read((t) => jobs.getJobByAttempt(t, cluster, jobId, attemptIndex)),
    listJobs: (filter, slice) => read((t) => listJobs(t, filter, slice)),
    listJobsBySchedulerId: (jobId, slice) => read((t) => jobs.listJobsBySchedulerId(t, jobId, slice)),
    listWorkflows: (slice) => read((t) => jobs.listWorkflows(t, slice)),
    getWorkflow: (workflowId) => read((t) => jobs.getWorkflow(t, workflowId)),

    recordSignals: (report, now) => write((t) => recordSignals(t, report, now)),
    claimTargets: (ask, leaseMs, now) => read((t) => claimTargets(t, ask, leaseMs, now)),
    reportNodeLines: (report, now) => write((t) => reportNodeLines(t, report, now)),
    claimNodeLogs: (ask, leaseMs, now) => read((t) => claimNodeLogs(t, ask, leaseMs, now)),

    claimUndecided: (limit, claimMs, now) => read((t) => claimUndecided(t, limit, claimMs, now)),
    loadFacts: (heimdallJobIds, now) => read((t) => loadFacts(t, heimdallJobIds, now)),
    loadGraph: () => read(loadGraph),
    reconsider: (heimdallJobIds, now) => read((t) => reconsider(t, heimdallJobIds, now)),
    recordDecisions: (decided, now) => write((t) => recordDecisions(t, decided, now)),

    ...evidenceOver(read, write),
    ...coursesOver(read),
    ...noticesOver(read),
    ...sequencesOver(read),
    ...tracesOver(read),

    setOverride: (target, order, now) => write((t) => setOverride(t, target, order, now)),
    previewOverride: (target, order, now) => read((t) => previewOverride(t, target, order, now)),
    clusterOrders: (cluster) => read((t) => clusterOrders(t, cluster)),
    orderCluster: (cluster, order, now) => write((t) => orderCluster(t, cluster, order, now)),
    previewClusterOrder: (cluster, order, now) => read((t) => previewClusterOrder(t, cluster, order, now)),

    listStandings: (filter, walk, now) => read((t) => listStandings(t, filter, walk, now)),
    countJobs: (cluster, endedFrom, now) => read((t) => countJobs(t, cluster, endedFrom, now)),
    leaseOf: (cluster) => read((t) => leaseOf(t, cluster)),

    listAdvice: (filter, slice, now) => read((t) => listAdvice(t, filter, slice, now)),
    getAdvice: (heimdallJobId) => read((t) => getAdvice(t, heimdallJobId)),
    observeStatus: (heimdallJobId, status, now) => write((t) => observeStatus(t, heimdallJobId, status, now)),
    listWork: (cluster) => read((t) => listWork(t, cluster)),

    acquireLease: (cluster, holder, leaseMs, now) => read((t) => acquireLease(t, cluster, holder, leaseMs, now)),
    story: (cluster, jobId) => read((t) => story(t, cluster, jobId)),
    figuresIn: (window, limit) => read((t) => figuresIn(t, window, limit)),
    recoveriesIn: (window, limit) => read((t) => recoveriesIn(t, window, limit)),
    shadowIn: (window, limit) => read((t) => shadowIn(t, window, limit)),

    createToken: (token, now) => read((t) => createToken(t, token, now)),
    listTokens: () => read(listTokens),
    revokeToken: (id, now) => read((t) => revokeToken(t, id, now)),

    recordAuditEvents: (events) => read((t) => recordAuditEvents(t, events)),
    listAuditEvents: (filter, walk) => read((t) => listAuditEvents(t, filter, walk)),

    expire: (expiry) => read((t) => expire(t, expiry)),

    onChange(listener: (change: Change) => void) {
      const unsubscribe = database.changes.subscribe((change) => listener(change));
      listening.add(unsubscribe);
      return () => {
        unsubscribe();
        listening.delete(unsubscribe);
      };
    },
    close() {
      isClosed = true;
      for (const unsubscribe of listening) unsubscribe();
      return Promise.resolve();
    },

    replica: () => connect(database),
    dump: () => ({ tables: copyTables(database.tables) }),
    load: ({ tables }) => void (database.tables = copyTables(tables)),
    audit: () => [...database.tables.audit],
  };
}
