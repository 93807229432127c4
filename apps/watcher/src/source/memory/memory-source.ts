/**
 * memory-source: a world of logs in memory, for tests and the simulator.
 *
 * Takes   what writers do: append, truncate (as Slurm does at a restart), rename (rotation), remove; and faults.
 * Keeps   an open log shows the same file after a rename, as POSIX does.
 */
import { dirname, basename } from "node:path/posix";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Look, LogSource } from "../source.ts";

interface MemoryFile {
  readonly inode: string;
  readonly bornAt: Instant;
  bytes: Buffer;
  modifiedAt: Instant;
}

export interface MemorySource extends LogSource {
  /** Creates the file when it is not there. */
  append(path: string, text: string | Uint8Array): void;
  /** Empties it and keeps the inode: `open(…, O_TRUNC)`. Creates it when it is not there. */
  truncate(path: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Opening and looking answer `unreadable` until it is healed with undefined. */
  refuse(path: string, why: string | undefined): void;
  size(path: string): number;
}

export function createMemorySource(clock: { now(): Instant }): MemorySource {
  const files = new Map<string, MemoryFile>();
  const refused = new Map<string, string>();
  let inodes = 0;

  const fileAt = (path: string): MemoryFile => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const made = { inode: String(++inodes), bornAt: clock.now(), bytes: Buffer.alloc(0), modifiedAt: clock.now() };
    files.set(path, made);
    return made;
  };
  const write = (path: string, bytes: Buffer) => {
    const file = fileAt(path);
    file.bytes = bytes;
    file.modifiedAt = clock.now();
  };
  const find = (path: string) => {
    const why = refused.get(path);
    if (why !== undefined) return { kind: "unreadable", why } as const;
    const file = files.get(path);
    return file === undefined ? ({ kind: "absent" } as const) : ({ kind: "found", file } as const);
  };

  return {
    append(path, text) {
      const before = fileAt(path).bytes;
      if (text.length > 0) write(path, Buffer.concat([before, Buffer.from(text)])); // Opened to append: no change yet.
    },
    truncate: (path) => write(path, Buffer.alloc(0)),
    rename(from, to) {
      const file = files.get(from);
      if (file === undefined) throw new Error(`no file ${from}`);
      files.delete(from);
      files.set(to, file);
    },
    remove: (path) => void files.delete(path),
    refuse(path, why) {
      if (why === undefined) refused.delete(path);
      else refused.set(path, why);
    },
    size: (path) => files.get(path)?.bytes.length ?? 0,

    open(path) {
      const found = find(path);
      if (found.kind !== "found") return found;
      const { file } = found;
      const read = (into: Uint8Array, offset: number) => {
        const part = file.bytes.subarray(offset, offset + into.length);
        into.set(part);
        return part.length;
      };
      return { kind: "open", log: { look: () => lookOf(file), read, close: () => undefined } };
    },
    look(path) {
      const found = find(path);
      return found.kind === "found" ? { kind: "seen", look: lookOf(found.file) } : found;
    },
    names(folder) {
      const names = [...files.keys()].filter((path) => path.startsWith(`${folder === "/" ? "" : folder}/`));
      if (names.length === 0) return undefined;
      const first = (path: string) =>
        dirname(path) === folder ? basename(path) : path.slice(folder.length).split("/")[1];
      return [...new Set(names.map((path) => first(path) ?? ""))];
    },
  };
}

function lookOf(file: MemoryFile): Look {
  const { inode, bornAt, modifiedAt, bytes } = file;
  return { device: "memory", inode, size: bytes.length, modifiedAt, bornAt };
}
