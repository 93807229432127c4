/**
 * log-files: the lines of one attempt's log files and of its nodes' own logs, in one order of time.
 *
 * Takes   files that nobody watched while they were written: their own times are all there is.
 * Keeps   a node's line counts from the first time that the job's log shows to a little after the last one: what was before or long after
 *         the attempt accuses nobody. Times without a zone are taken to be of one zone in all files.
 * Fails   `Failure` for a file that cannot be read, and for nodes' logs beside a log that shows no times.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { clocksOfFile, linesOfFile, linesOfNode } from "@reprise/watcher/cases/log-lines.ts";
import type { ReadLine } from "@reprise/watcher/cases/read-attempt.ts";
import { Failure, readable } from "../failure.ts";

/** Below it a line without a time may stand for hours, and nothing follows from what lies between two that show one. */
const clockedShareMin = 0.9;
/** A log is hardly longer; a year is found from its beginning. */
const logMs = 30 * 24 * 3_600_000;

export interface NodeFile {
  readonly node: string;
  readonly path: string;
}

export interface LogFiles {
  readonly lines: Iterable<ReadLine>;
  /** The first time that the job's log shows; 0: it shows none. */
  readonly startedAt: Instant;
  readonly judgesSilence: boolean;
  /** Lines of nodes that showed no time; known when all was read. */
  readonly untimed: () => number;
}

export function openLogs(paths: readonly string[], nodeFiles: readonly NodeFile[]): LogFiles {
  const clocks = paths.map((path) => readable(path, () => clocksOfFile(path)));
  const firsts = clocks.flatMap(({ first }) => first ?? []);
  if (nodeFiles.length > 0 && firsts.length === 0)
    throw new Failure(
      "--node-log: the lines of the job's log show no times, so nothing tells which lines of a node are of its time",
      {
        exitCode: 2,
      },
    );
  const startedAt = firsts.length === 0 ? 0 : Math.min(...firsts);
  let untimed = 0;
  const of = { from: startedAt + limits.nodeLineStartMs, around: startedAt + logMs };
  const nodes = nodeFiles.map(({ node, path }) => ({
    path,
    lines: linesOfNode(path, { node, ...of }, () => untimed++),
  }));
  const own = paths.map((path) => ({ path, lines: linesOfFile(path, Math.max(0, startedAt - 1)) }));
  return {
    lines: inOrder([...own, ...nodes]),
    startedAt,
    judgesSilence: clocks.every(({ share }) => share >= clockedShareMin),
    untimed: () => untimed,
  };
}

/** A node's line long after the last one of the job is not of its time. */
function* inOrder(
  files: readonly { readonly path: string; readonly lines: Generator<ReadLine> }[],
): Generator<ReadLine> {
  const heads = files.map(({ path, lines }) => readable(path, () => lines.next()));
  let last = Number.NEGATIVE_INFINITY;
  for (;;) {
    let first = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[first];
      if (head.done !== true && (best === undefined || best.done === true || head.value.at < best.value.at))
        first = index;
    }
    const head = heads[first];
    if (head === undefined || head.done === true) return;
    const line = head.value;
    const isOfJob = line.node === undefined;
    if (isOfJob) last = line.at;
    const goesOn = heads.some((other) => other.done !== true && other.value.node === undefined);
    if (isOfJob || goesOn || line.at <= last + limits.nodeLineSlackMs) yield line;
    heads[first] = files[first]!.lines.next();
  }
}
