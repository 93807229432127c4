/**
 * 0001-first: all tables of the first version.
 *
 * Keeps    times are bigint, milliseconds since the epoch, as everywhere in the code; JSON is jsonb; names are those of the
 *          wire in snake_case. What must never be overwritten (`advice`, `advice_status`, `audit`) refuses an UPDATE.
 * Together old and new code: there is no older one.
 * Back     drop the schema.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...attempts, ...signals, ...decisions, ...scheduler]) await sql.raw(statement).execute(db);
}

/** What SAC and other publishers say of attempts, and what the store knows of the order of it all. */
const attempts = [
  `create table job (
    heimdall_job_id text primary key,
    created_seq bigint not null unique,
    cluster text not null,
    job_id text not null,
    attempt_index integer not null,
    incarnation integer not null,
    incarnation_submit_at bigint,
    workflow_id text not null,
    job_name text,
    nodes jsonb not null,
    gpu_count_per_node integer,
    node_constraints jsonb not null,
    additional_properties jsonb,
    status text not null,
    jm_state text not null,
    scheduler_metadata jsonb not null,
    recovery_config jsonb,
    coverage jsonb not null,
    submit_at bigint,
    user_name text,
    command text,
    sluid text,
    is_listed boolean not null,
    started_at bigint,
    ended_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    last_seen_at bigint not null
  )`,
  // A publisher may know nothing but its UUID: then the job ID is empty, and only the UUID tells such rows apart.
  `create unique index job_attempt on job (job_id, cluster, incarnation, attempt_index,
    (case when job_id = '' then heimdall_job_id else '' end))`,
  `create index job_listed on job (cluster) where is_listed`,
  `create index job_workflow on job (workflow_id, created_seq)`,
  `create index job_live on job (created_seq) where status in ('PENDING', 'RUNNING')`,
  `create index job_ended on job (ended_at) where ended_at is not null`,

  `create table workflow (
    workflow_id text primary key,
    created_seq bigint generated always as identity unique,
    name text
  )`,

  `create table facts (
    heimdall_job_id text primary key,
    seq bigint not null,
    decided_seq bigint not null,
    changed_at bigint not null,
    reconsider_at bigint,
    claimed_until bigint not null
  )`,
  `create index facts_undecided on facts (changed_at) where seq > decided_seq`,
  `create index facts_reconsider on facts (reconsider_at) where reconsider_at is not null`,
];

/** What the watcher says. A key and a path may be longer than an index entry may be: hence md5. */
const signals = [
  `create table signal (
    id bigint generated always as identity primary key,
    heimdall_job_id text not null,
    key text not null,
    kind text not null,
    at bigint not null,
    evidence jsonb not null,
    cause text,
    cause_class text,
    domain text,
    root boolean not null,
    exit_independent boolean not null,
    nodes jsonb not null,
    rank integer,
    step bigint,
    step_spacing_ms bigint,
    reporter text not null,
    recorded_at bigint not null
  )`,
  `create unique index signal_key on signal (heimdall_job_id, md5(key))`,

  `create table progress (
    heimdall_job_id text primary key,
    first_step bigint, first_step_at bigint,
    last_step bigint, last_step_at bigint,
    step_spacing_ms bigint,
    checkpoint_step bigint, checkpoint_at bigint,
    resumed_from_step bigint, resumed_at bigint,
    last_resumed_at bigint,
    log_read_at bigint, log_ended_at bigint
  )`,

  `create table log_position (
    heimdall_job_id text not null,
    path text not null,
    device text not null,
    inode text not null,
    "offset" bigint not null,
    start bigint not null,
    read_at bigint,
    ended boolean not null,
    unreadable text
  )`,
  `create unique index log_position_path on log_position (heimdall_job_id, md5(path))`,

  // A row for every attempt whose logs are to be read; it goes when they were read to their end.
  `create table target_lease (
    heimdall_job_id text primary key,
    watcher text,
    expires_at bigint not null
  )`,
  `create index target_lease_expiry on target_lease (expires_at)`,
];

const decisions = [
  `create table decision (
    heimdall_job_id text primary key,
    decision jsonb not null,
    facts_seq bigint not null,
    decided_at bigint not null
  )`,

  `create table advice (
    heimdall_job_id text not null,
    generation integer not null,
    desired text not null,
    exclusions jsonb not null,
    issues jsonb not null,
    because text not null,
    sentence text not null,
    start_delay_ms bigint not null,
    charged boolean not null,
    root_key text not null,
    recorded_at bigint not null,
    expires_at bigint not null,
    withdrawn_at bigint,
    primary key (heimdall_job_id, generation)
  )`,
  // Which generation counts now, and where it stands; both histories are append-only.
  `create table advice_head (
    heimdall_job_id text primary key,
    cluster text not null,
    generation integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    observed_generation integer not null,
    disposition text not null,
    reason text not null,
    message text not null,
    observed_at bigint not null
  )`,
  `create index advice_head_created on advice_head (created_at desc, heimdall_job_id desc)`,
  `create index advice_head_open on advice_head (cluster, created_at) where disposition = 'PENDING'`,
  `create table advice_status (
    id bigint generated always as identity primary key,
    heimdall_job_id text not null,
    observed_generation integer not null,
    disposition text not null,
    reason text not null,
    message text not null,
    observed_at bigint not null,
    recorded_at bigint not null,
    effective boolean not null
  )`,
  `create index advice_status_of on advice_status (heimdall_job_id, observed_generation, id)`,

  `create table audit (
    id bigint generated always as identity primary key,
    heimdall_job_id text,
    cluster text,
    job_id text,
    attempt_index integer,
    producer text not null,
    type text not null,
    level text not null,
    payload jsonb not null,
    idempotency_key text,
    produced_at_us bigint not null
  )`,
  `create index audit_produced on audit (produced_at_us, id)`,
  `create index audit_attempt on audit (heimdall_job_id, produced_at_us, id)`,
  `create index audit_job on audit (job_id, produced_at_us, id)`,
  `create unique index audit_idempotency on audit (producer, md5(idempotency_key)) where idempotency_key is not null`,

  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'table % is history: its rows are never changed', tg_table_name; end $$`,
  ...["advice", "advice_status", "audit"].map(
    (table) =>
      `create trigger ${table}_is_history before update on ${table} for each row execute function refuse_change()`,
  ),
];

/** What is known of each cluster as a whole. */
const scheduler = [
  `create table pass (
    cluster text primary key,
    lease_term bigint not null,
    taken_at bigint not null,
    unavailable text,
    complete_at bigint,
    mode text not null,
    partitions jsonb not null,
    nodes_seq bigint not null
  )`,
  `create table node (
    cluster text not null,
    name text not null,
    state text not null,
    is_eligible boolean not null,
    partitions jsonb not null,
    primary key (cluster, name)
  )`,
  `create table lease (
    cluster text primary key,
    holder text not null,
    term bigint not null,
    expires_at bigint not null
  )`,
  `create table step (
    key text primary key,
    heimdall_job_id text not null,
    job_id text not null,
    attempt_index integer not null,
    generation integer not null,
    action text not null,
    begun_at bigint not null,
    ended_at bigint,
    outcome text not null,
    detail text not null
  )`,
  `create index step_of on step (heimdall_job_id, begun_at)`,
];
