/**
 * Goal    what is too old goes, in batches and from the oldest on; what a live job, an open Advice or a budget needs stays, and so do
 *         the attempts and their Advice.
 */
import { expect, test } from "vitest";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { Store } from "../../store.ts";
import {
  cluster,
  converged,
  crash,
  decided,
  failed,
  hour,
  noon,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  status,
  type Open,
} from "../testing/world.ts";

/** Failed, restarted, told, and over. */
async function restarted(store: Store, jobId: string, at = noon): Promise<AttemptRecord> {
  const job = await store.upsertJob(report(jobId, 0, failed), at);
  await store.recordSignals(signals(crash(job)), at);
  await decided(store, job, restart(), at);
  await store.observeStatus(job.heimdallJobId, status(1, converged), at);
  return job;
}

const details = (before: number, limit = 100) => ({ detailsBefore: before, limit });

async function left(store: Store, { jobId }: AttemptRecord): Promise<string> {
  const [attempt] = await store.story(cluster, jobId);
  return `${attempt?.signals.length} signals, ${attempt?.decision === undefined ? "no" : "a"} decision, ${attempt?.advice.length} Advice`;
}

export function retentionContract(open: Open): void {
  test("an old job at rest loses its details, and keeps its attempts and their Advice", async () => {
    const { store, replica } = await open();
    const job = await restarted(store, "1");
    await settleDecisions(store, noon + s);
    expect(await left(replica, job)).toBe("1 signals, a decision, 1 Advice");
    expect(await store.expire(details(noon))).toEqual({ attempts: 0, auditEvents: 0 });
    expect(await store.expire(details(noon + hour))).toEqual({ attempts: 1, auditEvents: 0 });
    expect(await left(replica, job)).toBe("0 signals, no decision, 1 Advice");
    expect(await replica.getJobByUuid(job.heimdallJobId)).toMatchObject({ jobId: "1", status: "FAILED" });
    const [story] = await replica.story(job.cluster, "1");
    expect(story?.advice.at(-1)?.status.disposition).toBe("CONVERGED");
    expect(await replica.sequencesOf([job.heimdallJobId])).toEqual([]);
    expect(await store.expire(details(noon + hour))).toEqual({ attempts: 0, auditEvents: 0 });
  });

  test("a batch takes the oldest, and the next one what is left", async () => {
    const { store, replica } = await open();
    const jobs = [
      await restarted(store, "2", noon + s),
      await restarted(store, "1"),
      await restarted(store, "3", noon + 2 * s),
    ];
    await settleDecisions(store, noon + 3 * s);
    expect((await store.expire(details(noon + hour, 2))).attempts).toBe(2);
    expect(await Promise.all(jobs.map((job) => left(store, job).then((text) => text.slice(0, 1))))).toEqual([
      "0",
      "0",
      "1",
    ]);
    expect((await replica.expire(details(noon + hour, 2))).attempts).toBe(1);
  });

  test("earlier attempts of a job that lives stay whole: its budget is read from them", async () => {
    const { store } = await open();
    const job = await restarted(store, "1");
    await store.upsertJob(report("1", 1), noon + s);
    await settleDecisions(store, noon + 2 * s);
    expect((await store.expire(details(noon + hour))).attempts).toBe(0);
    expect(await left(store, job)).toBe("1 signals, a decision, 1 Advice");
  });

  test("open Advice stays, and what is still to be decided about", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    expect((await store.expire(details(noon + hour))).attempts).toBe(0);
    await decided(store, job, restart());
    await settleDecisions(store, noon + s);
    expect((await store.expire(details(noon + hour))).attempts).toBe(0);
    await store.observeStatus(job.heimdallJobId, status(1, { ...converged, disposition: "ABANDONED" }), noon + s);
    await settleDecisions(store, noon + 2 * s);
    expect((await store.expire(details(noon + hour))).attempts).toBe(1);
  });

  test("audit events go by their own age; those that come later have later numbers", async () => {
    const { store } = await open();
    const event = (at: number) =>
      ({ producer: "p", type: "note", level: "info", payload: {}, producedAtUs: at * 1000 }) as const;
    await store.recordAuditEvents([event(noon + s), event(noon), event(noon + 2 * s)]);
    expect(await store.expire({ auditBefore: noon + 2 * s, limit: 1 })).toEqual({ attempts: 0, auditEvents: 1 });
    expect(await store.expire({ auditBefore: noon + 2 * s, limit: 9 })).toEqual({ attempts: 0, auditEvents: 1 });
    await store.recordAuditEvents([event(noon + 3 * s)]);
    const { rows } = await store.listAuditEvents({ type: "note" }, { order: "asc", limit: 9 });
    expect(rows.map(({ producedAtUs }) => producedAtUs / 1000)).toEqual([noon + 2 * s, noon + 3 * s]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  });
}
