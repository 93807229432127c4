/** token-table: the tokens that a site has made. See `postgres/token-store.ts`. */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { TokenRecord } from "../../token-record.ts";
import { tooManyTokens } from "../rules/token-rules.ts";
import { requireWhole, type Tables } from "./tables.ts";

export function createToken(t: Tables, token: Omit<TokenRecord, "revokedAt">, now: Instant): void {
  requireWhole("token", token, ["createdAt", "expiresAt"]);
  const gone = now - limits.tokenKeptMs;
  const ended = [...t.tokens.values()].filter(
    ({ expiresAt, revokedAt }) => Math.min(expiresAt ?? Infinity, revokedAt ?? Infinity) < gone,
  );
  const isKnown = t.tokens.has(token.id) && !ended.some(({ id }) => id === token.id);
  if (t.tokens.size - ended.length >= limits.tokensMax) throw tooManyTokens();
  if (isKnown) throw new Refusal("exists", `token ${token.id} is known already`);
  for (const { id } of ended) t.tokens.delete(id);
  t.tokens.set(token.id, token);
}

export function listTokens(t: Tables): readonly TokenRecord[] {
  const byId = (a: TokenRecord, b: TokenRecord) => (a.id < b.id ? -1 : 1);
  return [...t.tokens.values()].sort((a, b) => a.createdAt - b.createdAt || byId(a, b));
}

export function revokeToken(t: Tables, id: string, now: Instant): TokenRecord | undefined {
  const token = t.tokens.get(id);
  if (token === undefined) return undefined;
  const revoked = { ...token, revokedAt: token.revokedAt ?? now };
  t.tokens.set(id, revoked);
  return revoked;
}
