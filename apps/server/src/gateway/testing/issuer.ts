/** issuer: an identity provider for tests, on loopback: keys that it can renew, JWTs that it signs, its discovery document. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { onTestFinished } from "vitest";

export interface Issuer {
  readonly url: string;
  readonly jwks: string;
  /** Requests for the keys so far. */
  asked(): number;
  /** A new key signs from now on; the old ones are no longer published. */
  renewKeys(): Promise<void>;
  /** Answers 503 from now on. */
  fall(): void;
  rise(): void;
  /** @param change Claims that differ from a good token's of `audience`, at `now`; undefined leaves one out. */
  sign(now: number, change?: Readonly<Record<string, unknown>>): Promise<string>;
}

export const audience = "reprise";

export async function startIssuer(alg = "ES256"): Promise<Issuer> {
  let [count, asked, isDown] = [0, 0, false];
  const makeKey = async () => {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    return { kid: `k${++count}`, jwk: await exportJWK(publicKey), privateKey };
  };
  let key = await makeKey();
  const server = createServer((request, response) => {
    if (request.url === "/keys") asked++;
    const jwks = { keys: [{ ...key.jwk, kid: key.kid, alg, use: "sig" }] };
    const body = request.url === "/keys" ? jwks : { issuer: url, jwks_uri: `${url}/keys` };
    response.writeHead(isDown ? 503 : 200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    jwks: `${url}/keys`,
    asked: () => asked,
    fall: () => void (isDown = true),
    rise: () => void (isDown = false),
    async renewKeys() {
      key = await makeKey();
    },
    sign(now, change = {}) {
      const seconds = Math.floor(now / 1_000);
      const good = { iss: url, aud: audience, sub: "ada", iat: seconds, exp: seconds + 300, roles: ["viewer"] };
      const claims = Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined);
      return new SignJWT(Object.fromEntries(claims) as JWTPayload)
        .setProtectedHeader({ alg, kid: key.kid })
        .sign(key.privateKey);
    },
  };
}
