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

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8");
  return text.replace(sequences, "").replace(controls, "");
}

/** What stands before the words of a line and says which process wrote them. */
export interface Speaker {
  /** The global rank: `[rank3]:`, `[Rank 3]`, mpirun's `[1,3]<stderr>:`; `[E …cpp:916] [Rank 3]` of PyTorch. */
  readonly rank?: number;
  /** srun's label `3: `: the task, which is a rank or a node's launcher. */
  readonly task?: number;
  /** torchrun's `[default3]:`: the rank inside its node. Names no node. */
  readonly localRank?: number;
}

export function speakerOf(text: string): Speaker {
  const rank = /^\s*\[(?:rank\s?(\d{1,6})\]|\d+,(\d{1,6})\]<std(?:out|err)>)/i.exec(text);
  if (rank !== null) return { rank: Number(rank[1] ?? rank[2]) };
  const local = /^\s*\[default(\d{1,4})\]/.exec(text);
  if (local !== null) return { localRank: Number(local[1]) };
  const task = /^\s*(\d{1,6}):\s/.exec(text);
  if (task !== null) return { task: Number(task[1]) };
  const within = /\[(?:[^[\]]*\s)?[Rr]ank (\d{1,6})\]/.exec(text);
  return within === null ? {} : { rank: Number(within[1]) };
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
