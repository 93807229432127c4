/**
 * token-record: a token that a site has made for a caller, as it is kept, and what the store does with it. Part of the contract
 * `manager/store.ts`; its suite is `store/contract/token.contract.ts`.
 *
 * Keeps   the token's text is nowhere: only a hash of its secret, from which nobody gets back to it.
 */
import type { Instant } from "@reprise/core/nouns.ts";

/** What a caller may be. What each may do stands in `gateway/roles.ts`. */
export const roles = ["viewer", "operator", "controller", "watcher"] as const;
export type Role = (typeof roles)[number];

export interface TokenRecord {
  /** Public; stands in the token's text. */
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  /** SHA-256 of the secret, hexadecimal. */
  readonly secretHash: string;
  readonly createdAt: Instant;
  /** Absent: it does not expire. */
  readonly expiresAt?: Instant;
  /** Absent: nobody has revoked it. */
  readonly revokedAt?: Instant;
}

export interface TokenStore {
  /**
   * Keeps a new token, and drops those that ended more than `limits.tokenKeptMs` before `now`. Refuses `exists` for an ID that
   * is known, `busy` when `limits.tokensMax` are kept.
   */
  createToken(token: Omit<TokenRecord, "revokedAt">, now: Instant): Promise<void>;
  /** Oldest first, ties by ID; those that have ended too. */
  listTokens(): Promise<readonly TokenRecord[]>;
  /** Safe to repeat: it stays revoked since the first time. `undefined`: no such token. */
  revokeToken(id: string, now: Instant): Promise<TokenRecord | undefined>;
}
