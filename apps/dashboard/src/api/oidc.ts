/**
 * oidc: sign-in with the site's identity provider: code flow with PKCE. The page goes there and comes back; the server redeems the code.
 *
 * Keeps   no secret: the verifier is this tab's, of this one attempt, and forgotten on return. The page itself asks no other host.
 * Source  RFC 7636 §4; docs/decisions/0056.
 */
import type {
  GetSignInResponseJson,
  OidcSignInJson,
  SignInResponseJson,
} from "@reprise/protocol/gen/reprise/v1/sign_in_pb.ts";
import { addressOf, ask } from "./client.ts";
import { keepToken } from "./session.ts";

const key = "reprise.sign-in";
const returnPath = "/signed-in";

/** What the tab remembers while it is away. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Where its user wanted to be. */
  readonly path: string;
}

export const askSignIn = (signal?: AbortSignal): Promise<GetSignInResponseJson> => ask("/reprise/v1/sign-in", signal);

/** Leaves the page. Fails where the browser gives no cryptography: over plain HTTP from another machine. */
export async function beginSignIn(at: OidcSignInJson): Promise<void> {
  if (!isSecureContext) throw new Error("the browser signs in only over https (or on this machine itself)");
  const begun: Begun = {
    state: random(),
    nonce: random(),
    codeVerifier: random(),
    path: location.pathname + location.search,
  };
  sessionStorage.setItem(key, JSON.stringify(begun));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.codeVerifier));
  const target = new URL(at.authorizationEndpoint ?? "");
  const asked = {
    response_type: "code",
    client_id: at.clientId ?? "",
    scope: at.scope ?? "openid",
    redirect_uri: addressOf(returnPath).href,
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) target.searchParams.set(name, value);
  location.assign(target);
}

let failure: string | undefined;
/** Why the sign-in from which the page has just come back came to nothing. */
export const signInFailure = (): string | undefined => failure;

/** Where the provider has sent the browser back: redeems its answer, and leads to where its user wanted to be. Else nothing. */
export async function finishSignIn(): Promise<void> {
  if (location.pathname !== addressOf(returnPath).pathname) return;
  const answer = location.search.slice(1);
  const begun = takeBegun();
  history.replaceState(null, "", begun?.path ?? addressOf("/").pathname);
  if (begun === undefined) {
    failure = "this tab has begun no sign-in; begin again";
    return;
  }
  const { state, nonce, codeVerifier } = begun;
  const body = { answer, state, nonce, codeVerifier, redirectUri: addressOf(returnPath).href };
  try {
    const { token = "" } = await ask<SignInResponseJson>("/reprise/v1/sign-in", undefined, body);
    keepToken(token, "tab");
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
}

function takeBegun(): Begun | undefined {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return text === null ? undefined : (JSON.parse(text) as Begun);
}

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
