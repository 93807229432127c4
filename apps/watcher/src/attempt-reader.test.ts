/**
 * Goal    of the lines of an attempt the earliest that explains it is its root, at the right node; the rest is told as what
 *         follows; and nothing floods the server.
 * Method  short logs of two nodes with eight GPUs each, as stories; lines in the words of the real programs.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AttemptReader } from "./attempt-reader.ts";
import { createMatcher } from "./match/matcher.ts";
import { loadSignatures } from "./match/pack-files.ts";
import type { ReportedSignal } from "./server.ts";
import { stepLine } from "./world.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../signatures", import.meta.url))]));

/** One line a second. */
function read(lines: readonly string[], attemptIndex = 0): readonly ReportedSignal[] {
  const of = { heimdallJobId: "a", attemptIndex, nodes: ["node-a", "node-b"], gpuCountPerNode: 8 };
  const reader = new AttemptReader(of, matcher);
  const signals: ReportedSignal[] = [];
  let offset = 0;
  for (const [second, line] of lines.entries()) {
    const bytes = Buffer.from(line.trimEnd());
    reader.read({ path: "/l", inode: "1", offset, bytes, from: 0, to: bytes.length, isReplay: false }, second * 1000);
    offset += bytes.length + 1;
    signals.push(...reader.take(second * 1000, false));
  }
  return [...signals, ...reader.take(lines.length * 1000, true)];
}

const causes = (lines: readonly string[]) =>
  read(lines)
    .filter((s) => s.cause !== undefined)
    .map((s) => `${s.root ? "root" : "follows"} ${s.cause} [${s.nodes.join()}]`);

const watchdog = (rank: number) =>
  `[rank${rank}]:[E ProcessGroupNCCL.cpp:616] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8123)`;
const header = "Traceback (most recent call last):";

// biome-ignore format: a table is read by its columns
const stories: [story: string, lines: string[], causes: string[]][] = [
  ["an ECC error inside a watchdog line, and the advice after it",
    [ "[E ProcessGroupNCCL.cpp:475] Some NCCL operations have failed or timed out.",
      "[E ProcessGroupNCCL.cpp:916] [Rank 9] NCCL watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered",
      "For debugging consider passing CUDA_LAUNCH_BLOCKING=1", "terminate called after throwing an instance of 'c10::Error'" ],
    ["follows nccl-operations-failed []", "root cuda-ecc-uncorrectable [node-b]", "follows advice []", "follows terminate-called []"]],
  ["a watchdog that fires because a rank ran out of memory",
    ["[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", watchdog(1), watchdog(9)],
    ["root cuda-out-of-memory [node-a]", "follows nccl-watchdog-timeout [node-a]", "follows nccl-watchdog-timeout [node-b]"]],
  ["a watchdog alone is a hang that nobody explains", [watchdog(9)], ["root nccl-watchdog-timeout [node-b]"]],
  ["a traceback of a rank", [`[rank9]: ${header}`, '[rank9]:   File "t.py", line 4', "[rank9]: KeyError: 'input_ids'"], ["root python-exception [node-b]"]],
  ["a traceback whose last line another signature knows", [header, "  File a", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
    ["root cuda-ecc-uncorrectable []"]],
  ["an exception that was only mentioned", ["INFO: retrying after ValueError: x", "ValueError: x"], []],
  ["both ends of a link, named by address",
    [ "node-b:2113:2113 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.7<0>",
      "node-a:2113:2342 [0] net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.7<39138> with error 12, opcode 0",
      "node-a: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
      "slurmstepd: error: *** STEP 102.0 ON node-a CANCELLED AT 2025-03-01T10:40:00 ***" ],
    ["root ib-completion-error [node-a,node-b]", "follows nccl-remote-error [node-a]", "follows slurm-cancelled [node-a]"]],
  ["a remote error alone", ["[rank9]: DistBackendError: ncclRemoteError: x"], ["root nccl-remote-error [node-b]"]],
  ["an exit barrier that fails after success",
    ["INFO: Local worker group finished (SUCCEEDED). Waiting 300 seconds", "ERROR: Error waiting on exit barrier. Elapsed: 300.1 seconds"],
    ["root exit-barrier []"]],
  ["an exit barrier that fails without success", ["ERROR: Error waiting on exit barrier. Elapsed: 300.1 seconds"], ["follows exit-barrier []"]],
  ["a signal that srun reports", ["srun: error: node-b: task 1: Segmentation fault (core dumped)", "srun: error: node-a: task 0: Exited with exit code 1"],
    ["root segmentation-fault [node-b]", "follows srun-exit [node-a]"]],
  ["a rank that was killed, of which its neighbours only noticed that it was gone",
    [ `[rank0]: ${header}`, '[rank0]:   File "train.py", line 31, in main', "[rank0]:     dist.all_reduce(loss)",
      "[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:553] Read error [10.0.0.7]:4711: Connection reset by peer",
      "E1129 21:04:11.310000 4700 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: -9) local_rank: 1 (pid: 4712) of binary: /usr/bin/python3",
      "  rank      : 1 (local_rank: 1)", "  exitcode  : -9 (pid: 4712)", "  traceback : Signal 9 (SIGKILL) received by PID 4712" ],
    ["follows peer-gone [node-a]", "root worker-killed []", "root worker-killed []", "follows terminate-called []"]],
  ["a worker that was killed, of which others only lost the contact",
    [ "[rank0]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error, NCCL version 2.20.5",
      "E1129 21:04:11.310000 4700 torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: -9) local_rank: 1 (pid: 4712) of binary: /usr/bin/python3" ],
    ["root nccl-remote-error [node-a]", "root worker-killed []"]],
  ["a write to a rank that is gone", ["[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Write error: Broken pipe"],
    ["follows peer-gone [node-a]"]],
  ["a link that times out", ["[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Read error [10.0.0.7]:4711: Connection timed out"],
    ["root gloo-read-error [node-a]"]],
  ["an exit that says nothing", ["srun: error: node-b: task 1: Exited with exit code 7"], ["follows srun-exit [node-b]"]],
];

describe("the cause of", () => {
  test.each(stories)("%s", (_story, lines, told) => expect(causes(lines)).toEqual(told));
});

test("only the root of a fatal signature acts before the end", () => {
  const [ecc, exit] = read([
    "CUDA error: uncorrectable ECC error",
    "srun: error: node-a: task 0: Exited with exit code 1",
  ]);
  expect([ecc?.exitIndependent, exit?.exitIndependent]).toEqual([true, false]);
});

test("an error that the program survived does not make a later watchdog a consequence", () => {
  const steps = [1, 2, 3, 4, 5].map(stepLine);
  expect(causes(["[rank9]: CUDA error: an illegal memory access was encountered", ...steps, watchdog(1)])).toEqual([
    "root cuda-illegal-access [node-b]",
    "root nccl-watchdog-timeout [node-a]",
  ]);
});

test("every rank is told once, and of one rank no more than a few lines", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `[rank${i % 16}]: CUDA error: uncorrectable ECC error`);
  const told = read(lines).filter((s) => s.kind === "crash");
  expect(new Set(told.map((s) => s.rank)).size).toBe(16);
  expect(told.length).toBe(16);
});

