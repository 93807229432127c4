/**
 * journal-file: the journal's lines on a local disk.
 *
 * Writes        one file, opened for appending; each append is followed by fsync, and by fsync of the folder when the file is new.
 * Keeps         only whole lines are ever read; a torn one is closed off before the next is written.
 * Bound         `compactBytes`, `keepMs`.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Instant } from "@reprise/core/nouns.ts";
import type { JournalFile } from "./journal.ts";

/** Above this size the file is rewritten at start without its old entries. */
const compactBytes = 16 * 1024 * 1024;
/** Longer than any Advice lives. */
const keepMs = 7 * 24 * 3_600_000;

export function openJournalFile(path: string, now: Instant): JournalFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) compact(path, now);
  const fd = openSync(path, "a+", 0o600);
  syncFolder(dirname(path));
  let readTo = 0;
  let rest = "";

  const readNew = () => {
    const size = fstatSync(fd).size;
    const bytes = Buffer.alloc(size - readTo);
    readTo += readSync(fd, bytes, 0, bytes.length, readTo);
    const lines = (rest + bytes.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    return lines.filter((line) => line !== "");
  };
  return {
    append(line) {
      const isTorn = fstatSync(fd).size > 0 && lastByte(fd) !== 0x0a;
      writeSync(fd, `${isTorn ? "\n" : ""}${line}\n`);
      fsyncSync(fd);
    },
    readNew,
  };
}

function lastByte(fd: number): number {
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, fstatSync(fd).size - 1);
  return byte[0] ?? 0;
}

function compact(path: string, now: Instant): void {
  const text = readFileSync(path, "utf8");
  if (text.length < compactBytes) return;
  const recent = text.split("\n").filter((line) => {
    const at = /"at":(\d+)/.exec(line)?.[1];
    return at !== undefined && now - Number(at) < keepMs;
  });
  const next = `${path}.new`;
  const fd = openSync(next, "w", 0o600);
  writeSync(fd, `${recent.join("\n")}\n`);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(next, path);
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}
