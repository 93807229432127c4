/**
 * fill: so many stored attempts, by SQL: a year of a cluster in a minute.
 *
 * Gives   four attempts a scheduler job, forty a workflow; every hundredth is live, at most `liveMax`; Advice about every tenth,
 *         carried out but for one in ten, so that every list has a full page; an audit event about each.
 */
type Query = (text: string) => Promise<unknown>;

const liveMax = 10_000;
const batch = 50_000;
const noon = Date.UTC(2026, 10, 29, 12);

export const uuidOf = (i: number): string => `00000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
export const jobIdOf = (i: number): string => `${Math.floor((i - 1) / 4) + 1}`;
export const workflowOf = (i: number): string => `wf-${Math.floor((i - 1) / 40) + 1}`;

/** @param attempts A multiple of 40. */
export async function fill(query: Query, attempts: number): Promise<void> {
  const live = Math.min(liveMax, attempts / 100);
  for (let from = 1; from <= attempts; from += batch) {
    const to = Math.min(attempts, from + batch - 1);
    for (const statement of statements(attempts - live)) {
      await query(statement.replace("$series", `generate_series(${from}, ${to}) as i`));
    }
  }
  for (const table of ["job", "workflow", "facts", "advice", "advice_head", "audit"])
    await query(`vacuum (analyze) ${table}`);
  await query("checkpoint"); // Now, and not while it is read.
}

const uuid = "'00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0')";
const workflow = "'wf-' || ((i - 1) / 40 + 1)";

const statements = (liveAfter: number): string[] => [
  `insert into job (heimdall_job_id, created_seq, cluster, job_id, attempt_index, incarnation, workflow_id, job_name, nodes,
    gpu_count_per_node, node_constraints, status, jm_state, scheduler_metadata, recovery_config, coverage, submit_at, user_name,
    is_listed, started_at, ended_at, created_at, updated_at, last_seen_at)
  select ${uuid}, i, 'default', ((i - 1) / 4 + 1)::text, (i - 1) % 4, 0, ${workflow}, 'train', '["n1","n2","n3","n4"]', 8,
    '{"exclusions":[],"inclusions":[]}', s.status, s.status, '{"slurm":{"partition":"gpu","slurmState":"RUNNING","restarts":1}}',
    '{"autoResumeMode":"AUTO_RESUME_MODE_REQUEUE"}', '{"kind":"not-covered","because":"benchmark"}', ${noon} + i * 1000, 'ada',
    false, ${noon} + i * 1000, case when s.status = 'RUNNING' then null else ${noon} + i * 1000 + 5000 end,
    ${noon} + i * 1000, ${noon} + i * 1000, ${noon} + i * 1000
  from $series cross join lateral (
    select case when i > ${liveAfter} then 'RUNNING' when i % 4 = 0 then 'COMPLETED' else 'FAILED' end as status) s`,
  `insert into workflow (workflow_id, created_seq) select ${workflow}, (i - 1) / 40 + 1 from $series where i % 40 = 1`,
  `insert into facts (heimdall_job_id, seq, decided_seq, changed_at, claimed_until) select ${uuid}, 1, 1, ${noon} + i, 0 from $series`,
  `insert into advice (heimdall_job_id, generation, desired, exclusions, issues, because, sentence, start_delay_ms, charged, root_key,
    recorded_at, expires_at)
  select ${uuid}, 1, 'RESTARTED', '[]', '[]', 'hardware-node', 'A sentence.', 0, true, 'root', ${noon} + i * 1000, ${noon} + 1000000000000
  from $series where i % 10 = 1`,
  `insert into advice_head (heimdall_job_id, cluster, generation, created_at, updated_at, observed_generation, disposition, reason,
    message, observed_at)
  select ${uuid}, 'default', 1, ${noon} + i * 1000, ${noon} + i * 1000, 1,
    case when i % 100 = 1 then 'PENDING' else 'CONVERGED' end, 'DESIRED_STATE_OBSERVED', '', ${noon}
  from $series where i % 10 = 1`,
  `insert into audit (heimdall_job_id, job_id, attempt_index, producer, type, level, payload, produced_at_us)
  select ${uuid}, ((i - 1) / 4 + 1)::text, (i - 1) % 4, 'sac', 'attempt.seen', 'info', '{}', (${noon} + i * 1000) * 1000::bigint
  from $series`,
];
