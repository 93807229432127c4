/**
 * token: who is calling? The first version knows one bearer token, and whoever has it may do everything.
 *
 * Fails   `unauthenticated`, without a word about what was wrong with the token.
 * Keeps   tokens are compared in constant time.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { Refusal } from "@reprise/core/refusal.ts";

/** @returns The caller's name. */
export type Authenticate = (authorization: string | undefined) => string;

export const everyone: Authenticate = () => "anonymous";

export function bearer(token: string): Authenticate {
  const expected = digest(token);
  return (authorization) => {
    const given = /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined)
      throw new Refusal("unauthenticated", "a bearer token is required: header `authorization: Bearer …`");
    if (!timingSafeEqual(digest(given), expected))
      throw new Refusal("unauthenticated", "the bearer token is not valid");
    return "token";
  };
}

const digest = (text: string) => createHash("sha256").update(text).digest();
