/**
 * log-context: the lines around one line of a log, read from its file once more.
 *
 * In the loop   beside it: a root was told → **the lines around it, some seconds later** → Course
 * Takes         where the line stands, and its words.
 * Gives         undefined where its file is gone, is another one by now, or has other words at that place: then nobody knows.
 * Keeps         nothing from before the attempt's own part of the file.
 * Fails         `NotNow` when the file system is slow; what else it says is thrown as it came.
 * Bound         one read of `beforeBytes + afterBytes`; lines as `limits.context…` has it.
 */
import type { LogContext } from "@reprise/core/course/course.ts";
import { limits } from "@reprise/core/limits.ts";
import { isLineEnd } from "../lines.ts";
import { cutToBytes, textOf } from "../match/line-text.ts";
import type { LogSource } from "../source/source.ts";

const beforeBytes = 16 * 1024;
const afterBytes = 32 * 1024;
/** Of the line, by which it is known again. */
const saidCharsMax = 200;

export interface WantedContext {
  /** Of the signal. */
  readonly key: string;
  /** Its evidence. */
  readonly line: string;
  readonly path: string;
  readonly offset: number;
  /** Of the file as it was read. */
  readonly inode: string;
  /** Where the attempt's part of it begins. */
  readonly start: number;
}

export function readContext(source: Pick<LogSource, "open">, wanted: WantedContext): LogContext | undefined {
  const { path, inode, start, offset } = wanted;
  const opened = source.open(path);
  if (opened.kind !== "open") return undefined;
  try {
    if (opened.log.look().inode !== inode) return undefined;
    const from = Math.max(start, offset - beforeBytes);
    const bytes = Buffer.alloc(offset - from + afterBytes);
    const length = opened.log.read(bytes, from);
    return contextIn(bytes.subarray(0, length), { at: offset - from, isFirstWhole: from === start }, wanted);
  } finally {
    opened.log.close();
  }
}

interface Place {
  /** Where in the bytes the line begins. */
  readonly at: number;
  /** Bytes begin where a line does. */
  readonly isFirstWhole: boolean;
}

function contextIn(bytes: Buffer, { at, isFirstWhole }: Place, { key, line }: WantedContext): LogContext | undefined {
  if (at >= bytes.length) return undefined;
  const end = endOfLine(bytes, at);
  if (!isSame(textOf(bytes, at, end), line)) return undefined;
  const earlier = linesIn(bytes, 0, at).slice(isFirstWhole ? 0 : 1);
  return {
    key,
    before: earlier.slice(-limits.contextBeforeMax),
    after: linesIn(bytes, end, bytes.length).slice(0, limits.contextAfterMax),
  };
}

/** The words of a line of JSON stand in it as JSON writes them. */
function isSame(text: string, line: string): boolean {
  const said = line.slice(0, saidCharsMax);
  return text.includes(said) || text.includes(JSON.stringify(said).slice(1, -1));
}

function linesIn(bytes: Buffer, from: number, to: number): readonly string[] {
  const lines: string[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, endOfLine(bytes, at));
    const text = textOf(bytes, at, end).trimEnd();
    if (text !== "") lines.push(cutToBytes(text, limits.contextLineBytesMax));
    at = end + 1;
  }
  return lines;
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && !isLineEnd(bytes[at])) at++;
  return at;
}
