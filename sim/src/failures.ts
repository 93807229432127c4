/**
 * failures: how training ends badly, and how often each way.
 *
 * Source  figures of published runs: Llama 3 405B (419 interruptions by cause) for what breaks in large jobs; Acme (2,366 failures by
 *         error) for what authors do to their own; a size-independent source for small jobs (Meta RSC: the size law alone gives them too few).
 *         The shares are theirs; the rates are raised (`accelerated`), so that hours of a world hold weeks of a cluster.
 */
import type { Exit } from "./slurm/sim-slurm.ts";

export interface Failure {
  readonly kind: FailureKind;
  /** Of 419 for the size law; of the rest in its own scale. */
  readonly weight: number;
  /** What the program prints. `rank` and `node` are those of the guilty; absent: nothing. */
  readonly lines?: (where: Guilty) => readonly string[];
  /** What the node's kernel says: in the node's own log, or, where nodes have none, among the lines of the program. */
  readonly kernel?: string;
  /** Absent: it stays alive, silent. */
  readonly exit?: Exit;
  /** From the line to the end (ms). */
  readonly endsAfterMs?: number;
  /** The machine goes with it. */
  readonly node?: "lost" | "lost-silently";
  /** It goes on training, as if nothing had been. */
  readonly goesOn?: true;
  /** Every step takes so many times as long from now on. */
  readonly slows?: number;
}

export interface Guilty {
  readonly rank: number;
  readonly node: string;
  readonly peer: string;
}

export const failureKinds = [
  "ecc-stuck",
  "ecc-exit",
  "xid-79",
  "network",
  "nccl-timeout",
  "software",
  "killed",
  "silent-exit",
  "out-of-memory",
  "cuda-oom",
  "node-lost",
  "node-lost-silently",
  "disk-full",
  "stuck",
  "slow",
  "false-alarm",
] as const;
export type FailureKind = (typeof failureKinds)[number];

const traceback = (rank: number, error: string) => [
  `[rank${rank}]: Traceback (most recent call last):`,
  `[rank${rank}]:   File "/workspace/pretrain.py", line 412, in <module>`,
  `[rank${rank}]:     train(model)`,
  `[rank${rank}]: ${error}`,
];
/** One rank raises an error, and the program ends. */
const raises = (
  kind: FailureKind,
  weight: number,
  error: string,
  { exitCode = 1, endsAfterMs = 300 } = {},
): Failure => ({ kind, weight, lines: ({ rank }) => traceback(rank, error), exit: { exitCode }, endsAfterMs });
const ecc = ({ rank }: Guilty) => traceback(rank, "RuntimeError: CUDA error: uncorrectable ECC error encountered");

/** What breaks in proportion to the machines in use. */
export const hardware: readonly Failure[] = [
  { kind: "ecc-stuck", weight: 72, lines: ecc },
  { kind: "ecc-exit", weight: 91, lines: ecc, exit: { exitCode: 1 }, endsAfterMs: 2_000 },
  {
    kind: "xid-79",
    weight: 76,
    kernel: "[8123.1] NVRM: Xid (PCI:0000:44:00): 79, pid=4711, name=python, GPU has fallen off the bus.",
    exit: { exitCode: 1 },
    endsAfterMs: 20_000,
  },
  {
    kind: "network",
    weight: 42,
    lines: ({ node, peer }) => [
      `${node}:2113:2342 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer ${peer}<39138> with error 12, opcode 0, len 0, vendor err 129`,
    ],
    exit: { exitCode: 1 },
    endsAfterMs: 5_000,
  },
  {
    kind: "nccl-timeout",
    weight: 7,
    lines: ({ rank }) => [
      `[E ProcessGroupNCCL.cpp:474] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1559, OpType=_REDUCE_SCATTER_BASE) ran for 1800441 milliseconds before timing out.`,
    ],
    exit: { signal: 6 },
    endsAfterMs: 1_000,
  },
  raises("software", 54, "RuntimeError: shape mismatch", { endsAfterMs: 500 }),
  { kind: "node-lost", weight: 20, node: "lost" },
  { kind: "node-lost-silently", weight: 12, node: "lost-silently" },
  { kind: "stuck", weight: 10 },
  { kind: "killed", weight: 15, exit: { signal: 9 }, endsAfterMs: 0 },
  { kind: "false-alarm", weight: 20, lines: ecc, goesOn: true },
];

/** A GPU that runs hot, a link that has lost a lane: training goes on, and every step waits for it. Drawn beside the others. */
export const slow: Failure = { kind: "slow", weight: 0, goesOn: true, slows: 1.6 };

/** What authors do to themselves, within minutes, at any size. */
export const own: readonly Failure[] = [
  raises("software", 620, "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"),
  raises("software", 568, "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-0.bin'", {
    exitCode: 2,
  }),
  { kind: "silent-exit", weight: 266, exit: { exitCode: 1 }, endsAfterMs: 0 },
  raises("cuda-oom", 100, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"),
  { kind: "out-of-memory", weight: 40, exit: { outOfMemory: true }, endsAfterMs: 0 },
  // 30 is their weight: too rare for every checker to meet it.
  raises("disk-full", 100, "OSError: [Errno 28] No space left on device"),
  { kind: "killed", weight: 60, exit: { signal: 9 }, endsAfterMs: 0 },
];
