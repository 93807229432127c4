/**
 * shared: the memory between the watcher and one thread that reads files for it.
 *
 * Keeps   one request at a time: the asker raises `request`, the thread raises `answer` to the same number when it is done.
 *         Until then what is in here belongs to the thread.
 * Bound   `slotsMax` files a sweep; `aheadBytesMax` of new bytes a file, `arenaBytes` in all, are read along with it.
 */
import type { Look } from "../source.ts";

export const slotsMax = 8_192;
export const aheadBytesMax = 64 * 1024;
const arenaBytes = 4 * 1024 * 1024;
const dataBytes = 2 * 1024 * 1024;

/** Places in `control`. */
export const at = { request: 0, answer: 1, operation: 2, count: 3, slot: 4, result: 5 } as const;

export const operation = { open: 1, look: 2, names: 3, read: 4, close: 5, sweep: 6 } as const;

/** Numbers of one file in a sweep: what is asked… */
export const askWidth = 3;
export const ask = { file: 0, expected: 1, byName: 2 } as const;
/** …and what is answered. Two looks, the first one's size among them, and where in the arena which bytes of the file are. */
export const answerWidth = 15;
export const answer = { own: 0, size: 3, named: 6, aheadAt: 12, aheadFrom: 13, aheadBytes: 14 } as const;
/** The first number of a look. */
export const looked = { notAsked: 0, seen: 1, absent: 2, unreadable: 3 } as const;

export interface Shared {
  readonly control: Int32Array;
  /** Of `read`: file, offset, bytes. */
  readonly numbers: Float64Array;
  /** Text, both ways, and the bytes of `read`. */
  readonly data: Uint8Array;
  readonly asks: Float64Array;
  readonly answers: Float64Array;
  readonly arena: Uint8Array;
}

export function createShared(): Shared {
  return {
    control: new Int32Array(new SharedArrayBuffer(6 * 4)),
    numbers: new Float64Array(new SharedArrayBuffer(3 * 8)),
    data: new Uint8Array(new SharedArrayBuffer(dataBytes)),
    asks: new Float64Array(new SharedArrayBuffer(slotsMax * askWidth * 8)),
    answers: new Float64Array(new SharedArrayBuffer(slotsMax * answerWidth * 8)),
    arena: new Uint8Array(new SharedArrayBuffer(arenaBytes)),
  };
}

/** @returns its length in bytes. @throws when it does not fit. */
export function putText(data: Uint8Array, text: string): number {
  const bytes = Buffer.from(text);
  if (bytes.length > data.length) throw new Error(`${bytes.length} bytes of text, of at most ${data.length}`);
  data.set(bytes);
  return bytes.length;
}

export const textIn = (data: Uint8Array, bytes: number): string => Buffer.from(data.subarray(0, bytes)).toString();

export function putLook(into: Float64Array, begin: number, { device, inode, size, modifiedAt, bornAt }: Look): void {
  into[begin] = looked.seen;
  into[begin + 1] = Number(device);
  into[begin + 2] = Number(inode);
  into[begin + 3] = size;
  into[begin + 4] = modifiedAt;
  into[begin + 5] = bornAt ?? 0;
}

/** Of an open file the rest is known: `lookAgain`. */
export function putGrowth(into: Float64Array, begin: number, size: number, modifiedAt: number): void {
  into[begin] = looked.seen;
  into[begin + 3] = size;
  into[begin + 4] = modifiedAt;
}

/** @param before Of the same open file: it is the same one for ever, and most looks differ from the one before in nothing. */
export function lookAgain(from: Float64Array, begin: number, before: Look): Look {
  const [size, modifiedAt] = [from[begin + 3]!, from[begin + 4]!];
  return size === before.size && modifiedAt === before.modifiedAt ? before : { ...before, size, modifiedAt };
}

export function lookIn(from: Float64Array, begin: number): Look {
  const [device = 0, inode = 0, size = 0, modifiedAt = 0, bornAt = 0] = from.subarray(begin + 1, begin + 6);
  return { device: String(device), inode: String(inode), size, modifiedAt, ...(bornAt > 0 ? { bornAt } : {}) };
}
