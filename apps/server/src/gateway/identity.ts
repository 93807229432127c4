/**
 * identity: who is calling? From the `authorization` header to a name and its rights.
 *
 * Takes   `Bearer <token>`: the owner's token, one that the site has made (`token-book.ts`), or a JWT of its issuer (`jwt.ts`).
 * Fails   `unauthenticated`, without a word that helps to guess; `unavailable` when it cannot be known now.
 * Keeps   the owner's token is compared in constant time.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Right } from "./roles.ts";
import { isTokenText, type TokenBook } from "./token-book.ts";

export interface Identity {
  /** For logs and for the caller itself. */
  readonly name: string;
  /** Whose calls are counted together. */
  readonly key: string;
  readonly rights: ReadonlySet<Right>;
}

export type Authenticate = (authorization: string | undefined) => Promise<Identity>;

/** One kind of token: `undefined` where it is not of this kind. */
export type Check = (token: string) => Promise<Identity | undefined>;

const anonymous: Identity = { name: "anonymous", key: "anonymous", rights: new Set(["owner"]) };

/** For a server that asks nobody. */
export const askNobody: Authenticate = () => Promise.resolve(anonymous);

/** @param checks Asked in this order; the first that knows the token's kind answers. */
export function askForToken(checks: readonly Check[]): Authenticate {
  return async (authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw new Refusal("unauthenticated", "a bearer token is required: header `authorization: Bearer …`");
    for (const check of checks) {
      const identity = await check(token);
      if (identity !== undefined) return identity;
    }
    throw notValid();
  };
}

/** The token in the file that the server itself made. */
export function ownersToken(token: string): Check {
  const expected = digest(token);
  const owner: Identity = { name: "owner", key: "owner", rights: new Set(["owner"]) };
  return (given) => Promise.resolve(timingSafeEqual(digest(given), expected) ? owner : undefined);
}

export function madeTokens(book: TokenBook): Check {
  return async (given) => {
    if (!isTokenText(given)) return undefined;
    const record = await book.find(given);
    if (record === undefined) throw notValid();
    return { name: record.name, key: `token ${record.id}`, rights: new Set(record.roles) };
  };
}

export const notValid = (): Refusal => new Refusal("unauthenticated", "the bearer token is not valid");

const digest = (text: string) => createHash("sha256").update(text).digest();
