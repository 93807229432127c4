/**
 * matching: how fast one core answers in full over a mixed log (match, confirm, parse the steps), beside ripgrep and grep.
 *
 * Takes   `FOLDER MEBIBYTES`: where the log is written, and how large.
 * Gives   one JSON object on stdout. CPU time, not time of the clock: the machine is shared.
 */
import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AttemptReader } from "@reprise/watcher/attempt-reader.ts";
import { createMatcher, type Matcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import type { Signature } from "@reprise/watcher/match/signature.ts";
import { chunkBytes, createChunk } from "@reprise/watcher/lines.ts";
import { giveLines } from "@reprise/watcher/telling-lines.ts";
import { createMixedLog } from "./mixed-log.ts";

const [, , folder = ".", mebibytes = "1024"] = process.argv;
const built = loadSignatures([fileURLToPath(new URL("../../../signatures", import.meta.url))]);
const log = join(folder, "mixed.log");
/** Logs of one attempt are read together; its signals are taken at each pass. */
const takeEvery = 16 * chunkBytes;

function writeLog(): number {
  const file = openSync(log, "w");
  const mixed = createMixedLog();
  let bytes = 0;
  while (bytes < Number(mebibytes) * 1024 * 1024) bytes += writeSync(file, mixed.block());
  closeSync(file);
  return bytes;
}

const cpuSeconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;

/** As the watcher does it, from the file to the signals. */
function answer(matcher: Matcher): { readonly seconds: number; readonly signals: number } {
  const began = cpuSeconds();
  const nodes = Array.from({ length: 64 }, (_, n) => `gpu-${String(n).padStart(3, "0")}`);
  const of = { heimdallJobId: "a", attemptIndex: 0, nodes, gpuCountPerNode: 8 };
  const reader = new AttemptReader(of, matcher);
  const telling = { ends: matcher.ends, wantsAll: () => reader.wantsAll(log) };
  const buffer = createChunk();
  const file = openSync(log, "r");
  let [offset, now, signals, takenAt] = [0, 1_000_000, 0, 0];
  for (;;) {
    const bytes = readSync(file, buffer, 0, chunkBytes, offset);
    const take = (line: Parameters<AttemptReader["read"]>[0]) => {
      reader.read(line, now);
      return true;
    };
    const at = offset;
    const { next } = giveLines(buffer, bytes, { telling, take }, (from, to, ends) => {
      return { path: log, inode: "1", offset: at + from, bytes: buffer, from, to, isReplay: false, ends };
    });
    if (next === 0) break;
    offset += next;
    if (offset - takenAt < takeEvery) continue;
    [now, takenAt] = [now + 225, offset];
    signals += reader.take(now, false).length;
  }
  closeSync(file);
  return { seconds: cpuSeconds() - began, signals: signals + reader.take(now, true).length };
}

/** All step lines' signatures, and so many others; beyond what there is, ones like them that stand in no line. */
function someSignatures(count: number): readonly Signature[] {
  const steps = built.filter((s) => s.kind === "progress");
  const others = built.filter((s) => s.kind !== "progress" && s.where === "line");
  const like = others.map((s) => ({ ...s, id: `${s.id}-like`, anchors: s.anchors.map(shifted) }));
  return [...steps, ...others, ...like, ...like.map((s) => ({ ...s, anchors: s.anchors.map(shifted) }))].slice(
    0,
    count,
  );
}

/** Each letter's successor: of the same shape, and of no language. */
const shifted = (text: string) => text.replace(/[a-y]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + 1));

/** User and system time of children that have ended, in hundredths of a second. */
function childSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function other(program: string, args: readonly string[]): Promise<number | undefined> {
  const began = childSeconds();
  try {
    await promisify(execFile)(program, [...args, log]);
    return childSeconds() - began;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const bytes = writeLog();
const literals = [...new Set(built.flatMap((s) => s.anchors))];
writeFileSync(join(folder, "literals"), `${literals.join("\n")}\n`);
const union = literals.map((l) => l.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
writeFileSync(join(folder, "union"), `${union}\n`);
const perSecond = (seconds: number | undefined) => (seconds === undefined ? undefined : bytes / 1e6 / seconds);

answer(createMatcher(built)); // Once to warm up: a watcher runs for months.
const whole = answer(createMatcher(built));
const ripgrep = await other("rg", ["-j1", "-c", "-F", "-f", join(folder, "literals")]);
const grep = await other("env", ["LC_ALL=C", "grep", "-c", "-E", "-f", join(folder, "union")]);
const again = answer(createMatcher(built));
const growth = [50, 150, 500].map((count) => {
  const matcher = createMatcher(someSignatures(count));
  return { count, perSecond: perSecond(Math.min(answer(matcher).seconds, answer(matcher).seconds)) };
});
rmSync(log);
const result = {
  bytes,
  signatures: built.length,
  literals: literals.length,
  signals: whole.signals,
  perSecond: perSecond(Math.min(whole.seconds, again.seconds)),
  ripgrep: perSecond(ripgrep),
  grep: perSecond(grep),
  growth,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
