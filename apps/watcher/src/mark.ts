/**
 * mark: a fingerprint of the bytes before an offset, by which an emptied and regrown file is told from a grown one.
 *
 * Gives   eight hexadecimal digits (FNV-1a of at most `markBytes`); `short` when the file ends before the offset; and whether a line ends there.
 * Fails   throws what `read` throws.
 */
import { isLineEnd } from "./lines.ts";
import type { OpenLog } from "./source/source.ts";

const markBytes = 64;

export function markBefore(log: OpenLog, offset: number): string {
  const from = Math.max(0, offset - markBytes);
  const bytes = new Uint8Array(offset - from);
  if (bytes.length > 0 && log.read(bytes, from) < bytes.length) return "short";
  return fnv1a(bytes);
}

export function endsLine(log: OpenLog, offset: number): boolean {
  const last = new Uint8Array(1);
  return offset === 0 || (log.read(last, offset - 1) === 1 && isLineEnd(last[0]));
}

/** Not for secrets. */
export function fnv1a(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
