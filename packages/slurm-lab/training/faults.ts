/**
 * faults: what the fault plan makes a rank do wrong, as a real one would show it.
 *
 * Writes  the fatal lines to stderr, and one line for each fault to `faults.jsonl` of the training folder, with the moment of the
 *         fatal line: tests and benchmarks measure from it. The program itself never reads that file.
 */
import { appendFileSync } from "node:fs";
import { print, traceback } from "./lines.ts";
import type { FaultKind, Settings } from "./settings.ts";

/** One line of `faults.jsonl`. */
export interface FaultRecord {
  readonly attempt: number;
  readonly rank: number;
  readonly node: string;
  readonly step: number;
  readonly kind: FaultKind;
  /** ISO, milliseconds. */
  readonly at: string;
}

/** Returns only for the faults that a rank lives on with: `nan` and `slow`. */
export async function commit(kind: FaultKind, step: number, settings: Settings): Promise<void> {
  const { dir, attempt, rank, node } = settings;
  const at = new Date().toISOString();
  if (kind === "ecc") {
    const error = "RuntimeError: CUDA error: uncorrectable ECC error encountered";
    print(
      2,
      ...traceback(rank, "/workspace/train.py", 412, "loss.backward()", error),
      `[rank${rank}]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.`,
      `[rank${rank}]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1`,
    );
  }
  if (kind === "exit")
    print(
      2,
      ...traceback(
        rank,
        "/workspace/train.py",
        398,
        "dist.all_reduce(gradients)",
        `RuntimeError: NCCL communicator was aborted on rank ${rank}.`,
      ),
    );
  const record: FaultRecord = { attempt, rank, node, step, kind, at };
  appendFileSync(`${dir}/faults.jsonl`, `${JSON.stringify(record)}\n`);
  if (kind === "exit") process.exit(1);
  if (kind === "signal") process.kill(process.pid, "SIGSEGV");
  if (kind === "nan" || kind === "slow") return;
  await stuck();
}

/** Alive, connected, without using the processor, until a signal ends the process. */
function stuck(): Promise<never> {
  setInterval(() => {}, 2 ** 30); // Keeps Node from ending for want of work.
  return new Promise(() => {});
}
