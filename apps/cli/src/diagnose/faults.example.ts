/** faults.example: how failures look in the words of those who report them, and what each is. */
export interface Fault {
  readonly name: string;
  /** Lines of the guilty rank; the first of them that holds `evidence` is the root. */
  readonly lines: readonly string[];
  /** Lines of the guilty rank's node, just before. */
  readonly nodeLines?: readonly string[];
  readonly evidence: string;
  readonly kind: string;
  readonly domain: string;
  readonly next: "restart" | "terminate";
  /** The guilty rank's node is to be avoided. */
  readonly excludes?: boolean;
  /** The whole line stands by itself: no launcher puts anything before it. */
  readonly isBare?: boolean;
}

const trace = (...lines: string[]) => [
  "Traceback (most recent call last):",
  '  File "/workspace/train.py", line 412, in main',
  "    loop()",
  ...lines,
];
const hardware = { kind: "crash", domain: "hardware", next: "restart" } as const;
const workload = { kind: "crash", domain: "workload", next: "restart" } as const;
const network = { kind: "crash", domain: "network", next: "restart" } as const;
const storage = { kind: "crash", domain: "storage", next: "restart" } as const;

export const faults: readonly Fault[] = [
  {
    name: "ECC",
    ...hardware,
    excludes: true,
    evidence: "uncorrectable ECC",
    lines: trace(
      "RuntimeError: CUDA error: uncorrectable ECC error encountered",
      "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ),
  },
  {
    name: "ECC, as torch says today",
    ...hardware,
    excludes: true,
    evidence: "uncorrectable ECC",
    lines: trace(
      "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
      "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    ),
  },
  {
    name: "ECC in JAX",
    ...hardware,
    excludes: true,
    evidence: "ECC_UNCORRECTABLE",
    lines: trace(
      "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to launch: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered",
    ),
  },
  {
    name: "NVLink",
    ...hardware,
    excludes: true,
    evidence: "uncorrectable NVLink error",
    lines: trace("RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"),
  },
  {
    name: "Xid 79",
    ...hardware,
    excludes: true,
    evidence: "): 79,",
    nodeLines: ["NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."],
    lines: trace("RuntimeError: CUDA error: unspecified launch failure"),
  },
  {
    name: "Xid 48 in syslog",
    ...hardware,
    excludes: true,
    evidence: "): 48,",
    nodeLines: [
      "Nov 29 10:40:00 gpu kernel: [8123.100000] NVRM: Xid (PCI:0000:10:1c): 48, pid=1896, name=python, DBE (double bit error) ECC Error",
    ],
    lines: ["RuntimeError: CUDA error: an illegal memory access was encountered"],
  },
  {
    name: "Xid 119",
    ...hardware,
    evidence: "): 119,",
    nodeLines: [
      "NVRM: Xid (PCI:0000:10:1c): 119, pid=1896, name=python, Timeout after 45s of waiting for RPC response from GSP!",
    ],
    lines: trace("RuntimeError: CUDA error: unknown error"),
  },
  {
    name: "no device",
    ...hardware,
    excludes: true,
    evidence: "no CUDA-capable device",
    lines: trace("RuntimeError: CUDA error: no CUDA-capable device is detected"),
  },
  {
    name: "busy device",
    ...hardware,
    excludes: true,
    evidence: "busy or unavailable",
    lines: trace("RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable"),
  },
  {
    name: "machine check",
    ...hardware,
    excludes: true,
    evidence: "UE memory read error",
    nodeLines: ["EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0"],
    lines: ["Bus error (core dumped)"],
    isBare: true,
  },
  {
    name: "AMD GPU",
    ...hardware,
    excludes: true,
    evidence: "HW Exception by GPU",
    lines: ["HW Exception by GPU node-2 (Agent handle: 0x1) reason :GPU Hang"],
  },
  {
    name: "local disk full",
    ...hardware,
    excludes: true,
    evidence: "/tmp/torchinductor",
    lines: trace("OSError: [Errno 28] No space left on device: '/tmp/torchinductor_u/ab/cab.py'"),
  },
  {
    name: "a node lost",
    ...hardware,
    excludes: true,
    evidence: "Node failure on node-b",
    isBare: true,
    lines: [
      "slurmstepd: error: *** JOB 77 ON node-a CANCELLED AT 2025-03-01T10:40:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
      "srun: error: Node failure on node-b",
    ],
  },
  {
    name: "the driver asks for a reset",
    ...hardware,
    evidence: "GPU Reset Required",
    nodeLines: [
      "NVRM: Xid (PCI:0000:4e:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
    ],
    lines: trace("RuntimeError: CUDA error: unspecified launch failure"),
  },
  {
    name: "shared memory full",
    ...workload,
    evidence: "/dev/shm/torch_4711_0",
    lines: trace("OSError: [Errno 28] No space left on device: '/dev/shm/torch_4711_0'"),
  },
  {
    name: "CUDA out of memory",
    ...workload,
    evidence: "CUDA out of memory",
    lines: trace(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 79.11 GiB of which 14.00 MiB is free.",
    ),
  },
  {
    name: "older out of memory",
    ...workload,
    evidence: "CUDA out of memory",
    lines: trace(
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 3; 79.15 GiB total capacity)",
    ),
  },
  {
    name: "XLA out of memory",
    ...workload,
    evidence: "RESOURCE_EXHAUSTED",
    lines: trace(
      "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.",
    ),
  },
  {
    name: "TF out of memory",
    ...workload,
    evidence: "OOM when allocating",
    lines: trace(
      "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error: OOM when allocating tensor with shape[64,1024] and type float",
    ),
  },
  {
    name: "illegal access",
    ...workload,
    evidence: "an illegal memory access",
    lines: trace("RuntimeError: CUDA error: an illegal memory access was encountered"),
  },
  {
    name: "device assert",
    ...workload,
    evidence: "Assertion `srcIndex",
    lines: [
      "../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [12,0,0], thread: [64,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
      ...trace("RuntimeError: CUDA error: device-side assert triggered"),
    ],
  },
  {
    name: "host out of memory",
    ...workload,
    evidence: "oom_kill event",
    isBare: true,
    lines: [
      "slurmstepd: error: Detected 1 oom_kill event in StepId=77.0. Some of the step tasks have been OOM Killed.",
      "srun: error: node-a: task 0: Out Of Memory",
    ],
  },
  {
    name: "older host out of memory",
    ...workload,
    evidence: "oom-kill event",
    isBare: true,
    lines: [
      "slurmstepd: error: Detected 2 oom-kill event(s) in StepId=77.0 cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler.",
    ],
  },
  {
    name: "kernel killed it",
    ...workload,
    evidence: "Out of memory: Killed process",
    nodeLines: ["Out of memory: Killed process 4711 (python) total-vm:102400kB, anon-rss:51200kB"],
    lines: ["Killed"],
    isBare: true,
  },
  {
    name: "segmentation fault",
    ...workload,
    evidence: "Segmentation fault",
    lines: ["Fatal Python error: Segmentation fault"],
  },
  { name: "heap corruption", ...workload, evidence: "double free", lines: ["double free or corruption (!prev)"] },
  { name: "missing key", ...workload, evidence: "KeyError", lines: trace("KeyError: 'input_ids'") },
  {
    name: "a bug in a package",
    ...workload,
    evidence: "TypeError",
    lines: trace("TypeError: forward() got an unexpected keyword argument 'labels'"),
  },
  {
    name: "no such file",
    ...workload,
    evidence: "FileNotFoundError",
    lines: trace("FileNotFoundError: [Errno 2] No such file or directory: '/data/train/7.jpg'"),
  },
  {
    name: "no such module",
    ...workload,
    evidence: "ModuleNotFoundError",
    lines: trace("ModuleNotFoundError: No module named 'apex'"),
  },
  {
    name: "bad JSON",
    ...workload,
    evidence: "JSONDecodeError",
    lines: trace("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
  },
  {
    name: "data worker",
    ...workload,
    evidence: "ValueError: cannot reshape",
    lines: trace(
      "ValueError: Caught ValueError in DataLoader worker process 3.",
      "Original Traceback (most recent call last):",
      '  File "d.py", line 3, in __getitem__',
      "ValueError: cannot reshape array of size 3 into shape (2,2)",
    ),
  },
  {
    name: "data worker killed",
    ...workload,
    evidence: "is killed by signal",
    lines: trace("RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed. "),
  },
  {
    name: "shared memory",
    ...workload,
    evidence: "Unexpected bus error",
    lines: [
      "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
    ],
  },
  {
    name: "cuDNN",
    ...workload,
    evidence: "CUDNN_STATUS_EXECUTION_FAILED",
    lines: trace("RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
  },
  {
    name: "IB completion",
    ...network,
    evidence: "Got completion",
    lines: [
      "node-b:2113:2342 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.7<39138> with error 12, opcode 0, len 0, vendor err 129",
      "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error, NCCL version 2.20.5",
    ],
    isBare: true,
  },
  {
    name: "queue pair",
    ...network,
    evidence: "ibv_modify_qp",
    isBare: true,
    lines: [
      "node-b:99:120 [5] ibvwrap.c:262 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_1:1",
    ],
  },
  {
    name: "UCX",
    ...network,
    evidence: "Transport retry count exceeded",
    lines: [
      "[node-b:4711:0:4711] ib_mlx5_log.c:171  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
    ],
    isBare: true,
  },
  {
    name: "EFA",
    ...network,
    evidence: "NET/OFI Request",
    isBare: true,
    lines: [
      "node-b:1:2 [0] NCCL WARN NET/OFI Request 0x7f completed with error. RC: 113. Error: 11 (Unreachable remote). Completed length: 0",
    ],
  },
  {
    name: "NCCL remote error",
    ...network,
    evidence: "ncclRemoteError",
    lines: trace(
      "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error",
      "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
    ).slice(4),
  },
  {
    name: "rendezvous",
    ...network,
    evidence: "client socket has timed out",
    lines: [
      "[E socket.cpp:957] [c10d] The client socket has timed out after 600s while trying to connect to (node-a, 29500).",
    ],
  },
  {
    name: "name resolution",
    ...network,
    evidence: "name resolution",
    lines: trace("socket.gaierror: [Errno -3] Temporary failure in name resolution"),
  },
  {
    name: "hub",
    ...network,
    evidence: "504 Server Error",
    lines: trace(
      "huggingface_hub.utils._errors.HfHubHTTPError: 504 Server Error: Gateway Time-out for url: https://huggingface.co/api/models/x",
    ),
  },
  {
    name: "shared disk full",
    ...storage,
    next: "terminate",
    evidence: "No space left on device",
    lines: trace("OSError: [Errno 28] No space left on device: '/shared/ckpt/step_100.pt'"),
  },
  {
    name: "stale handle",
    ...storage,
    evidence: "Stale file handle",
    lines: trace("OSError: [Errno 116] Stale file handle: '/shared/data/shard-12.bin'"),
  },
  {
    name: "input/output error",
    ...storage,
    evidence: "Input/output error",
    lines: trace("OSError: [Errno 5] Input/output error"),
  },
  {
    name: "truncated checkpoint",
    ...storage,
    evidence: "PytorchStreamReader failed",
    lines: trace("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"),
  },
  {
    name: "safetensors",
    ...storage,
    evidence: "SafetensorError",
    lines: trace("safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer"),
  },
  {
    name: "object store",
    ...storage,
    evidence: "SlowDown",
    lines: trace(
      "botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the GetObject operation (reached max retries: 4): Please reduce your request rate.",
    ),
  },
  {
    name: "loss is NaN",
    kind: "numerics",
    domain: "workload",
    next: "restart",
    evidence: "oss is nan",
    lines: ["Loss is nan, stopping training"],
  },
  {
    name: "NaN in gradients",
    kind: "numerics",
    domain: "workload",
    next: "restart",
    evidence: "non-finite",
    lines: trace(
      "RuntimeError: The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be clipped.",
    ),
  },
  {
    name: "loss scale",
    kind: "numerics",
    domain: "workload",
    next: "restart",
    evidence: "already at minimum",
    lines: trace("Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run."),
  },
  {
    name: "watchdog",
    kind: "hang",
    domain: "unknown",
    next: "restart",
    evidence: "collective operation timeout",
    lines: [
      "[E ProcessGroupNCCL.cpp:474] [Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1559, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800441 milliseconds before timing out.",
    ],
  },
  {
    name: "stuck watchdog",
    kind: "hang",
    domain: "unknown",
    next: "restart",
    evidence: "watchdog got stuck",
    lines: [
      "[E ProcessGroupNCCL.cpp:1413] [Rank 9] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.",
    ],
  },
  {
    name: "JAX barrier",
    kind: "hang",
    domain: "unknown",
    next: "restart",
    evidence: "Barrier timed out",
    lines: trace("jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: pjit_sync::0"),
  },
];
