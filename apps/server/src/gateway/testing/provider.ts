/**
 * provider: an identity provider for tests at which people sign in: code flow with PKCE, as strict as RFC 7636 and OpenID Connect want it.
 * Nobody is asked for a password: whoever comes is `ada`.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export const clientId = "reprise-page";

export interface Provider {
  readonly url: string;
  /** What the next who comes is answered instead of a code. */
  deny(error: string): void;
  /** Roles of the next token. */
  grant(...roles: readonly string[]): void;
  stop(): Promise<void>;
}

/** @param secret Of a confidential client; absent: it is a public one. */
export async function startProvider(secret?: string): Promise<Provider> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }] };
  const codes = new Map<string, URLSearchParams>();
  let denied: string | undefined;
  let roles: readonly string[] = ["viewer"];
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("state", asked.get("state") ?? "");
    const code = randomBytes(16).toString("hex");
    if (denied === undefined) codes.set(code, asked);
    back.searchParams.set(denied === undefined ? "code" : "error", denied ?? code);
    denied = undefined;
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = new URLSearchParams(await text(request));
    const asked = codes.get(given.get("code") ?? "");
    codes.delete(given.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(given.get("code_verifier") ?? "")
      .digest("base64url");
    const [, basic = ""] = (request.headers.authorization ?? "").split("Basic ");
    const shown = Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent).join(":");
    const isClient = secret === undefined ? given.get("client_id") === clientId : shown === `${clientId}:${secret}`;
    const isGood =
      isClient &&
      asked?.get("code_challenge_method") === "S256" &&
      asked.get("code_challenge") === challenge &&
      asked.get("redirect_uri") === given.get("redirect_uri");
    if (!isGood) return json(response, 400, { error: "invalid_grant" });
    const id_token = await new SignJWT({ roles: [...roles], nonce: asked.get("nonce") ?? "" })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer(url)
      .setAudience(clientId)
      .setSubject("ada")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
    json(response, 200, { access_token: "opaque", token_type: "Bearer", expires_in: 300, id_token });
  }

  function answer(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/token") return token(request, response);
    if (pathname === "/keys") return json(response, 200, keys);
    json(response, 200, {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
  }

  return {
    url,
    deny: (error) => void (denied = error),
    grant: (...next) => void (roles = next),
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body));
}

/** What a server must be told to sign people in with it. */
export const oidcOf = ({ url }: Provider, clientSecretFile?: string) => ({
  issuer: url,
  audiences: [clientId],
  rolesClaim: "roles",
  roleOf: {},
  clockSkewMs: 0,
  signIn: { clientId, scopes: ["openid"], ...(clientSecretFile === undefined ? {} : { clientSecretFile }) },
});
