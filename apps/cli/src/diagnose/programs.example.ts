/**
 * programs.example: what else stands in a log: step lines of many programs, what launchers and loggers put before a line, and
 * floods of consequences.
 */
export interface Framework {
  readonly name: string;
  /** The line of step n, n = 1, 2, … */
  step(n: number): string;
}

const f = (n: number, digits = 2) => (2.5 - n * 0.001).toFixed(digits);

export const frameworks: readonly Framework[] = [
  {
    name: "Megatron-LM",
    step: (n) =>
      ` iteration ${String(n).padStart(8)}/  100000 | consumed samples: ${n * 512} | elapsed time per iteration (ms): 5012.3 | learning rate: 1.5E-04 | global batch size:   512 | lm loss: ${f(n)}E+00 | loss scale: 1.0 | grad norm: 0.941 | number of skipped iterations:   0 | number of nan iterations:   0 |`,
  },
  {
    name: "torchtitan",
    step: (n) =>
      `[titan] 2025-03-01 10:00:00,000 - root - INFO - step: ${n}  loss:  ${f(n)}  grad_norm:  1.21  memory: 61.32GiB(77.5%)  tps: 7,100`,
  },
  {
    name: "Lightning",
    step: (n) => `Epoch 0:  ${Math.floor(n / 10)}%|███       | ${n}/1000 [02:13<02:42,  0.20it/s, v_num=0]`,
  },
  { name: "HF Trainer bar", step: (n) => `  ${Math.floor(n / 10)}%|███       | ${n}/1000 [02:13<02:42,  5.01s/it]` },
  {
    name: "HF Trainer dict",
    step: (n) => `{'loss': ${f(n, 4)}, 'grad_norm': 0.94, 'learning_rate': 1.9e-05, 'epoch': ${(n * 0.01).toFixed(2)}}`,
  },
  {
    name: "DeepSpeed",
    step: (n) =>
      `[2025-03-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=${n}, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]`,
  },
  {
    name: "NeMo",
    step: (n) =>
      `Training epoch 0, iteration ${n}/999 | lr: 3e-05 | global_batch_size: 512 | global_step: ${n} | reduced_train_loss: ${f(n)} | train_step_timing in s: 5.01`,
  },
  {
    name: "MaxText",
    step: (n) =>
      `completed step: ${n}, seconds: 5.012, TFLOP/s/device: 257.9, Tokens/s/device: 8672.7, total_weights: 196608, loss: ${f(n)}`,
  },
  {
    name: "Keras",
    step: (n) => `${n}/1000 [====>.........................] - ETA: 1:20:00 - loss: ${f(n)} - accuracy: 0.50`,
  },
  {
    name: "MMEngine",
    step: (n) =>
      `03/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][${String(n).padStart(4)}/7330]  lr: 2.0e-02  eta: 1 day, 2:00:00  time: 5.01  loss: ${f(n)}`,
  },
  {
    name: "torchvision",
    step: (n) =>
      `Epoch: [0]  [${String(n).padStart(5)}/14786]  eta: 1:18:33  lr: 0.02  loss: ${f(n)} (2.4)  time: 5.01  data: 0.0061  max mem: 4512`,
  },
  { name: "nanoGPT", step: (n) => `iter ${n}: loss ${f(n, 4)}, time 5012.10ms, mfu 35.12%` },
  { name: "objects", step: (n) => `{"time": 12.1, "step": ${n}, "loss": ${f(n, 4)}, "lr": 0.0001}` },
  { name: "levanter", step: (n) => `levanter - INFO - step ${n} metrics: train/loss=${f(n, 4)} throughput/mfu=37.5` },
  {
    name: "fairseq",
    step: (n) =>
      `2025-03-01 10:00:00 | INFO | train_inner | {"epoch": 1, "loss": "${f(n)}", "num_updates": "${n}", "lr": "8e-05"}`,
  },
];

export interface Prefix {
  readonly name: string;
  /** What the launcher or logger makes of one line of a rank. */
  of(line: string, rank: number, node: string): string;
}

export const prefixes: readonly Prefix[] = [
  { name: "nothing", of: (line) => line },
  { name: "[rankN]:", of: (line, rank) => `[rank${rank}]: ${line}` },
  { name: "[defaultN]:[rankN]:", of: (line, rank) => `[default${rank % 8}]:[rank${rank}]: ${line}` },
  { name: "srun -l", of: (line, rank) => `${String(rank).padStart(2)}: ${line}` },
  { name: "mpirun", of: (line, rank) => `[1,${rank}]<stderr>:${line}` },
  { name: "node:", of: (line, _rank, node) => `${node}: ${line}` },
  { name: "a clock", of: (line) => `2025-03-01 10:40:00,123 ${line}` },
  { name: "a logger", of: (line, rank) => `2025-03-01 10:40:00,123 [rank${rank}] ERROR ${line}` },
  { name: "colours", of: (line, rank) => `\u001b[31m[rank${rank}]:\u001b[0m \u001b[1m${line}\u001b[0m` },
  {
    name: "JSON",
    of: (line, rank) => JSON.stringify({ ts: "2025-03-01T10:40:00Z", level: "error", rank, message: line }),
  },
  { name: "CR LF", of: (line, rank) => `[rank${rank}]: ${line}\r` },
];

/** What follows from a death, louder than the death. */
export function flood(rank: number, node: string): readonly string[] {
  const other = (rank + 1) % 16;
  return [
    `[rank${other}]:[E1129 10:40:10.123 ProcessGroupNCCL.cpp:629] [Rank ${other}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.`,
    `[rank${other}]:[E1129 10:40:10.124 ProcessGroupNCCL.cpp:681] [Rank ${other}] Some NCCL operations have failed or timed out.`,
    `[rank${other}]:[E1129 10:40:10.125 ProcessGroupNCCL.cpp:695] [Rank ${other}] To avoid data inconsistency, we are taking the entire process down.`,
    "terminate called after throwing an instance of 'c10::DistBackendError'",
    `[rank${other}]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:4711`,
    "W1129 10:40:11.000000 4711 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 4712 closing signal SIGTERM",
    "E1129 10:40:12.000000 4711 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 3 (pid: 4713) of binary: /usr/bin/python",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
    `srun: error: ${node}: task 1: Exited with exit code 1`,
    "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    "slurmstepd: error: *** STEP 77.0 ON node-a CANCELLED AT 2025-03-01T10:40:14 ***",
  ];
}
