/**
 * Goal    real files keep the contract of a log source; what would block is never opened.
 * Method  the contract's suite in a fresh folder; a FIFO.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sourceContract } from "../source.contract.ts";
import { createFileSource } from "./file-source.ts";

const root = mkdtempSync(join(tmpdir(), "reprise-file-source-"));
afterAll(() => rmSync(root, { recursive: true }));

const source = createFileSource();

sourceContract(() => ({
  source,
  folder: mkdtempSync(join(root, "world-")),
  append(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  },
  truncate: (path) => truncateSync(path),
  rename: renameSync,
}));

test("a FIFO is unreadable and does not block", () => {
  const path = join(root, "fifo");
  execFileSync("mkfifo", [path]);
  expect(source.open(path)).toEqual({ kind: "unreadable", why: `${path} is not a regular file` });
});

test("a device is unreadable", () => {
  expect(source.open("/dev/null").kind).toBe("unreadable");
});
