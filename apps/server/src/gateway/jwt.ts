/**
 * jwt: the bearer tokens of the site's identity provider: checked by its keys, and what their claims let a caller do.
 *
 * Takes   a signed JWT with `exp` and `sub`, of the configured issuer, for one of the configured audiences.
 * Gives   `undefined` for a text that is no JWT.
 * Fails   `unauthenticated`. That a token has expired, is not valid yet, or is for another audience is said only of one whose
 *         signature is right; of all others, that it is not valid.
 * Keeps   algorithms with public keys only: neither `none` nor a shared secret is ever taken. What was verified is remembered
 *         until it expires or the issuer's keys change.
 * Bound   `rememberedMax` tokens.
 */
import { createHash } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { type Role, roles } from "../manager/token-record.ts";
import { type Check, type Identity, notValid } from "./identity.ts";
import type { IssuerKeys, KeySet } from "./issuer-keys.ts";

const rememberedMax = 10_000;
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export interface JwtRules {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** The claim with the roles: its name, or names with dots between them from the outside in. A text or a list of them. */
  readonly rolesClaim: string;
  /** Value of the claim → role. Empty: the values are the names of the roles. */
  readonly roleOf: Readonly<Record<string, Role>>;
  /** How far the issuer's clock may differ. */
  readonly clockSkewMs: number;
}

interface Remembered {
  readonly identity: Identity;
  readonly keys: KeySet;
  readonly endsAt: Instant;
}

export function jwtsOf(rules: JwtRules, keys: IssuerKeys, clock: Pick<Clock, "now">): Check {
  const remembered = new LRUCache<string, Remembered>({ max: rememberedMax });
  return async (token) => {
    if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return undefined;
    const current = await keys.current();
    const hash = createHash("sha256").update(token).digest("base64");
    const seen = remembered.get(hash);
    if (seen !== undefined && seen.keys === current && clock.now() < seen.endsAt) return seen.identity;
    remembered.delete(hash);

    const payload = await verify(token, current, keys, rules, clock.now());
    const endsAt = (payload.exp ?? 0) * 1_000 + rules.clockSkewMs;
    const identity = identityOf(payload, rules);
    remembered.set(hash, { identity, keys: current, endsAt });
    return identity;
  };
}

/** A key that is not known may be a new one: then the keys are read again, once. */
async function verify(
  token: string,
  current: KeySet,
  keys: IssuerKeys,
  rules: JwtRules,
  now: Instant,
): Promise<JWTPayload> {
  const options = {
    issuer: rules.issuer,
    audience: [...rules.audiences],
    algorithms,
    clockTolerance: Math.floor(rules.clockSkewMs / 1_000),
    currentDate: new Date(now),
    requiredClaims: ["exp", "sub"],
  };
  try {
    return (await jwtVerify(token, current, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw refusalOf(error);
  }
  const other = await keys.otherThan(current);
  if (other === undefined) throw notValid();
  try {
    return (await jwtVerify(token, other, options)).payload;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** jose verifies the signature first, and the claims only where it is right. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal("unauthenticated", "the bearer token has expired");
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "nbf") return new Refusal("unauthenticated", "the bearer token is not valid yet");
    if (error.claim === "aud") return new Refusal("unauthenticated", "the bearer token is for another audience");
  }
  return notValid();
}

function identityOf(payload: JWTPayload, { issuer, rolesClaim, roleOf }: JwtRules): Identity {
  const isMapped = Object.keys(roleOf).length > 0;
  const rights = new Set<Role>();
  for (const value of valuesOf(claimOf(payload, rolesClaim))) {
    const role = isMapped ? (Object.hasOwn(roleOf, value) ? roleOf[value] : undefined) : value;
    if (roles.includes(role as Role)) rights.add(role as Role);
  }
  const name = String(payload.sub);
  return { name, key: `jwt ${issuer} ${name}`, rights };
}

/** A list of texts; or one text, whole and in its parts: a value that is mapped may have spaces in it. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim, ...claim.split(/[\s,]+/)];
  return Array.isArray(claim) ? claim.filter((value) => typeof value === "string") : [];
}

/** `realm_access.roles` is `roles` in `realm_access`, unless a claim has that very name. */
function claimOf(payload: JWTPayload, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path];
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, payload);
}
