/**
 * Goal    a fault is recognised for what it is, with the right root line and the right node, whichever program, launcher and
 *         logger it happened under, and however loud its consequences are.
 * Method  every fault under every prefix and under every program's step lines, some two thousand logs in all; the consequences
 *         come after it, and in every other log some come before it too. And what repeats: the same fault in two attempts.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Case, CaseAttempt } from "@reprise/watcher/cases/case-file.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { judge } from "./judge.ts";
import { type Judgement, judgementOf } from "./judgement.ts";
import { type Fault, faults } from "./faults.example.ts";
import { flood, type Framework, frameworks, type Prefix, prefixes } from "./programs.example.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));
const nodes = ["node-a", "node-b"];
const rank = 11; // On the second of two nodes with eight ranks each.
const steps = 10;
const stepSeconds = 5;

function attemptOf(fault: Fault, framework: Framework, prefix: Prefix, isFlooded: boolean): CaseAttempt {
  const training = Array.from({ length: steps }, (_, n) => ({
    second: 60 + n * stepSeconds,
    text: framework.step(n + 1),
  }));
  const at = 60 + steps * stepSeconds;
  const before = isFlooded
    ? ["[rank3]: BrokenPipeError: [Errno 32] Broken pipe", "srun: error: node-a: task 0: Killed"]
    : [];
  const guilty = fault.lines.map((line) => (fault.isBare === true ? line : prefix.of(line, rank, "node-b")));
  const lines = [...before, ...guilty].map((text, n) => ({ second: at + 1 + n * 0.01, text }));
  const after = flood(rank, "node-b").map((text, n) => ({ second: at + 4 + n * 0.1, text }));
  const nodeLog = (fault.nodeLines ?? []).map((text) => ({ second: at + 0.5, node: "node-b", text }));
  const end = { at: at + 8, state: "FAILED" as const, exitCode: 1, signal: 0 };
  return { log: [...training, ...lines, ...after], nodeLog, end, lookAt: at + 8 };
}

function judged(attempts: readonly CaseAttempt[]): Judgement {
  const c: Case = { id: "v", nodes, gpusPerNode: 8, policy: { maxRequeueTimes: 5 }, attempts };
  return judgementOf("v", judge(c, matcher).decision);
}

function wrong(is: Judgement, fault: Fault, prefix: Prefix): string | undefined {
  const namesRank =
    fault.nodeLines !== undefined || fault.isBare === true || !["nothing", "a clock"].includes(prefix.name);
  const exclude = fault.excludes === true && namesRank ? "node-b" : "";
  const expected = `${fault.kind} ${fault.domain} ${fault.next} [${exclude}]`;
  const got = `${is.kind} ${is.domain} ${is.next} [${is.exclude.join()}]`;
  if (got !== expected) return `${got}, expected ${expected}; root ${is.evidence}`;
  return is.evidence?.includes(fault.evidence) === true ? undefined : `root ${is.evidence}, expected ${fault.evidence}`;
}

describe.each(faults.map((fault) => [fault.name, fault] as const))("%s", (_name, fault) => {
  test("is recognised under every program and prefix", () => {
    const failures: string[] = [];
    for (const [index, framework] of frameworks.entries()) {
      // Each program with three prefixes, so that each prefix meets four programs.
      for (const [place, prefix] of prefixes.entries()) {
        if ((place + index) % 4 !== faults.indexOf(fault) % 4) continue;
        const attempt = attemptOf(fault, framework, prefix, index % 2 === 1);
        const why = wrong(judged([attempt]), fault, prefix);
        if (why !== undefined) failures.push(`${framework.name}, ${prefix.name}: ${why}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

describe("the same fault again, with nothing saved in between", () => {
  const plain = prefixes.find((p) => p.name === "[rankN]:")!;
  const program = frameworks[0]!;
  const twice = (fault: Fault) =>
    judged([attemptOf(fault, program, plain, false), attemptOf(fault, program, plain, false)]);

  test.each(faults.filter((fault) => fault.domain === "workload").map((fault) => [fault.name, fault] as const))(
    "%s ends the job",
    (_name, fault) => expect(twice(fault).next).toBe("terminate"),
  );
  test.each(faults.filter((fault) => fault.domain === "hardware").map((fault) => [fault.name, fault] as const))(
    "%s is avoided, and the job goes on",
    (_name, fault) => expect(twice(fault)).toMatchObject({ next: "restart", exclude: ["node-b"], charged: false }),
  );
});

describe("whatever a program says while Slurm ends it at its time limit", () => {
  const notice = "slurmstepd: error: *** JOB 77 ON node-a CANCELLED AT 2025-03-01T10:40:00 DUE TO TIME LIMIT ***";
  const said = faults.filter((fault) => fault.kind === "crash" && fault.domain !== "hardware");

  test.each(said.map((fault) => [fault.name, fault] as const))("%s: it goes on, and is not charged", (_name, fault) => {
    const program = frameworks[0]!;
    const log = [
      ...Array.from({ length: steps }, (_, n) => ({ second: 60 + n * stepSeconds, text: program.step(n + 1) })),
      ...[notice, ...fault.lines].map((text, n) => ({ second: 120 + n * 0.01, text })),
    ];
    const end = { at: 150, state: "TIMEOUT" as const, exitCode: 0, signal: 15 };
    const is = judged([{ log, nodeLog: [], end, lookAt: 200 }]);
    expect([is.next, is.domain, is.exclude, is.charged]).toEqual(["restart", "scheduler", [], false]);
  });
});

describe("what every node of a job says at once", () => {
  const saidBy = (ranks: readonly number[], message: string, trained = 0): Judgement => {
    const log = [
      ...Array.from({ length: trained }, (_, n) => ({ second: 10 + n, text: frameworks[0]!.step(n + 1) })),
      ...ranks.map((rank) => ({ second: 60, text: `[rank${rank}]: ${message}` })),
    ];
    const end = { at: 70, state: "FAILED" as const, exitCode: 1, signal: 0 };
    return judged([{ log, nodeLog: [], end, lookAt: 90 }]);
  };
  const noDevice = "RuntimeError: No CUDA GPUs are available";
  const diskFull = "OSError: [Errno 28] No space left on device: '/tmp/torchinductor/x'";
  const ecc = "RuntimeError: CUDA error: uncorrectable ECC error encountered";

  // biome-ignore format: a table
  const stories: [story: string, is: Judgement, exclude: string[], charged: boolean][] = [
    ["no GPU on one node",                       saidBy([11], noDevice),          ["node-b"],           false],
    ["no GPU on any of them",                    saidBy([0, 11], noDevice),       [],                   true],
    ["none any more, after it has trained",      saidBy([0, 11], noDevice, 9),    ["node-a", "node-b"], false],
    ["one full disk",                            saidBy([11], diskFull, 9),       ["node-b"],           false],
    ["every disk full: the job has filled them", saidBy([0, 11], diskFull, 9),    [],                   true],
    ["broken memory stands by itself",           saidBy([0, 11], ecc),            ["node-a", "node-b"], false],
  ];
  test.each(stories)("%s", (_story, is, exclude, charged) => {
    expect([is.next, is.exclude, is.charged]).toEqual(["restart", exclude, charged]);
  });
});
