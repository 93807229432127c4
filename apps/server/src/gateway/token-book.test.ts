/**
 * Goal    a token that was made opens at once, one that was revoked anywhere closes soon, and strangers cost the database nothing.
 * Method  a store in memory whose reads are counted and can fail; a clock that the test moves.
 */
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { expect, test } from "vitest";
import { createMemoryStore } from "../manager/store/memory/memory-store.ts";
import { withFaults } from "../manager/store/memory/with-faults.ts";
import { createTokenBook, isTokenText } from "./token-book.ts";

function world() {
  const { clock, log } = fakeLife();
  const store = createMemoryStore();
  const reads = { count: 0, fail: false };
  const before = (name: string) => {
    if (name !== "listTokens") return;
    reads.count++;
    if (reads.fail) throw new Error("the database is away");
  };
  const watched = withFaults(store, { before, after: () => undefined });
  const open = () => createTokenBook(watched, clock, log);
  return { clock, store, reads, book: open(), another: open() };
}
const stranger = (n: number) => `reprise_${n.toString(16).padStart(12, "0")}_${"A".repeat(43)}`;

test("what is kept of a token is not enough to make it", async () => {
  const { book, store } = world();
  const { text, record } = await book.create({ name: "ci", roles: ["viewer"] });
  expect(isTokenText(text)).toBe(true);
  expect(await book.find(text)).toEqual(record);
  const secret = text.slice(`reprise_${record.id}_`.length); // In which `_` may stand, too.
  expect(JSON.stringify(await store.listTokens())).not.toContain(secret);
  for (const wrong of [
    `reprise_${record.id}_${record.secretHash.slice(0, 43)}`,
    `${text}A`,
    text.slice(0, -1),
    record.id,
    "",
  ])
    expect(await book.find(wrong)).toBeUndefined();
});

test("two tokens are never alike", async () => {
  const { book } = world();
  const made = await Promise.all(Array.from({ length: 50 }, () => book.create({ name: "x", roles: ["viewer"] })));
  expect(new Set(made.map(({ text }) => text)).size).toBe(50);
});

test("one that was made or revoked at another server counts here within seconds", async () => {
  const { book, another, clock } = world();
  await book.find(stranger(1));
  await clock.advance(501);
  const { text, record } = await another.create({ name: "ci", roles: ["viewer"] });
  expect(await book.find(text)).toMatchObject({ id: record.id });
  await another.revoke(record.id);
  expect(await another.find(text)).toBeUndefined();
  await clock.advance(5_001);
  expect(await book.find(text)).toBeUndefined();
});

test("a thousand strangers cost one reading", async () => {
  const { book, reads } = world();
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => book.find(stranger(i))));
  expect(reads.count).toBe(1);
});

test("a database that is away lets in whom we know for a while, and nobody is called a stranger then", async () => {
  const { book, clock, reads } = world();
  const { text } = await book.create({ name: "ci", roles: ["viewer"] });
  await book.find(text);
  reads.fail = true;
  await clock.advance(60_000);
  expect(await book.find(text)).toMatchObject({ name: "ci" });
  await clock.advance(5 * 60_000);
  await expect(book.find(text)).rejects.toMatchObject({ code: "unavailable" });
  reads.fail = false;
  expect(await book.find(text)).toMatchObject({ name: "ci" });
});
