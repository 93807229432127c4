/**
 * 0046-notices: the outbox of what people are told by webhook.
 *
 * Keeps    `notice`: one row a key, by which what was told once is not told again; `notice_sending`: one a notice and receiver;
 *          `notice_condition`: since when something has been so.
 * Together old and new code may both run: old code tells nobody.
 * Back     drop the three tables, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table notice (
    key text primary key,
    kind text not null,
    recorded_at bigint not null,
    says jsonb not null
  )`,
  `create index notice_recorded on notice (recorded_at)`,
  `create table notice_sending (
    receiver text not null,
    key text not null,
    due_at bigint not null,
    tries integer not null,
    settled text,
    why text,
    primary key (receiver, key)
  )`,
  `create index notice_owed on notice_sending (receiver, due_at) where settled is null`,
  `create table notice_condition (
    cluster text not null,
    name text not null,
    since bigint not null,
    primary key (cluster, name)
  )`,
];
