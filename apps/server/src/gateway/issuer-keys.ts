/**
 * issuer-keys: the public keys of the issuer of JWTs (JWKS), read when they are needed and again when they may have changed.
 *
 * Takes   a URL or a file; without one the issuer's discovery document (`/.well-known/openid-configuration`) names the URL.
 * Gives   a key set; the same object as long as the keys are the same.
 * Fails   `unavailable` when no keys could ever be read, or none for `keptWithoutMs`; a set that is known serves until then.
 * Bound   `readLimitMs` and `bytesMax` a reading, one at a time, `cooldownMs` between two: tokens with unknown keys are no way to
 *         make this server call its issuer without end.
 */
import { readFile } from "node:fs/promises";
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";

export const cooldownMs = 30_000;
export const readAgainAfterMs = 10 * 60_000;
const keptWithoutMs = 24 * 3_600_000;
const readLimitMs = 5_000;
const bytesMax = 1024 * 1024;

export type KeySet = ReturnType<typeof createLocalJWKSet>;

export interface IssuerKeys {
  current(): Promise<KeySet>;
  /** Read again, if that may be done now. @returns Another set than `known`, if there is one. */
  otherThan(known: KeySet): Promise<KeySet | undefined>;
}

export interface IssuerKeysDeps {
  readonly issuer: string;
  /** `https://…`, or a path. */
  readonly jwks?: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

export function createIssuerKeys({ issuer, jwks, clock, log }: IssuerKeysDeps): IssuerKeys {
  let known: { readonly text: string; readonly keys: KeySet; readonly readAt: Instant } | undefined;
  let triedAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function readOnce(): Promise<void> {
    triedAt = clock.now();
    try {
      const text = await readJwks(issuer, jwks);
      const keys = text === known?.text ? known.keys : createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
      known = { text, keys, readAt: clock.now() };
    } catch (error) {
      log.warn({ error, issuer }, "the keys of the issuer of JWTs cannot be read");
    }
  }
  const read = () => (reading ??= readOnce().finally(() => (reading = undefined)));
  const mayRead = () => reading !== undefined || clock.now() - triedAt >= cooldownMs;

  return {
    async current() {
      if (known === undefined && mayRead()) await read();
      const ageMs = clock.now() - (known?.readAt ?? -Infinity);
      if (known === undefined || ageMs > keptWithoutMs)
        throw new Refusal("unavailable", "JWTs cannot be checked now: the keys of their issuer cannot be read");
      if (ageMs > readAgainAfterMs && mayRead()) void read(); // This call has keys; the next one has newer ones.
      return known.keys;
    },
    async otherThan(keys) {
      if (known?.keys === keys && mayRead()) await read();
      return known === undefined || known.keys === keys ? undefined : known.keys;
    },
  };
}

async function readJwks(issuer: string, jwks: string | undefined): Promise<string> {
  if (jwks !== undefined && !isUrl(jwks)) return readFile(jwks, "utf8");
  return readUrl(jwks ?? (await discover(issuer)));
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = JSON.parse(await readUrl(url)) as { issuer?: unknown; jwks_uri?: unknown };
  if (document.issuer !== issuer) throw new Error(`${url}: issuer is ${String(document.issuer)}, expected ${issuer}`);
  if (typeof document.jwks_uri !== "string" || !isUrl(document.jwks_uri))
    throw new Error(`${url}: jwks_uri is ${String(document.jwks_uri)}, expected a URL`);
  return document.jwks_uri;
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

async function readUrl(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(readLimitMs) });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url} answers ${answer.status}, expected 200`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`${url}: more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
