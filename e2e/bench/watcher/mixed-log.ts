/**
 * mixed-log: what the logs of many training jobs look like when they are poured into one file.
 *
 * Gives         the same bytes for the same seed: about one line in twenty is a step, one in some thousands tells of a fault, the
 *               rest is what libraries, loggers and data loaders print all day.
 * Bound         blocks of about `blockBytes`, so that a gigabyte is written without being held.
 */
import { seededChance } from "@reprise/runtime/testing/fake-life.ts";

export interface MixedLog {
  /** The next `blockBytes` or a line more. */
  block(): Buffer;
}

const blockBytes = 4 * 1024 * 1024;
const faultEvery = 4_000;

/** @param seed Any 32-bit number. */
export function createMixedLog(seed = 1): MixedLog {
  const { number: next } = seededChance(seed); // The log must be the same on every machine.
  let step = 0;
  let lines = 0;
  const line = (): string => {
    if (++lines % faultEvery === 0) return faults[Math.floor(next() * faults.length)]!(next, step);
    if (next() < 0.05) return steps[Math.floor(next() * steps.length)]!(next, ++step);
    return ordinary[Math.floor(next() * ordinary.length)]!(next, step);
  };
  return {
    block() {
      const parts: string[] = [];
      for (let bytes = 0; bytes < blockBytes; ) {
        const text = line();
        parts.push(text);
        bytes += text.length + 1;
      }
      return Buffer.from(`${parts.join("\n")}\n`);
    },
  };
}

type Chance = () => number;
type Write = (next: Chance, step: number) => string;

const rank = (next: Chance) => Math.floor(next() * 512);
const node = (next: Chance) => `gpu-${String(Math.floor(next() * 64)).padStart(3, "0")}`;
const digits = (next: Chance, count: number) => String(Math.floor(next() * 10 ** count)).padStart(count, "0");
const time = (next: Chance) =>
  `2031-05-17 ${digits(next, 1)}1:4${digits(next, 1)}:1${digits(next, 1)},${digits(next, 3)}`;

const steps: readonly Write[] = [
  (next, step) =>
    ` [${time(next)}] iteration ${String(step).padStart(8)}/ 1000000 | consumed samples: ${step * 2048} | elapsed time per iteration (ms): ` +
    `${digits(next, 4)}.1 | throughput per GPU (TFLOP/s/GPU): 4${digits(next, 2)}.3 | learning rate: 1.5E-04 | global batch size: 2048 | ` +
    `lm loss: 2.${digits(next, 4)}E+00 | loss scale: 1.0 | grad norm: 0.${digits(next, 3)} | number of skipped iterations: 0 |`,
  (next, step) =>
    `{'loss': 2.${digits(next, 4)}, 'grad_norm': 0.${digits(next, 6)}, 'learning_rate': 5e-05, 'epoch': ${(step / 9000).toFixed(2)}}`,
  (next, step) =>
    `[rank${rank(next)}]:[titan] ${time(next)} - root - INFO - step: ${step}  loss:  7.${digits(next, 4)}  memory: 61.23GiB(77.40%)  tps: 6,${digits(next, 3)}  mfu: 42.10%`,
  (next, step) =>
    `Epoch 3:  41%|████▏     | ${step}/100000 [1:21:07<1:56:0${digits(next, 1)},  1.${digits(next, 2)}it/s, loss=2.${digits(next, 3)}, v_num=17]`,
  (next, step) =>
    `[${time(next)}] [INFO] [logging.py:96:log_dist] [Rank 0] step=${step}, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]`,
];

const ordinary: readonly Write[] = [
  (next) =>
    `${node(next)}:${digits(next, 5)}:${digits(next, 5)} [${digits(next, 1)}] NCCL INFO Channel ${digits(next, 2)}/0 : ${rank(next)}[${digits(next, 1)}] -> ${rank(next)}[${digits(next, 1)}] [send] via NET/IB/${digits(next, 1)}/GDRDMA`,
  (next) =>
    `${node(next)}:${digits(next, 5)}:${digits(next, 5)} [${digits(next, 1)}] NCCL INFO comm 0x7f${digits(next, 8)} rank ${rank(next)} nranks 512 cudaDev 3 busId 5d000 - Init COMPLETE`,
  (next) =>
    `${time(next)} INFO     [data.loader] shard ${digits(next, 5)} of 16384 opened, ${digits(next, 6)} samples, worker ${digits(next, 2)}`,
  (next) =>
    `${time(next)} DEBUG    urllib3.connectionpool: https://metrics.example.org:443 "POST /v1/points HTTP/1.1" 200 ${digits(next, 2)}`,
  (next) =>
    `[${time(next)}] [WARNING] [tokenizer] token indices sequence length is longer than the specified maximum (${digits(next, 5)} > 8192)`,
  (next) =>
    `[default${digits(next, 1)}]:time (ms) | forward-compute: ${digits(next, 4)}.${digits(next, 2)} | backward-compute: ${digits(next, 4)}.${digits(next, 2)} | optimizer: ${digits(next, 2)}.${digits(next, 2)} | batch-generator: ${digits(next, 1)}.22`,
  (next) =>
    `${rank(next)}: max memory allocated ${digits(next, 5)}.${digits(next, 2)} MiB, reserved ${digits(next, 5)}.00 MiB, fragmentation 3.${digits(next, 1)} %`,
  (next) =>
    `/opt/venv/lib/python3.12/site-packages/torch/utils/checkpoint.py:${digits(next, 3)}: FutureWarning: \`torch.cpu.amp.autocast(args...)\` is deprecated.`,
  (next) =>
    `{"ts": "2031-05-17T01:4${digits(next, 1)}:11Z", "level": "info", "logger": "profiler", "msg": "iteration window closed", "p50_ms": ${digits(next, 4)}, "rank": ${rank(next)}}`,
  (next) =>
    `[rank${rank(next)}]: sample text: the quick brown fox ${digits(next, 12)} jumps over the lazy dog, and nothing failed in ${digits(next, 3)} of them`,
  (next) =>
    `${time(next)} - dataset - INFO - cache hit ratio 0.9${digits(next, 3)}, bytes read ${digits(next, 12)}, retries 0, queue depth ${digits(next, 2)}`,
];

const faults: readonly Write[] = [
  (next) => `[rank${rank(next)}]: RuntimeError: CUDA error: uncorrectable ECC error encountered`,
  (next) =>
    `[rank${rank(next)}]:[E517 01:40:00.123456789 ProcessGroupNCCL.cpp:616] [Rank ${rank(next)}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${digits(next, 6)}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.`,
  (next) =>
    `${node(next)} kernel: [${digits(next, 6)}.${digits(next, 6)}] NVRM: Xid (PCI:0000:4e:00): 79, pid=${digits(next, 5)}, GPU has fallen off the bus.`,
  (next) =>
    `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${digits(next, 2)}.00 GiB. GPU ${digits(next, 1)} has a total capacity of 79.10 GiB`,
  (next) => `srun: error: ${node(next)}: task ${rank(next)}: Killed`,
];
