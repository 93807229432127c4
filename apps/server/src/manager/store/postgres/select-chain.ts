/** select-chain: the attempts of the jobs for which a job of a chain was let go, one after another. See `rules/chain-link.ts`. */
import { sql } from "kysely";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { chainLinksMax, isOfChain, namesakesMax, onJob, waitedFor } from "../rules/chain-link.ts";
import type { Db } from "./schema.ts";
import { incarnationsOf, selectJobs, toAttempt } from "./select-jobs.ts";

/** By the attempt that was given, oldest first. Most jobs are of no chain, and cost nothing. */
export async function chainsOf(
  db: Db,
  attempts: readonly AttemptRecord[],
): Promise<ReadonlyMap<string, readonly AttemptRecord[]>> {
  const chains = new Map<string, readonly AttemptRecord[]>();
  for (const attempt of attempts) if (isOfChain(attempt)) chains.set(attempt.heimdallJobId, await before(db, attempt));
  return chains;
}

async function before(db: Db, attempt: AttemptRecord): Promise<readonly AttemptRecord[]> {
  const chain: AttemptRecord[] = [];
  const known = new Set([attempt.heimdallJobId]);
  let next: AttemptRecord | undefined = attempt;
  for (let links = 0; next !== undefined && links < chainLinksMax; links++) {
    const uuid = (await letGoFor(db, next)) ?? (await waitedForBy(db, next));
    if (uuid === undefined || known.has(uuid)) break;
    const family: readonly AttemptRecord[] = (await incarnationsOf(db, [uuid])).get(uuid) ?? [];
    for (const { heimdallJobId } of family) known.add(heimdallJobId);
    chain.unshift(...family);
    next = family.at(-1);
  }
  return chain;
}

async function letGoFor(
  db: Db,
  { heimdallJobId, cluster, jobId, workflowId }: AttemptRecord,
): Promise<string | undefined> {
  const { rows } = await sql<{ uuid: string }>`
    select step.heimdall_job_id as uuid
    from job source join step using (heimdall_job_id)
    where source.workflow_id = ${workflowId} and source.cluster = ${cluster} and source.job_id <> ${jobId}
      and source.user_name is not distinct from (select user_name from job where heimdall_job_id = ${heimdallJobId})
      and step.action = 'release' and step.outcome not in ('refused', 'moved')
      and (step.detail = ${onJob(jobId)} or starts_with(step.detail, ${`${onJob(jobId)}: `}))
      and step.begun_at >= coalesce((select incarnation_submit_at from job where heimdall_job_id = ${heimdallJobId}), 0)
    order by step.begun_at desc limit 1`.execute(db);
  return rows[0]?.uuid;
}

async function waitedForBy(db: Db, job: AttemptRecord): Promise<string | undefined> {
  const rows = await selectJobs(db)
    .where("job.workflow_id", "=", job.workflowId)
    .where("job.cluster", "=", job.cluster)
    .where(sql<boolean>`(job.user_name, job.job_name) is not distinct from
      (select (same.user_name, same.job_name) from job same where same.heimdall_job_id = ${job.heimdallJobId})`)
    .orderBy("job.created_seq", "desc")
    .limit(namesakesMax)
    .execute();
  return waitedFor(job, rows.map(toAttempt))?.heimdallJobId;
}
