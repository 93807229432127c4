/**
 * line-text: one line as a person would read it on a terminal.
 *
 * Takes         bytes of one line, without its end: ANSI colours, invalid UTF-8, NULs (a file truncated under an open
 *               descriptor has a hole of them) and all.
 * Gives         text without colours and control characters but for tabs. Invalid bytes become U+FFFD.
 * Pure, total
 * Source        ECMA-48 (CSI and OSC sequences).
 */
// CSI … final byte; OSC … BEL or ST; and two-byte escapes.
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/g;

/** @param bytes A `Buffer`, as all that is read from logs: of anything else a view is made for each line. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let all = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) return uncoloured(buffer.toString("utf8", from, to));
    all |= byte;
  }
  return buffer.toString(all < 0x80 ? "latin1" : "utf8", from, to); // Of ASCII both are the same; one of them is a mere copy.
}

/** The same of a text that was inside another one. */
export function uncoloured(text: string): string {
  return text.replace(sequences, "").replace(controls, "");
}

/** Cut to `bytesMax` bytes of UTF-8, never inside a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
