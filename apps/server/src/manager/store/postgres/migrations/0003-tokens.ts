/**
 * 0003-tokens: the tokens that a site makes for its callers.
 *
 * Keeps    only hashes of their secrets.
 * Together old code does not know the table and lets nobody in by it; both may run.
 * Back     `drop table token`, and its row in `kysely_migration`.
 */
import { sql, type Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table token (
        id text primary key,
        name text not null,
        roles jsonb not null,
        secret_hash text not null,
        created_at bigint not null,
        expires_at bigint,
        revoked_at bigint
      )`,
    )
    .execute(db);
}
