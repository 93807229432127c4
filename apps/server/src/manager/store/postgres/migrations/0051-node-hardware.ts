/**
 * 0051-node-hardware: the CPUs, the memory and the generic resources of a node, so that only nodes count that a job can run on.
 *
 * Keeps    null where it is not known: until SAC names the node the next time.
 * Together old and new code may both run: old code leaves the column as it is.
 * Back     drop the column, and the row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table node add column hardware jsonb`.execute(db);
}
