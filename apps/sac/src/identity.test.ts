/**
 * Goal    a SAC that comes back is the same one to the lease; and never are there two of one name.
 * Method  a state folder of its own; the lock is the operating system's, between two callers of one process.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { takeIdentity } from "./identity.ts";

function stateFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-identity-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("the next SAC of a folder has the identity of the one before", async () => {
  const dir = stateFolder();
  const first = await takeIdentity(dir, fakeLife(1));
  first?.release();
  const second = await takeIdentity(dir, fakeLife(2));
  expect(second?.id).toBe(first?.id);
  second?.release();
});

test("another folder is another SAC", async () => {
  const life = fakeLife();
  const ids = await Promise.all([stateFolder(), stateFolder()].map((dir) => takeIdentity(dir, life)));
  expect(new Set(ids.map((one) => one?.id)).size).toBe(2);
  for (const one of ids) one?.release();
});

test("while one SAC has the folder another one waits, and takes it over when the first has ended", async () => {
  const dir = stateFolder();
  const first = await takeIdentity(dir, fakeLife());
  const life = fakeLife();
  const second = takeIdentity(dir, life);
  await life.clock.untilSleeping();
  first?.release();
  await life.clock.advance(1_000);
  expect((await second)?.id).toBe(first?.id);
  (await second)?.release();
});

test("a SAC that is told to end while it waits gets nothing", async () => {
  const dir = stateFolder();
  const first = await takeIdentity(dir, fakeLife());
  const life = fakeLife();
  const second = takeIdentity(dir, life);
  await life.clock.untilSleeping();
  life.end();
  await life.clock.advance(1_000);
  expect(await second).toBeUndefined();
  first?.release();
});
