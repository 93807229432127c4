/**
 * sign-in: from the answer of an identity provider to a token: OIDC's code flow with PKCE, of which the browser keeps its one-time
 * verifier and this server keeps the secret, if there is one.
 *
 * In the loop   the page → provider → the page → **redeem** → a JWT → `authorization: Bearer`
 * Gives         the provider's access token where this server takes it, else its ID token where it takes that.
 * Fails         `unauthenticated` in a word that helps its person; `unavailable` while the provider does not answer; `busy`. Causes go to the log.
 * Keeps         the page reaches no other host than this server; a code is worth nothing without the verifier of the tab that began.
 * Bound         `redeemedAtOnceMax` sign-ins at a time: everybody may begin one; `answerWithinMs` each.
 * Source        RFC 6749 §4.1, RFC 7636, RFC 9207; OpenID Connect Core 1.0 §3.1; docs/decisions/0056.
 */
import { readFile } from "node:fs/promises";
import * as oauth from "oauth4webapi";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { OidcConfig } from "../config.ts";
import type { Check } from "./identity.ts";

const redeemedAtOnceMax = 16;
const answerWithinMs = 10_000;
const answerCharsMax = 8_192;
/** What a provider's own error codes look like: others are not repeated to anybody. */
const errorCode = /^[a-z_]{1,64}$/;

export interface Redeemed {
  readonly answer: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

export interface SignIn {
  /** Where a browser begins. */
  begin(): Promise<{
    readonly issuer: string;
    readonly authorizationEndpoint: string;
    readonly clientId: string;
    readonly scope: string;
  }>;
  /** @returns A token that this server takes. */
  redeem(given: Redeemed): Promise<string>;
}

/** @param check Whether this server takes a JWT. @returns undefined: people give a token by hand. */
export function createSignIn(config: OidcConfig | undefined, check: Check, log: Log): SignIn | undefined {
  if (config?.signIn === undefined) return undefined;
  const { issuer, signIn } = config;
  const client: oauth.Client = { client_id: signIn.clientId, [oauth.clockTolerance]: config.clockSkewMs / 1_000 };
  const options = () => ({
    // oxlint-disable-next-line typescript/no-deprecated, because the mark means "for loopback only", and so it is configured
    [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  let redeeming = 0;

  async function provider(): Promise<oauth.AuthorizationServer> {
    try {
      const url = new URL(issuer);
      return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options()));
    } catch (error) {
      log.warn({ error, issuer }, "the identity provider cannot be asked where to sign in");
      throw new Refusal("unavailable", "the identity provider does not answer: sign in with a token, or try again");
    }
  }

  async function redeem(given: Redeemed): Promise<string> {
    const as = await provider();
    const secret = signIn.clientSecretFile && (await readFile(signIn.clientSecretFile, "utf8")).trim();
    const auth = clientAuthOf(secret, as);
    try {
      const params = oauth.validateAuthResponse(as, client, new URLSearchParams(given.answer), given.state);
      const asked = oauth.authorizationCodeGrantRequest;
      const response = await asked(as, client, auth, params, given.redirectUri, given.codeVerifier, options());
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
        expectedNonce: given.nonce,
        requireIdToken: true,
      });
      return await taken([tokens.access_token, tokens.id_token ?? ""], check);
    } catch (error) {
      throw refusalOf(error, log);
    }
  }

  return {
    async begin() {
      const { authorization_endpoint: endpoint } = await provider();
      if (endpoint === undefined)
        throw new Refusal("unavailable", "the identity provider names no authorization_endpoint");
      return { issuer, authorizationEndpoint: endpoint, clientId: signIn.clientId, scope: signIn.scopes.join(" ") };
    },
    async redeem(given) {
      if (given.answer.length > answerCharsMax)
        throw new Refusal("invalid", `answer: ${given.answer.length} characters; expected at most ${answerCharsMax}`);
      if (redeeming >= redeemedAtOnceMax) throw new Refusal("busy", "too many sign in at this moment; try again");
      redeeming++;
      try {
        return await redeem(given);
      } finally {
        redeeming--;
      }
    },
  };
}

/** Basic is what a provider has that names nothing else. */
function clientAuthOf(secret: string | undefined, as: oauth.AuthorizationServer): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isBasic = methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
  return isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

/** The first that this server would take from any program, too. */
async function taken(tokens: readonly string[], check: Check): Promise<string> {
  let why = new Refusal("unauthenticated", "the identity provider gave no JWT");
  for (const token of tokens) {
    try {
      if (await check(token)) return token;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      why = error;
    }
  }
  throw why;
}

function refusalOf(error: unknown, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  log.warn({ error }, "a sign-in was refused");
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const word = errorCode.test(error.error) ? error.error : "an error";
    return new Refusal("unauthenticated", `the identity provider says: ${word}`);
  }
  if (error instanceof oauth.OperationProcessingError)
    return new Refusal(
      "unauthenticated",
      "the identity provider's answer does not belong to this sign-in; begin again",
    );
  return new Refusal("unavailable", "the identity provider does not answer; try again");
}
