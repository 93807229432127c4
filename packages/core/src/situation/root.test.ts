/**
 * Goal    of the lines that may be a cause the one that explains the others is the root.
 * Method  short stories of signals.
 */
import { describe, expect, test } from "vitest";
import { crash, t0 } from "../decide/decide.example.ts";
import type { Progress, Signal } from "../nouns.ts";
import { rootOf } from "./root.ts";

const nothing: Progress = {};
const ecc = (at: number) => crash({ at });
const hang = (at: number) => crash({ at, kind: "hang", cause: "watchdog", causeClass: "hang", exitIndependent: false });
const launch = (at: number) => crash({ at, cause: "cuda-illegal-access", causeClass: "workload-transient" });
const error = (at: number) => crash({ at, cause: "python-exception", causeClass: "workload-deterministic" });
const lost = (at: number) => crash({ at, cause: "nccl-remote-error", causeClass: "network-pair" });
const killed = (at: number) => crash({ at, cause: "host-out-of-memory", causeClass: "process-killed" });
const causes = (signals: readonly Signal[], progress = nothing, phase: "running" | "failed" = "failed") =>
  rootOf(signals, progress, phase).map((s) => s.cause);

describe("the root", () => {
  test("is the earliest", () => {
    expect(causes([error(t0 + 5), hang(t0 + 9)])).toEqual(["python-exception", "watchdog"]);
  });
  test("is broken hardware, though a rank has complained of it before", () => {
    expect(causes([launch(t0), ecc(t0 + 2_000)])[0]).toBe("cuda-ecc-uncorrectable");
  });
  test("of a lost contact is the process that was killed, though its peers were told of first", () => {
    expect(causes([lost(t0), killed(t0 + 4_000)])[0]).toBe("host-out-of-memory");
    expect(causes([lost(t0), killed(t0 + 90_000)])[0]).toBe("nccl-remote-error");
  });
  test("of a program's own error is not a process that was killed after it", () => {
    expect(causes([error(t0), killed(t0 + 4_000)])[0]).toBe("python-exception");
  });
  test("of a hang is what a probe finds minutes later", () => {
    expect(causes([hang(t0), ecc(t0 + 200_000)])[0]).toBe("cuda-ecc-uncorrectable");
  });
  test("of Slurm's word that a node is lost is the line that says which", () => {
    const lostNode = crash({ at: t0, cause: "node-failure-notice", causeClass: "scheduler", exitIndependent: false });
    const named = crash({ at: t0 + 200, cause: "node-failure", exitIndependent: false });
    expect(causes([lostNode, named])[0]).toBe("node-failure");
    expect(causes([{ ...lostNode, cause: "preempted-notice" }, named])[0]).toBe("preempted-notice");
  });
  test("is nothing that a program says while Slurm ends it at its time limit, but for hardware", () => {
    const placed = (signal: Signal, offset: number): Signal => ({
      ...signal,
      evidence: { ...signal.evidence, offset },
    });
    const limit = placed(crash({ cause: "time-limit-notice", causeClass: "time-limit", root: false }), 500);
    expect(causes([limit, placed(error(t0), 600)])).toEqual([]);
    expect(causes([limit, placed(error(t0), 400)])).toEqual(["python-exception"]);
    expect(causes([limit, placed(ecc(t0), 600)])).toEqual(["cuda-ecc-uncorrectable"]);
    expect(causes([limit, placed(hang(t0), 600)])).toEqual(["watchdog"]);
  });
  test("is not hardware that breaks long after a crash", () => {
    expect(causes([launch(t0), ecc(t0 + 200_000)])).toEqual(["cuda-illegal-access"]);
  });
  test("is the program's own error, although hardware complains after it", () => {
    expect(causes([error(t0), ecc(t0 + 2_000)])[0]).toBe("python-exception");
  });
});

describe("a line after which steps came", () => {
  const later: Progress = { lastStep: 20, lastStepAt: t0 + 60_000 };
  test("explains nothing", () => {
    expect(causes([error(t0)], later)).toEqual([]);
  });
  test("still stands when it says that the numbers have been broken for many steps", () => {
    const nan = crash({ kind: "numerics", causeClass: "numerics", cause: "not-finite", exitIndependent: true });
    expect(causes([nan], later, "running")).toEqual(["not-finite"]);
  });
});
