/**
 * Goal    a JWT of the issuer, for us, signed by a key of its own and valid now, lets its subject in with the roles of its claim; every
 *         other one is refused, in words that help nobody to make a better one.
 * Method  an issuer on loopback; a clock that the test moves; forged tokens made by hand.
 */
import { createHmac } from "node:crypto";
import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { Refusal } from "@reprise/core/refusal.ts";
import { settle } from "@reprise/runtime/testing/fake-clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { describe, expect, test } from "vitest";
import { cooldownMs, createIssuerKeys, readAgainAfterMs } from "./issuer-keys.ts";
import { jwtsOf, type JwtRules } from "./jwt.ts";
import { audience, type Issuer, startIssuer } from "./testing/issuer.ts";

async function world({
  rules = {},
  jwks = "/keys",
  alg = "ES256",
}: {
  rules?: Partial<JwtRules>;
  jwks?: string | undefined;
  alg?: string;
} = {}) {
  const issuer = await startIssuer(alg);
  const { clock, log, lines } = fakeLife();
  const where = jwks === undefined ? {} : { jwks: jwks.startsWith("/keys") ? issuer.jwks : jwks };
  const keys = createIssuerKeys({ issuer: issuer.url, clock, log, ...where });
  const all = {
    issuer: issuer.url,
    audiences: [audience],
    rolesClaim: "roles",
    roleOf: {},
    clockSkewMs: 60_000,
    ...rules,
  };
  const check = jwtsOf(all, keys, clock);
  const said = (token: string) =>
    check(token).catch((error: unknown) => {
      if (error instanceof Refusal) return `${error.code}: ${error.message}`;
      throw error;
    });
  const rightsOf = async (claims: Readonly<Record<string, unknown>>) => {
    const identity = await check(await issuer.sign(clock.now(), claims));
    return [...(identity?.rights ?? [])];
  };
  return { issuer, clock, lines, check, said, rightsOf, sign: (change = {}) => issuer.sign(clock.now(), change) };
}

const invalid = "unauthenticated: the bearer token is not valid";

describe("a good token", () => {
  test("lets its subject in, with its roles", async () => {
    const { check, sign } = await world();
    expect(await check(await sign({ roles: ["operator", "viewer"] }))).toMatchObject({
      name: "ada",
      rights: new Set(["operator", "viewer"]),
    });
  });

  test.each(["RS256", "PS256", "ES384", "EdDSA"])("may be signed with %s", async (alg) => {
    const { check, sign } = await world({ alg });
    expect(await check(await sign())).toMatchObject({ name: "ada" });
  });

  test("is found by the issuer's discovery document where nobody says where its keys are", async () => {
    const { check, sign } = await world({ jwks: undefined });
    expect(await check(await sign())).toMatchObject({ name: "ada" });
  });

  test("what is no JWT is left to others", async () => {
    const { check } = await world();
    expect(await check("reprise_0123456789ab_x")).toBeUndefined();
  });
});

describe("a token that is refused", () => {
  const second = 1_000;
  test.each<[what: string, change: (now: number) => object, message: string]>([
    ["expired", (now) => ({ exp: now / second - 61 }), "unauthenticated: the bearer token has expired"],
    ["not valid yet", (now) => ({ nbf: now / second + 61 }), "unauthenticated: the bearer token is not valid yet"],
    ["for others", () => ({ aud: "another" }), "unauthenticated: the bearer token is for another audience"],
    ["for nobody", () => ({ aud: undefined }), "unauthenticated: the bearer token is for another audience"],
    ["of another issuer", () => ({ iss: "https://id.example" }), invalid],
    ["of nobody", () => ({ sub: undefined }), invalid],
    ["without an end", () => ({ exp: undefined }), invalid],
  ])("is %s", async (_what, change, message) => {
    const { said, sign, clock } = await world();
    expect(await said(await sign(change(Math.floor(clock.now() / second) * second)))).toBe(message);
  });

  test("clocks may differ a little", async () => {
    const { said, sign, clock } = await world();
    const now = Math.floor(clock.now() / second);
    expect(await said(await sign({ exp: now - 50, nbf: now + 50 }))).toMatchObject({ name: "ada" });
  });

  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const good = (issuer: Issuer, now: number) => ({
    iss: issuer.url,
    aud: audience,
    sub: "eve",
    roles: ["operator"],
    exp: now / second + 300,
  });

  test("is not signed, or signed with a shared secret, be it the public key itself", async () => {
    const { said, issuer, clock } = await world();
    const claims = encode(good(issuer, clock.now()));
    for (const alg of ["none", "None", "NONE"]) expect(await said(`${encode({ alg })}.${claims}.`)).toBe(invalid);
    const { keys } = (await (await fetch(issuer.jwks)).json()) as { keys: JWK[] };
    const secret = await exportSPKI(
      (await importJWK(keys[0] ?? {})) as Awaited<ReturnType<typeof generateKeyPair>>["publicKey"],
    );
    const head = `${encode({ alg: "HS256", kid: "k1" })}.${claims}`;
    expect(await said(`${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`)).toBe(invalid);
  });

  test("is signed by a foreign key, under the name of a known one or of none", async () => {
    const { said, issuer, clock } = await world();
    const { privateKey } = await generateKeyPair("ES256");
    for (const header of [
      { kid: "k1" },
      { kid: "k9" },
      {},
      { kid: "k1", jwk: { kty: "EC" }, jku: "http://127.0.0.1:1/" },
    ]) {
      const token = await new SignJWT(good(issuer, clock.now()))
        .setProtectedHeader({ alg: "ES256", ...header })
        .sign(privateKey);
      expect(await said(token)).toBe(invalid);
    }
  });

  test("was changed after it was signed", async () => {
    const { said, sign } = await world();
    const [head, , signature] = (await sign()).split(".");
    expect(await said(`${head}.${encode({ sub: "eve", roles: ["operator"] })}.${signature}`)).toBe(invalid);
  });
});

