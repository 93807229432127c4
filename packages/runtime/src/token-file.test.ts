/**
 * Goal    a token is made once, readable by its owner only, and a file that others may read is refused with what to do.
 * Method  real files in a private folder.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ensureToken, readToken } from "./token-file.ts";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-token-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("a missing file is made with mode 0600, and the same token is read ever after", () => {
  const dir = folder();
  const path = join(dir, "data", "token");
  const token = ensureToken(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect([ensureToken(path), readToken(path)]).toEqual([token, token]);
  expect(readdirSync(join(dir, "data"))).toEqual(["token"]);
});

test.each([0o644, 0o604, 0o620, 0o602])("a file of mode %o is refused with the command that mends it", (mode) => {
  const path = join(folder(), "token");
  writeFileSync(path, "0123456789abcdef0123\n");
  chmodSync(path, mode);
  for (const read of [readToken, ensureToken]) {
    expect(() => read(path)).toThrow(`others may read or change it. Run: chmod 600 ${path}`);
  }
});

test.each([
  ["empty", ""],
  ["too short", "abc\n"],
  ["two lines", "0123456789abcdef\n0123456789abcdef\n"],
])("a file that is %s holds no token, and is not overwritten", (_what, content) => {
  const path = join(folder(), "token");
  writeFileSync(path, content, { mode: 0o600 });
  expect(() => ensureToken(path)).toThrow("holds no token: expected one line");
  expect(statSync(path).size).toBe(content.length);
});

test("a missing file, and a folder in its place, are said as such", () => {
  const dir = folder();
  expect(() => readToken(join(dir, "none"))).toThrow(/there is no token file .*none/);
  expect(() => readToken(dir)).toThrow("is not a file");
});
