/**
 * 0013-node-logs: lines of nodes' own logs; who reads the logs of which node, and up to where; and, of each target, how many lines have
 * come that concern it.
 *
 * Keeps    a line once, by (cluster, node, key): a key may be longer than an index entry may be, hence md5.
 * Together old and new code may both run: old code lets go of a target without asking whether lines of its nodes have come.
 * Back     drop both tables and the column, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table node_line (
    id bigint generated always as identity primary key,
    cluster text not null,
    node text not null,
    key text not null,
    at bigint not null,
    line text not null,
    path text,
    "offset" bigint,
    reporter text not null,
    recorded_at bigint not null
  )`,
  `create unique index node_line_key on node_line (cluster, node, md5(key))`,
  `create index node_line_age on node_line (recorded_at)`,
  `create table node_log (
    cluster text not null,
    node text not null,
    watcher text,
    expires_at bigint not null,
    positions jsonb not null,
    primary key (cluster, node)
  )`,
  // Null where none has come: rows come by `jsonb_populate_recordset`, which knows no defaults.
  `alter table target_lease add column node_lines_number bigint`,
];
