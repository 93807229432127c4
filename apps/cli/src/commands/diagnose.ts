/**
 * diagnose: what Reprise recognises in logs, and what it would do: on yesterday's failure, or on a case with its expectation.
 *
 * Takes   log files, as one attempt, and its nodes' own logs; or cases (`*.yaml`), each judged by itself.
 * Gives   for people, or with `--json` one line a case (one object for logs). `--check` compares each case with its `expect`
 *         and ends with `N passed, N failed`; exit code 1 when one failed.
 * Keeps   asks no server and no Slurm, and changes nothing.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import { type Case, parseCase } from "@reprise/watcher/cases/case-file.ts";
import type { ReadLine } from "@reprise/watcher/cases/read-attempt.ts";
import { lineBytesMax } from "@reprise/watcher/lines.ts";
import { createMatcher, type Matcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { watcherConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";
import { judge, judgeLogs, type Logs } from "../diagnose/judge.ts";
import { type NodeFile, openLogs } from "../diagnose/log-files.ts";
import { differences, judgementOf } from "../diagnose/judgement.ts";
import { Failure, readable } from "../failure.ts";
import { renderDiagnosis, renderJudgement } from "../render/diagnose.ts";
import { viewOf } from "../render/view.ts";

interface Options {
  readonly json?: boolean;
  readonly check?: boolean;
  readonly nodes?: readonly string[];
  readonly gpusPerNode?: number;
  readonly nodeLog?: readonly NodeFile[];
  readonly state: Logs["state"];
}

const states: readonly Logs["state"][] = [
  "FAILED",
  "RUNNING",
  "COMPLETED",
  "OUT_OF_MEMORY",
  "TIMEOUT",
  "NODE_FAIL",
  "PREEMPTED",
  "CANCELLED",
];

export function define(command: Command, console: Console): void {
  addConfigFlags(command, ["signatureDirs"])
    .argument("<file...>", "log files of one attempt; or cases, *.yaml")
    .option("--nodes <names>", "the attempt's nodes in order, such as n1,n2 or n[1-4]", readNodes)
    .option("--gpus-per-node <n>", "ranks on a node, so that a rank becomes a node", readCount)
    .option("--node-log <node=file>", "a node's own log; may be given again", readNodeFile)
    .addOption(new Option("--state <state>", "how Slurm says that the attempt ended").choices(states).default("FAILED"))
    .option("--check", "compare each case with its `expect`")
    .option("--json", "one JSON line a case")
    .action((files: string[], options: Options) => {
      const matcher = createMatcher(loadSignatures(watcherConfig(loadConfig(command, console).values).signatureDirs));
      const paths = files.map((file) => resolve(console.workDir, file));
      if (paths.every((path) => /\.ya?ml$/.test(path))) return diagnoseCases(paths, matcher, options, console);
      if (options.check === true || paths.some((path) => /\.ya?ml$/.test(path)))
        throw new Failure("a case (*.yaml) and a log are diagnosed one after the other", { exitCode: 2 });
      return diagnoseLogs(paths, matcher, options, console);
    });
}

function diagnoseCases(paths: readonly string[], matcher: Matcher, options: Options, console: Console): void {
  let failed = 0;
  for (const path of paths) {
    const c = readCase(path);
    const judgement = judgementOf(c.id, judge(c, matcher).decision);
    const wrong = options.check === true && c.expect !== undefined ? differences(judgement, c.expect) : undefined;
    if (wrong !== undefined && wrong.length > 0) failed++;
    console.out(
      options.json === true ? `${JSON.stringify(judgement)}\n` : renderJudgement(judgement, wrong, viewOf(console)),
    );
    if (options.json === true) for (const why of wrong ?? []) console.err(`${c.id}: ${why}\n`);
  }
  if (options.check !== true) return;
  console.out(`${paths.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

function diagnoseLogs(paths: readonly string[], matcher: Matcher, options: Options, console: Console): void {
  const nodeFiles = (options.nodeLog ?? []).map(({ node, path }) => ({ node, path: resolve(console.workDir, path) }));
  const nodes = options.nodes ?? [...new Set(nodeFiles.map(({ node }) => node))];
  const stranger = nodeFiles.find(({ node }) => !nodes.includes(node));
  if (stranger !== undefined)
    throw new Failure(`--node-log: ${stranger.node} is not one of the nodes ${nodes.join(",")}`, { exitCode: 2 });
  const files = openLogs(paths, nodeFiles);
  let cuts = 0;
  const counted = function* (): Generator<ReadLine> {
    for (const line of files.lines) {
      if (line.isCut === true) cuts++;
      yield line;
    }
  };
  const { startedAt, judgesSilence } = files;
  const known = { nodes, gpusPerNode: options.gpusPerNode ?? 0, state: options.state, startedAt, judgesSilence };
  const judged = judgeLogs({ ...known, lines: counted() }, matcher);
  if (cuts > 0) console.err(`warning: cut ${cuts} times into a line of more than ${lineBytesMax} bytes\n`);
  if (files.untimed() > 0)
    console.err(`warning: ${files.untimed()} lines of nodes show no time that can be read, and count for nothing\n`);
  const judgement = judgementOf(paths.join(","), judged.decision);
  if (options.json !== true) {
    console.out(renderDiagnosis(judgement, judged, judgesSilence, viewOf(console)));
    return;
  }
  const { signals, progress } = judged;
  const found = signals.filter((s) => s.kind !== "progress");
  console.out(`${JSON.stringify({ ...judgement, judgesSilence, progress, signals: found })}\n`);
}

function readCase(path: string): Case {
  const text = readable(path, () => readFileSync(path, "utf8"));
  try {
    return parseCase(text, path);
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), { exitCode: 2 });
  }
}

function readNodes(given: string): readonly string[] {
  const nodes = expandHostlist(given);
  if (nodes === undefined || nodes.length === 0) throw new InvalidArgumentError("expected names, such as n1,n2");
  return nodes;
}

function readNodeFile(given: string, before: readonly NodeFile[] = []): readonly NodeFile[] {
  const [, node, path] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  if (node === undefined || path === undefined) throw new InvalidArgumentError("expected NODE=FILE");
  return [...before, { node, path }];
}

function readCount(given: string): number {
  if (!/^[1-9]\d{0,3}$/.test(given)) throw new InvalidArgumentError("expected a whole number above 0");
  return Number(given);
}
