/**
 * log-files: files on real file systems, by number. What a call of the operating system can say of a log, and no more.
 *
 * Writes    nothing.
 * Bound     one descriptor an open log. Synchronous: a sweep of 5,000 idle files takes milliseconds; asynchronous calls cost five
 *           times as much (inotify is blind to what other hosts write on NFS and Lustre).
 * Fails     a name that is not of a regular file is `unreadable`: opening a FIFO would wait for ever. `growthOf` and `read` throw.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from "node:fs";
import type { Look, Looked } from "../source.ts";

export type OpenedFile =
  | { readonly kind: "open"; readonly file: number; readonly look: Look }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

export interface LogFiles {
  open(path: string): OpenedFile;
  look(path: string): Looked;
  names(folder: string): readonly string[] | undefined;
  /** What of an open file can change. */
  growthOf(file: number): Pick<Stats, "size" | "mtimeMs">;
  /** What has its name now. */
  lookByName(file: number): Looked;
  read(file: number, into: Uint8Array, offset: number): number;
  close(file: number): void;
}

const isLasting = (code: string | undefined) => code === "ENOENT" || code === "ENOTDIR" || code === "EACCES";

export function createLogFiles(): LogFiles {
  const paths = new Map<number, string>();
  return {
    open(path) {
      const looked = look(path);
      if (looked.kind !== "seen") return looked;
      try {
        const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        paths.set(file, path);
        return { kind: "open", file, look: lookOf(fstatSync(file)) };
      } catch (error) {
        return noFile(error);
      }
    },
    look,
    names(folder) {
      try {
        return readdirSync(folder);
      } catch (error) {
        // Any other failure may pass, and its files were there before: that is not "no such folder".
        if (isLasting((error as NodeJS.ErrnoException).code)) return undefined;
        throw error;
      }
    },
    growthOf: (file) => fstatSync(file),
    lookByName: (file) => look(paths.get(file) ?? ""),
    read: (file, into, offset) => readSync(file, into, 0, into.length, offset),
    close(file) {
      paths.delete(file);
      closeSync(file);
    },
  };
}

function look(path: string): Looked {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { kind: "unreadable", why: `${path} is not a regular file` };
    return { kind: "seen", look: lookOf(stats) };
  } catch (error) {
    return noFile(error);
  }
}

function lookOf(stats: Stats): Look {
  return {
    device: String(stats.dev),
    inode: String(stats.ino),
    size: stats.size,
    modifiedAt: stats.mtimeMs,
    ...(stats.birthtimeMs > 0 ? { bornAt: stats.birthtimeMs } : {}),
  };
}

function noFile(error: unknown): { kind: "absent" } | { kind: "unreadable"; why: string } {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : { kind: "unreadable", why: message };
}
