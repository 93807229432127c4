/**
 * source: what the watcher asks of the file systems that logs lie on. The contract; `source.contract.ts` is its suite.
 *
 * Promises      an open log goes on showing the same file when its name is given to another one (rotation). Nothing
 *               blocks: a FIFO or a device is `unreadable`, never opened.
 * Fails         absence and unreadability are answers. `read` throws what the file system says (EIO, ESTALE); the caller
 *               reports it as unreadable. Any method may throw `NotNow`: the file system is slow, and nothing is known.
 * Bodies        `lanes/` reads real files, each file system with a thread of its own; `memory/` is a world for tests and the
 *               simulator.
 */
import type { Instant } from "@reprise/core/nouns.ts";

/** What a file was like at one moment. */
export interface Look {
  /** Differs between hosts for one shared file: shown, never compared. */
  readonly device: string;
  readonly inode: string;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Instant;
  /** Absent where the file system does not keep it. */
  readonly bornAt?: Instant;
}

export type Opened =
  | { readonly kind: "open"; readonly log: OpenLog }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

export type Looked =
  | { readonly kind: "seen"; readonly look: Look }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

/** No answer yet: not an absence, not an end, no failure. The caller leaves everything as it is and asks at its next pass. */
export class NotNow extends Error {
  constructor() {
    super("the file system has not answered yet");
  }
}

export interface OpenLog {
  look(): Look;
  /** A hint, so that a body may look ahead: the next look comes in `inMs` or later, the next read is from `offset`. */
  expect?(offset: number, inMs: number): void;
  /** Bytes from `offset` on into the front of `into`. @returns how many; 0 at the end. */
  read(into: Uint8Array, offset: number): number;
  close(): void;
}

export interface LogSource {
  /** Called before each pass over open logs: their looks are as fresh as this, or fresher. */
  refresh?(): Promise<void>;
  open(path: string): Opened;
  /** By name, following links: another file than the open one after a rotation. */
  look(path: string): Looked;
  /** Names in a folder, any order; undefined when there is no such folder or it cannot be read. */
  names(folder: string): readonly string[] | undefined;
}
