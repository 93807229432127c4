/**
 * 0015-node-evidence: what attempts say against nodes: the ledger that is weighed before a node is avoided.
 *
 * Keeps    one row an attempt and node. It goes with its attempt, or when it has expired.
 * Together old and new code may both run: old code neither writes the table nor asks it.
 * Back     drop the table, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table node_evidence (
    heimdall_job_id text not null references job (heimdall_job_id) on delete cascade,
    node text not null,
    cluster text not null,
    cause text not null,
    cause_class text not null,
    domain text not null,
    at bigint not null,
    confidence double precision not null,
    expires_at bigint not null,
    counts boolean not null,
    evidence jsonb not null,
    nodes_at_risk integer not null,
    primary key (heimdall_job_id, node)
  )`,
  `create index node_evidence_newest on node_evidence (cluster, at desc, heimdall_job_id, node)`,
  `create index node_evidence_expiry on node_evidence (expires_at)`,
];
