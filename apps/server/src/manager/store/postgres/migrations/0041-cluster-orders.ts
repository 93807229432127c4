/**
 * 0041-cluster-orders: what people order about a whole cluster (observe or act, stop or go), and what SAC says of its mode.
 *
 * Keeps    `cluster_order`: one row a cluster, as it stands; the audit trail has every order.
 * Together old and new code may both run: old code neither asks the table nor obeys what is in it.
 * Back     drop the table and the column `pass.sac`, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table cluster_order (
    cluster text primary key,
    generation bigint not null,
    mode jsonb,
    stop jsonb
  )`,
  `alter table pass add column sac jsonb`,
];
