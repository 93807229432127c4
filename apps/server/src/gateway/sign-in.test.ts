/**
 * Goal    a person who has been at the identity provider gets a token that this server takes; nobody else does: not with another tab's code,
 *         not with a code that was used, not by what somebody else has put into the address.
 * Method  the doors of a server and a strict provider, on loopback; the test is the browser.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, openGateway } from "./testing/gateway.ts";
import { clientId, oidcOf, startProvider } from "./testing/provider.ts";

const redirectUri = "http://127.0.0.1:1/signed-in";
const begun = { state: "state-of-this-tab", nonce: "nonce-of-this-tab", codeVerifier: "v".repeat(43) };

async function world(secret?: string, told = secret) {
  const provider = await startProvider(secret);
  onTestFinished(() => provider.stop());
  const dir = mkdtempSync(join(tmpdir(), "sign-in-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  if (told !== undefined) writeFileSync(join(dir, "secret"), `${told}\n`);
  const file = told === undefined ? undefined : join(dir, "secret");
  const { http, lines } = await openGateway({ config: { oidc: oidcOf(provider, file) } });
  const signIn = `${http}/reprise/v1/sign-in`;
  /** As the page does it. @returns What stands behind `?` when the provider sends the browser back. */
  const goThere = async () => {
    const { oidc } = (await call(signIn, undefined)).body as { oidc: { authorizationEndpoint: string; scope: string } };
    const asked = {
      response_type: "code",
      client_id: clientId,
      scope: oidc.scope,
      redirect_uri: redirectUri,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: createHash("sha256").update(begun.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    };
    const there = await fetch(`${oidc.authorizationEndpoint}?${String(new URLSearchParams(asked))}`, {
      redirect: "manual",
    });
    return new URL(there.headers.get("location") ?? "").search.slice(1);
  };
  const redeem = (answer: string, change: object = {}) =>
    call(signIn, undefined, { method: "POST", body: JSON.stringify({ answer, ...begun, redirectUri, ...change }) });
  return { provider, http, lines, signIn, goThere, redeem };
}

test.each([undefined, "kept-by-the-server"])(
  "who comes from the provider is let in, by his name and his roles (secret: %s)",
  async (secret) => {
    const { provider, http, goThere, redeem } = await world(secret);
    provider.grant("operator");
    const { status, body } = await redeem(await goThere());
    expect(status).toBe(200);
    const me = await call(`${http}/reprise/v1/me`, String(body["token"]));
    expect(me.body).toEqual({ name: "ada", roles: ["operator"], mayOrder: true });
  },
);

test("a code counts once, and only for the tab that began", async () => {
  const { goThere, redeem } = await world();
  const refused = { status: 401, body: { code: 16 } };
  for (const change of [
    { codeVerifier: "w".repeat(43) },
    { state: "another tab's" },
    { nonce: "another tab's" },
    { redirectUri: "http://127.0.0.1:1/elsewhere" },
  ])
    expect(await redeem(await goThere(), change)).toMatchObject(refused);
  const answer = await goThere();
  expect((await redeem(answer)).status).toBe(200);
  expect(await redeem(answer)).toMatchObject(refused);
  for (const made of ["", "code=x", "%", `state=${begun.state}&code=guessed`])
    expect(await redeem(made)).toMatchObject(refused);
});

test("what the provider says is told in its word, and never more than a word; the secret is nobody's", async () => {
  const { provider, lines, goThere, redeem } = await world("right", "wrong");
  provider.deny("access_denied");
  expect((await redeem(await goThere())).body["message"]).toBe("the identity provider says: access_denied");
  provider.deny("<script>");
  expect((await redeem(await goThere())).body["message"]).toBe("the identity provider says: an error");
  const { body } = await redeem(await goThere());
  expect(body["message"]).toBe("the identity provider says: invalid_grant");
  expect(lines.length).toBeGreaterThan(0);
});

test("a provider that is away is said to be; one that is not configured signs nobody in; too much is refused", async () => {
  const { provider, signIn, redeem } = await world();
  expect(await redeem("x".repeat(8_193))).toMatchObject({ status: 400 });
  await provider.stop();
  expect(await call(signIn, undefined)).toMatchObject({ status: 503 });
  expect(await redeem("code=x&state=y")).toMatchObject({ status: 503 });
  const { http } = await openGateway();
  expect(await call(`${http}/reprise/v1/sign-in`, undefined)).toMatchObject({ status: 200, body: {} });
  expect(await call(`${http}/reprise/v1/sign-in`, undefined, { method: "POST", body: "{}" })).toMatchObject({
    status: 400,
  });
});
