/**
 * Goal    a token is kept as it was made, ends once and for all, and is forgotten long after it ended.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import type { TokenRecord } from "../../token-record.ts";
import { hour, noon, s, type Open } from "../testing/world.ts";

const token = (id: string, change: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  name: "ci",
  roles: ["operator"],
  secretHash: "0".repeat(64),
  createdAt: noon,
  ...change,
});

export function tokenContract(open: Open): void {
  test("tokens are listed as they were made, oldest first, on every replica", async () => {
    const { store, replica } = await open();
    const later = token("a", { createdAt: noon + s, roles: ["controller", "watcher"], expiresAt: noon + hour });
    for (const made of [later, token("c"), token("b")]) await store.createToken(made, noon);
    expect(await replica.listTokens()).toEqual([token("b"), token("c"), later]);
  });

  test("an ID is used once", async () => {
    const { store } = await open();
    await store.createToken(token("a"), noon);
    await expect(store.createToken(token("a", { name: "other" }), noon)).rejects.toMatchObject({ code: "exists" });
    expect(await store.listTokens()).toEqual([token("a")]);
  });

  test("a token is revoked once: it stays so since then, and what nobody made is not known", async () => {
    const { store, replica } = await open();
    await store.createToken(token("a"), noon);
    const revoked = token("a", { revokedAt: noon + s });
    expect(await store.revokeToken("a", noon + s)).toEqual(revoked);
    expect(await replica.revokeToken("a", noon + hour)).toEqual(revoked);
    expect(await replica.listTokens()).toEqual([revoked]);
    expect(await store.revokeToken("b", noon)).toBeUndefined();
  });

  test("what ended is kept for a while, and goes when another token is made after it", async () => {
    const { store } = await open();
    await store.createToken(token("expired", { expiresAt: noon }), noon);
    await store.createToken(token("revoked"), noon);
    await store.createToken(token("lives"), noon);
    await store.revokeToken("revoked", noon);
    const idsAfter = async (ms: number) => {
      await store.createToken(token(`n${ms}`), noon + ms);
      return (await store.listTokens()).map(({ id }) => id);
    };
    expect(await idsAfter(limits.tokenKeptMs)).toContain("expired");
    const left = await idsAfter(limits.tokenKeptMs + 1);
    expect(left).toContain("lives");
    expect(left).not.toContain("expired");
    expect(left).not.toContain("revoked");
  });
}