test("the times of signals rise in the order of the lines", () => {
  const lines = [stepLine(1), "CUDA error: uncorrectable ECC error", stepLine(2), "training finished"];
  const times = read(lines).map((s) => s.at);
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
});

describe("what training says of itself", () => {
  const loaded = "  successfully loaded checkpoint from /c [ t 0, p 0 ] at iteration 400";
  const saved = "  successfully saved checkpoint from iteration     500 to /c [ t 1/4, p 1/1 ]";
  const said = (lines: readonly string[], attemptIndex: number) =>
    read(lines, attemptIndex).map((s) => `${s.kind} ${s.step}`);

  test("a first attempt does not resume, whatever it loads", () => {
    expect(said([loaded, stepLine(401)], 0)).toEqual(["progress 401"]);
  });
  test("a later one resumes at its first step, from the step it loaded", () => {
    expect(said([loaded, stepLine(401)], 1)).toEqual(["resumed 400", "progress 401"]);
  });
  test("or from the first step it prints", () => {
    expect(said([stepLine(401)], 1)).toEqual(["resumed 401", "progress 401"]);
  });
  test("or from the one before the first that is announced", () => {
    expect(said(["[titan] INFO - Training starts at step 1001", "[titan] step: 1010  loss:  4.0"], 1)).toEqual([
      "resumed 1000",
      "progress 1010",
    ]);
  });
  test("loading without a step is not resuming", () => expect(said([loaded], 1)).toEqual([]));
  test("a checkpoint that all ranks report is saved once", () => {
    expect(said([stepLine(500), saved, saved, saved], 0)).toEqual(["progress 500", "checkpoint-saved 500"]);
  });
  test("the end is told once, after the last step", () => {
    expect(said([stepLine(1), stepLine(2), "[after training is done] datetime: x", "training finished"], 0)).toEqual([
      "progress 1",
      "progress 2",
      "finished 2",
    ]);
  });
});

test("a step that was read and not yet told holds the position of its file back", () => {
  const reader = new AttemptReader({ heimdallJobId: "a", attemptIndex: 0, nodes: ["n1"], gpuCountPerNode: 8 }, matcher);
  const step = (n: number, offset: number, now: number) => {
    const bytes = Buffer.from(stepLine(n).trimEnd());
    reader.read({ path: "/l", inode: "1", offset, bytes, from: 0, to: bytes.length, isReplay: false }, now);
    return reader.take(now, false).map((s) => s.step);
  };
  expect([step(1, 0, 1_000), reader.heldAt("/l")]).toEqual([[1], undefined]);
  expect([step(2, 100, 2_000), step(3, 200, 2_500), reader.heldAt("/l"), reader.heldAt("/other")]).toEqual([
    [],
    [],
    200,
    undefined,
  ]);
  expect([reader.take(3_000, false).map((s) => s.step), reader.heldAt("/l")]).toEqual([[3], undefined]);
});

test("an evidence line is cut, and keeps no control characters", () => {
  const [crash] = read([`\u001b[31mCUDA error: uncorrectable ECC error\u0000 ${"x".repeat(9_000)}`]);
  expect(crash?.evidence.line.startsWith("CUDA error: uncorrectable ECC error x")).toBe(true);
  expect(Buffer.byteLength(crash?.evidence.line ?? "")).toBe(4_096);
});
