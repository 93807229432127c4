/**
 * token-book: the tokens that the site has made, at hand for every call without asking the database each time.
 *
 * Takes   the text of a token: `reprise_<id>_<secret>`; the secret is 256 random bits, so a plain SHA-256 of it keeps it.
 * Gives   the record, if the token is valid now; else nothing, and not why.
 * Keeps   secrets are compared as hashes, in constant time. What this server revokes is refused at once; what another server
 *         revoked, `readAgainAfterMs` later. A database that is away lets known tokens in for `keptWithoutMs` longer.
 * Bound   one read of the table at a time, and none sooner than `unknownAfterMs` after the last: strangers cost no queries.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { TokenRecord, TokenStore } from "../manager/token-record.ts";

const readAgainAfterMs = 5_000;
const unknownAfterMs = 500;
const keptWithoutMs = 5 * 60_000;

export type NewToken = Pick<TokenRecord, "name" | "roles" | "expiresAt">;

export interface TokenBook {
  /** The valid token with this text. */
  find(text: string): Promise<TokenRecord | undefined>;
  /** `text` is given here and never again. */
  create(token: NewToken): Promise<{ readonly record: TokenRecord; readonly text: string }>;
  list(): Promise<readonly TokenRecord[]>;
  revoke(id: string): Promise<TokenRecord | undefined>;
}

/** Whether a text has the form of our tokens; whether it is one, the book knows. */
export const isTokenText = (text: string): boolean => tokenText.test(text);
const tokenText = /^reprise_([0-9a-f]{12})_([\w-]{43})$/;

interface Known {
  readonly byId: ReadonlyMap<string, TokenRecord>;
  readonly readAt: Instant;
}

export function createTokenBook(store: TokenStore, clock: Clock, log: Log): TokenBook {
  let known: Known | undefined;
  let reading: Promise<Known> | undefined;

  const read = () =>
    (reading ??= (async () => {
      const readAt = clock.now();
      const tokens = await store.listTokens();
      return (known = { byId: new Map(tokens.map((token) => [token.id, token])), readAt });
    })().finally(() => (reading = undefined)));

  /** What is known, read again where it is older than `ageMaxMs`. */
  async function recent(ageMaxMs: number): Promise<Known> {
    if (known !== undefined && clock.now() - known.readAt <= ageMaxMs) return known;
    try {
      return await read();
    } catch (error) {
      log.warn({ error }, "the tokens cannot be read");
      if (known !== undefined && clock.now() - known.readAt <= keptWithoutMs) return known;
      throw new Refusal("unavailable", "tokens cannot be checked now; try again");
    }
  }

  return {
    async find(text) {
      const [, id = "", secret = ""] = tokenText.exec(text) ?? [];
      if (id === "") return undefined;
      const record = (await recent(readAgainAfterMs)).byId.get(id) ?? (await recent(unknownAfterMs)).byId.get(id);
      const isSame = timingSafeEqual(hashOf(secret), Buffer.from(record?.secretHash ?? nobodysHash, "hex"));
      return record !== undefined && isSame && isLiving(record, clock.now()) ? record : undefined;
    },
    async create(token) {
      const now = clock.now();
      // Not from `Chance`: a secret that a seed repeats is none.
      const [id, secret] = [randomBytes(6).toString("hex"), randomBytes(32).toString("base64url")];
      const record = { ...token, id, createdAt: now, secretHash: hashOf(secret).toString("hex") };
      await store.createToken(record, now);
      log.info({ id, name: token.name, roles: token.roles }, "a token was made");
      known = undefined;
      return { record, text: `reprise_${id}_${secret}` };
    },
    list: () => store.listTokens(),
    async revoke(id) {
      const record = await store.revokeToken(id, clock.now());
      known = undefined;
      if (record !== undefined) log.info({ id, name: record.name }, "a token is revoked");
      return record;
    },
  };
}

const nobodysHash = "0".repeat(64);

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

function isLiving({ expiresAt, revokedAt }: TokenRecord, now: Instant): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt);
}
