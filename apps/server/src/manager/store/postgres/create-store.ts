/**
 * create-store: the contract of `manager/store.ts` over one database. Both bodies are made here.
 *
 * Keeps    every write is one transaction; who listens hears of it after its commit. A transaction that PostgreSQL gave up because
 *          of another one (deadlock, serialisation) is tried again, at most `attemptsMax` times: it has changed nothing.
 */
import type { Store } from "../../store.ts";
import { getAdvice, listAdvice, listWork } from "./advice-store.ts";
import type { Changes, Written } from "./changes.ts";
import { recordDecision } from "./decision-store.ts";
import { claimUndecided } from "./facts-store.ts";
import * as jobs from "./job-query.ts";
import { acquireLease } from "./lease-store.ts";
import { loadFacts, story } from "./load-facts.ts";
import { createNodeCache } from "./node-store.ts";
import { passOf } from "./pass-store.ts";
import { reportPass, upsertJob } from "./report-store.ts";
import type { Db, Tx } from "./schema.ts";
import { recordSignals } from "./signal-store.ts";
import { observeStatus } from "./status-store.ts";
import { claimTargets } from "./target-store.ts";

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
    upsertJob: (report, now) => write((tx) => upsertJob(tx, report, now)),
    reportPass: (report, now) => write((tx) => reportPass(tx, report, now)),
    passState: async (cluster) => (await passOf(db, cluster))?.state,

    getJobByUuid: (heimdallJobId) => jobs.getJobByUuid(db, heimdallJobId),
    getJobByAttempt: (cluster, jobId, attemptIndex) => jobs.getJobByAttempt(db, cluster, jobId, attemptIndex),
    listJobs: (filter, slice) => jobs.listJobs(db, filter, slice),
    listJobsBySchedulerId: (jobId, slice) => jobs.listJobsBySchedulerId(db, jobId, slice),
    listWorkflows: (slice) => jobs.listWorkflows(db, slice),
    getWorkflow: (workflowId) => jobs.getWorkflow(db, workflowId),

    recordSignals: (report, now) => write((tx) => recordSignals(tx, report, now)),
    claimTargets: (ask, leaseMs, now) => again(() => claimTargets(db, ask, leaseMs, now)),

    claimUndecided: (limit, claimMs, now) => claimUndecided(db, limit, claimMs, now),
    loadFacts: (heimdallJobId, now) => snapshot((tx) => loadFacts(tx, nodes, heimdallJobId, now)),
    recordDecision: (heimdallJobId, factsSeq, decision, now) =>
      write((tx) => recordDecision(tx, heimdallJobId, factsSeq, decision, now)),

    listAdvice: (filter, slice, now) => listAdvice(db, filter, slice, now),
    getAdvice: (heimdallJobId) => getAdvice(db, heimdallJobId),
    observeStatus: (heimdallJobId, status, now) => write((tx) => observeStatus(tx, heimdallJobId, status, now)),
    listWork: (cluster) => snapshot((tx) => listWork(tx, cluster)),

    acquireLease: (cluster, holder, leaseMs, now) => acquireLease(db, cluster, holder, leaseMs, now),
    story: (cluster, jobId) => snapshot((tx) => story(tx, cluster, jobId)),

    onChange: (listener) => changes.subscribe(listener),
    async close() {
      await changes.close();
      await db.destroy();
    },
  };
}

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
