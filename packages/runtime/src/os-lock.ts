/**
 * os-lock: a lock between processes that the operating system itself gives back when its holder dies, however it dies.
 *
 * Gives    the lock; or nothing, at once, while anybody (another process, or another caller in this one) holds it.
 * Writes   the file at `path`, made when missing; it stays, and is never read: reading and closing it in this process would drop the lock.
 * Fails    an error of the file system is thrown as it came (no such folder, no permission, a full disk).
 * Source   SQLite's exclusive locking mode: an OS lock on Linux, macOS and Windows. Not for network file systems.
 */
import { DatabaseSync } from "node:sqlite";

export interface OsLock {
  /** Safe to call twice. */
  release(): void;
}

const sqliteBusy = 5;

export function tryOsLock(path: string): OsLock | undefined {
  const file = new DatabaseSync(path);
  try {
    file.exec("pragma locking_mode = exclusive; begin exclusive");
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return {
    release() {
      if (file.isOpen) file.close();
    },
  };
}
