/**
 * token-store: the tokens that a site has made.
 *
 * Writes   table `token`, one row a token.
 * Keeps    a revoked token stays revoked: `revoked_at` is written once.
 * Bound    `limits.tokensMax` rows. They are counted before the insert: two at the same moment may end one above it.
 */
import { sql, type Selectable } from "kysely";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { TokenRecord } from "../../token-record.ts";
import { tooManyTokens } from "../rules/token-rules.ts";
import type { Db, TokenTable, Tx } from "./schema.ts";
import { json, present } from "./storable.ts";

export async function createToken(tx: Tx, token: Omit<TokenRecord, "revokedAt">, now: Instant): Promise<void> {
  const gone = now - limits.tokenKeptMs;
  await sql`delete from token where least(expires_at, revoked_at) < ${gone}`.execute(tx);
  const { count } = await tx
    .selectFrom("token")
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= limits.tokensMax) throw tooManyTokens();
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto("token")
    .values({
      id: token.id,
      name: token.name,
      roles: json(token.roles),
      secret_hash: token.secretHash,
      created_at: token.createdAt,
      expires_at: token.expiresAt ?? null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirst();
  if (inserted !== 1n) throw new Refusal("exists", `token ${token.id} is known already`);
}

export async function listTokens(db: Db): Promise<readonly TokenRecord[]> {
  const rows = await db.selectFrom("token").selectAll().orderBy("created_at").orderBy("id").execute();
  return rows.map(recordOf);
}

export async function revokeToken(db: Db, id: string, now: Instant): Promise<TokenRecord | undefined> {
  const row = await db
    .updateTable("token")
    .set({ revoked_at: sql<Instant>`coalesce(revoked_at, ${now}::bigint)` })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && recordOf(row);
}

const recordOf = (row: Selectable<TokenTable>): TokenRecord => ({
  id: row.id,
  name: row.name,
  roles: row.roles,
  secretHash: row.secret_hash,
  createdAt: row.created_at,
  ...present({ expiresAt: row.expires_at, revokedAt: row.revoked_at }),
});