describe("roles", () => {
  test.each<[what: string, rules: Partial<JwtRules>, claims: object, rights: readonly string[]]>([
    ["a list", {}, { roles: ["viewer", "watcher"] }, ["viewer", "watcher"]],
    ["one text", {}, { roles: "controller" }, ["controller"]],
    ["a text of several", {}, { roles: "viewer operator" }, ["viewer", "operator"]],
    ["deep inside", { rolesClaim: "realm.access.roles" }, { realm: { access: { roles: ["viewer"] } } }, ["viewer"]],
    [
      "a name with dots",
      { rolesClaim: "https://x.example/roles" },
      { "https://x.example/roles": ["viewer"] },
      ["viewer"],
    ],
    [
      "mapped",
      { roleOf: { sre: "operator", "all staff": "viewer" } },
      { roles: ["sre", "all staff"] },
      ["operator", "viewer"],
    ],
    ["mapped, so that our names mean nothing", { roleOf: { sre: "operator" } }, { roles: ["controller"] }, []],
    ["never the owner's", {}, { roles: ["owner", "admin", "constructor"] }, []],
    ["never by a name of JavaScript's", { roleOf: { sre: "operator" } }, { roles: ["constructor", "__proto__"] }, []],
    ["none", {}, { roles: undefined }, []],
    ["of no use", {}, { roles: { viewer: true } }, []],
  ])("%s", async (_what, rules, claims, rights) => {
    const { rightsOf } = await world({ rules });
    expect(await rightsOf(claims as Record<string, unknown>)).toEqual(rights);
  });
});

describe("the issuer's keys", () => {
  test("are read again for a key that is not known, and then the old ones count for nothing", async () => {
    const { issuer, said, sign, clock } = await world();
    const old = await sign();
    expect(await said(old)).toMatchObject({ name: "ada" });
    await issuer.renewKeys();
    await clock.advance(cooldownMs);
    expect(await said(await sign({ sub: "bob" }))).toMatchObject({ name: "bob" });
    expect(await said(old), "remembered under keys that are gone").toBe(invalid);
  });

  test("are read again some time later all the same: a key that is withdrawn ends what it has signed", async () => {
    const { issuer, said, sign, clock } = await world();
    const token = await sign({ exp: Math.floor(clock.now() / 1_000) + 3_600 });
    expect(await said(token)).toMatchObject({ name: "ada" });
    await issuer.renewKeys();
    await clock.advance(readAgainAfterMs + 1);
    while ((await said(token)) !== invalid) await settle(); // The keys are read beside the calls.
    expect(issuer.asked()).toBe(2);
  });

  test("are not read for every stranger: not again within the cooldown", async () => {
    const { issuer, said, sign, clock } = await world();
    await said(await sign());
    await issuer.renewKeys();
    for (let i = 0; i < 20; i++) await said(await sign({ sub: `s${i}` }));
    expect(issuer.asked()).toBe(1);
    await clock.advance(cooldownMs);
    for (let i = 0; i < 20; i++) await said(await sign({ sub: `s${i}` }));
    expect(issuer.asked()).toBe(2);
  });

  test("serve while the issuer is away; without any, nobody can be told in or out", async () => {
    const { issuer, said, sign, clock, lines } = await world();
    issuer.fall();
    expect(await said(await sign())).toMatch(/^unavailable: /);
    issuer.rise();
    await clock.advance(cooldownMs);
    expect(await said(await sign())).toMatchObject({ name: "ada" });
    issuer.fall();
    await clock.advance(readAgainAfterMs + 1);
    expect(await said(await sign({ sub: "bob" }))).toMatchObject({ name: "bob" });
    expect(lines.map(({ message }) => message)).toContain("the keys of the issuer of JWTs cannot be read");
  });

  test("a file that is not there is said in the log, and to callers only that it cannot be checked", async () => {
    const { said, sign, lines } = await world({ jwks: "/nowhere/keys.json" });
    expect(await said(await sign())).toBe(
      "unavailable: JWTs cannot be checked now: the keys of their issuer cannot be read",
    );
    expect(lines).toHaveLength(1);
  });
});

test("a token that was verified is remembered, but not beyond its end", async () => {
  const { said, sign, clock, issuer } = await world({ rules: { clockSkewMs: 0 } });
  const token = await sign({ exp: Math.floor(clock.now() / 1_000) + 10 });
  const first = await said(token);
  issuer.fall();
  expect(await said(token)).toBe(first);
  await clock.advance(11_000);
  expect(await said(token)).toBe("unauthenticated: the bearer token has expired");
});
