/**
 * 0042-node-features: what a node has that jobs ask for, and when a person said last that it was repaired.
 *
 * Keeps    the features and the reservations of a node are null where they are not known. Of a node's repairs the last one counts; what
 *          was said of the others stands in the audit trail.
 * Together old and new code may both run: old code leaves the columns as they are, and weighs what a repair has ended.
 * Back     drop the table and the columns, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table node add column features jsonb, add column reservations jsonb`,
  `create table node_clearance (
    cluster text not null,
    node text not null,
    cleared_at bigint not null,
    by_whom text not null,
    reason text not null,
    primary key (cluster, node)
  )`,
];
