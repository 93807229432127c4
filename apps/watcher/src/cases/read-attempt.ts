/**
 * read-attempt: what a watcher would have told of one attempt, from its lines and their times.
 *
 * In the loop   lines of a case or of yesterday's logs → the reader of a living attempt → **Signals**
 * Takes         lines in the order of their times; those before the attempt began are no evidence and are left out.
 * Gives         the signals up to `lookAt`, with the times at which they would have been told.
 * Keeps         the same reader as at work: what is diagnosed here is what would have been reported.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { AttemptReader, type ReaderOf } from "../attempt-reader.ts";
import type { Matcher } from "../match/matcher.ts";
import type { ReportedSignal, SilenceLimits } from "../server.ts";
import { tailEveryMs } from "../watch-once.ts";

export interface ReadLine {
  readonly at: Instant;
  readonly bytes: Uint8Array;
  /** Of the first byte in its file. */
  readonly offset: number;
  /** A line of this node's own log; absent: of the job's. */
  readonly node?: string;
  readonly path: string;
  /** It was longer than `lineBytesMax`; what follows of it is the next one. */
  readonly isCut?: boolean;
}

export interface Window {
  readonly startedAt: Instant;
  /** Absent: when the last line was written. */
  readonly lookAt?: Instant;
  /** Absent: silence and lost throughput are not looked for. */
  readonly silence?: SilenceLimits;
}

export function readAttempt(
  of: ReaderOf,
  matcher: Matcher,
  lines: Iterable<ReadLine>,
  { startedAt, lookAt, silence }: Window,
): readonly ReportedSignal[] {
  const reader = new AttemptReader(of, matcher);
  const signals: ReportedSignal[] = [];
  if (silence !== undefined)
    reader.watch({ silence, slowdownLastsMs: limits.slowdownLastsMs, startedAt, beginsAt: startedAt, positions: [] });
  let last = startedAt;
  for (const { at, bytes, offset, node, path } of lines) {
    if (at < startedAt || (lookAt !== undefined && at > lookAt)) continue;
    if (at - last >= tailEveryMs) {
      // What a living watcher reads together it tells together.
      signals.push(...reader.take(last, true));
      reader.judge(at - 1, at - 1); // Somebody has looked all the while.
      signals.push(...reader.take(at - 1, true));
    }
    const line = { path, inode: "", offset, bytes, from: 0, to: bytes.length, isReplay: false };
    if (node === undefined) {
      reader.read(line, at);
      reader.readLast(line, at);
    } else if (of.nodes.includes(node)) reader.readNode({ node }, line, at);
    last = at;
  }
  signals.push(...reader.take(last, true));
  if (lookAt !== undefined) reader.judge(lookAt, lookAt);
  signals.push(...reader.take((lookAt ?? last) - 1, true)); // Somebody looks once more when it was told.
  return signals;
}
