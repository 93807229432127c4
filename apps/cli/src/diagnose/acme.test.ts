/**
 * Goal    a mix of failures as clusters really have it costs no healthy node and no useless hour: nodes are avoided only for what
 *         hardware and network do, and an error of the script comes back once at most.
 * Method  one synthetic line for each type of failure; a job that fails with it again and again, until nothing restarts it.
 * Source  Acme's failure table (six months of 2023, 2,575 failures by type), as its paper prints the counts.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { CauseClass } from "@reprise/core/nouns.ts";
import type { Case, CaseAttempt } from "@reprise/watcher/cases/case-file.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { judge } from "./judge.ts";

type Origin = "infrastructure" | "framework" | "script";
/** When the node of the failing rank is avoided. */
type Avoids = "at once" | "repeated" | "never";
const failed = "srun: error: node-b: task 11: Exited with exit code 1";

// biome-ignore format: a table
const mix: [type: string, count: number, origin: Origin, causeClass: CauseClass, restarts: number, avoids: Avoids, line: string][] = [
  ["NVLink", 54, "infrastructure", "hardware-node", 2, "at once", "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"],
  ["CUDA", 21, "infrastructure", "hardware-unnamed", 2, "repeated", "RuntimeError: CUDA error: unknown error"],
  ["node failure", 16, "infrastructure", "hardware-node", 2, "at once", "srun: error: Node failure on node-b"],
  ["ECC", 12, "infrastructure", "hardware-node", 2, "at once", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
  ["network", 12, "infrastructure", "network-pair", 2, "repeated", "node-b:4172:4310 [3] NCCL WARN NET/IB : Got completion from peer 10.0.0.7<51522> with error 12, opcode 1, len 0, vendor err 129"],
  ["connection", 147, "infrastructure", "workload-deterministic", 1, "never", "ConnectionError: HTTPSConnectionPool(host='meta.example', port=443): Max retries exceeded with url: /v1/run"],
  ["S3 storage", 10, "infrastructure", "workload-transient", 1, "never", "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: \"https://s3.example/bucket/ckpt\""],
  ["NCCL time-out", 6, "infrastructure", "hang", 2, "never", "[Rank 11] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8819, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800341 milliseconds before timing out."],
  ["NCCL remote", 3, "infrastructure", "network-pair", 2, "repeated", "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1269, remote process exited or there was a network error, NCCL version 2.14.3"],
  ["data loader killed", 6, "framework", "workload-transient", 1, "never", "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed."],
  ["AttributeError", 67, "framework", "workload-deterministic", 1, "never", "AttributeError: 'NoneType' object has no attribute 'shape'"],
  ["out of memory", 14, "framework", "workload-transient", 1, "never", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB total capacity; 76.10 GiB already allocated)"],
  ["RuntimeError", 65, "framework", "workload-deterministic", 1, "never", "RuntimeError: The size of tensor a (4096) must match the size of tensor b (2048) at non-singleton dimension 1"],
  ["AssertionError", 105, "framework", "workload-deterministic", 1, "never", "AssertionError: world size 2048 is not divisible by 24"],
  ["ValueError", 33, "framework", "workload-deterministic", 1, "never", "ValueError: not enough values to unpack (expected 3, got 2)"],
  ["model loading", 104, "framework", "workload-deterministic", 1, "never", "RuntimeError: Error(s) in loading state_dict for Transformer: size mismatch for embed.weight"],
  ["file not found", 568, "script", "workload-deterministic", 1, "never", "FileNotFoundError: [Errno 2] No such file or directory: '/data/corpus/part-00017.bin'"],
  ["TypeError", 620, "script", "workload-deterministic", 1, "never", "TypeError: forward() got an unexpected keyword argument 'mask'"],
  ["OSError", 266, "script", "workload-deterministic", 1, "never", "OSError: [Errno 22] Invalid argument: '/data/corpus/index'"],
  ["KeyError", 260, "script", "workload-deterministic", 1, "never", "KeyError: 'optimizer'"],
  ["ImportError", 111, "script", "workload-deterministic", 1, "never", "ImportError: cannot import name 'flash_attn_func' from 'flash_attn'"],
  ["the rest, which the table does not name", 75, "script", "workload-deterministic", 1, "never", "subprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2."],
];

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));

/** Every run comes as far as step 40, and fails there. */
function attemptWith(line: string): CaseAttempt {
  const steps = Array.from({ length: 40 }, (_, n) => ({ second: 60 + n, text: `step ${n + 1} loss 2.1` }));
  const spoken = /^(srun|node-b|\[)/.test(line) ? line : `[rank11]: ${line}`;
  const log = [...steps, { second: 110, text: spoken }, { second: 112, text: failed }];
  return { log, nodeLog: [], end: { at: 115, state: "FAILED", exitCode: 1, signal: 0 }, lookAt: 130 };
}

/** What is decided about each of so many failures in a row. */
function failAgain(type: string, line: string): readonly Decision[] {
  const job: Omit<Case, "attempts"> = { id: type, nodes: ["node-a", "node-b"], gpusPerNode: 8, policy: {} };
  const decisions: Decision[] = [];
  for (let n = 1; n <= 8; n++) {
    const attempts = Array.from({ length: n }, () => attemptWith(line));
    const { decision } = judge({ ...job, attempts }, matcher);
    decisions.push(decision);
    if (decision.kind === "none" || decision.desired !== "RESTARTED") break;
  }
  return decisions;
}

const isRestart = (d: Decision) => d.kind === "advise" && d.desired === "RESTARTED";
const avoided = (d: Decision | undefined) => (d?.kind === "advise" ? d.exclusions.map((e) => e.node) : []);

function avoidanceOf([first, second]: readonly Decision[]): Avoids {
  if (avoided(first).length > 0) return "at once";
  return avoided(second).length > 0 ? "repeated" : "never";
}

test.each(mix)("%s, %i times, of %s: %s", (type, _count, origin, causeClass, restarts, avoids, line) => {
  const decisions = failAgain(type, line);
  const last = decisions.at(-1);
  expect(last?.kind === "advise" ? last.desired : "none").toBe("TERMINATED");
  expect(decisions.map((d) => (d.kind === "advise" ? d.issues[0]?.causeClass : d.because))).toEqual(
    decisions.map(() => causeClass),
  );
  expect(decisions.filter(isRestart).length).toBe(restarts);
  expect(avoidanceOf(decisions)).toBe(avoids);
  expect(decisions.flatMap(avoided).filter((node) => node !== "node-b")).toEqual([]);
  if (origin !== "infrastructure") expect([restarts, avoids]).toEqual([1, "never"]);
});

test("of 2,575 failures at most the 281 of the infrastructure lead to an exclusion", () => {
  const count = (rows: typeof mix) => rows.reduce((sum, [, n]) => sum + n, 0);
  expect(count(mix)).toBe(2575);
  expect(count(mix.filter(([, , origin]) => origin === "infrastructure"))).toBe(281);
  expect(count(mix.filter(([, , , , , avoids]) => avoids !== "never"))).toBe(118);
});
