/** fill-courses: how the trainings of `fill.ts` went: curves, and the lines around what went wrong. */
import { iso, published, read, report, uuidOf, type World } from "./world.ts";

const minute = 60_000;

/** The watcher has told how an attempt went. */
async function went(
  world: World,
  jobId: string,
  course: {
    readonly attemptIndex?: number;
    readonly points: readonly { readonly at: number; readonly step: number }[];
    readonly checkpoints?: readonly { readonly at: number; readonly step: number }[];
    readonly speedChanges?: readonly { readonly kind: string; readonly at: number; readonly step: number }[];
    readonly baselineStepMs?: number;
    readonly contexts?: readonly {
      readonly key: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    }[];
  },
): Promise<void> {
  const { attemptIndex = 0, points, checkpoints = [], speedChanges = [], ...rest } = course;
  const told = <P extends { readonly at: number; readonly step: number }>(list: readonly P[]) =>
    list.map((point) => ({ ...point, at: iso(point.at), step: String(point.step) }));
  await world.ask("/reprise/v1/courses", {
    reporter: "watcher-1",
    courses: [
      {
        heimdallJobId: uuidOf(jobId, attemptIndex),
        points: told(points),
        checkpoints: told(checkpoints),
        speedChanges: told(speedChanges),
        ...rest,
      },
    ],
  });
}

export async function recoveredCourse(
  world: World,
  jobId: string,
  { from, at }: { readonly from: number; readonly at: number },
): Promise<void> {
  await went(world, jobId, {
    points: steps(from, at - 3_000, 12_447),
    checkpoints: [2_000, 4_000, 6_000, 8_000, 10_000, 12_400].map((step) => ({
      at: Math.round(from + (step / 12_447) * (at - 3_000 - from)) + 500,
      step,
    })),
    baselineStepMs: 675,
    contexts: [
      {
        key: "root",
        before: [12_443, 12_444, 12_445, 12_446, 12_447].map((step) => `step ${step} loss 2.1${step % 10}`),
        after: [
          "[rank2]: Traceback (most recent call last):",
          '[rank2]:   File "train.py", line 214, in <module>',
          "[rank2]:     loss.backward()",
          "[rank0]: NCCL WARN NET/IB : Got completion with error 12, opcode 0",
          ...Array.from({ length: 5 }, (_, rank) => `[rank${rank}]: NCCL communicator was aborted on rank ${rank}.`),
        ],
      },
    ],
  });
}

/** @param line Stands around it, too. */
export async function hostileCourse(world: World, jobId: string, line: string): Promise<void> {
  const contexts = [{ key: "hostile", before: [line, line], after: [line, "</code></script><b>out</b>"] }];
  await went(world, jobId, { points: [], contexts });
}

/** Slow, and then silent for half an hour; nobody asked for recovery. */
export async function slowAndSilent(world: World, now: number): Promise<void> {
  const jobId = "4718";
  const job = { jobId, name: "vision-3b", workflowId: "vision", nodes: ["n9"], startTime: now - 300 * minute } as const;
  const silentAt = now - 40 * minute;
  await report(world, [published({ ...job, state: "RUNNING", recoveryConfig: {} })]);
  const [fast, slow] = [
    steps(now - 290 * minute, now - 130 * minute, 9_000, 120),
    steps(now - 129 * minute, silentAt, 3_000, 60),
  ];
  await went(world, jobId, {
    points: [...fast, ...slow.map(({ at, step }) => ({ at, step: step + 9_000 }))],
    checkpoints: fast.filter((_, i) => i % 24 === 23),
    speedChanges: [{ kind: "lost", at: now - 95 * minute, step: 9_010 }],
    baselineStepMs: 1_066,
  });
  await read(world, [
    { jobId, kind: "progress", at: silentAt, line: "step 12000 loss 1.93", step: 12_000 },
    {
      jobId,
      kind: "slowdown",
      at: now - 95 * minute,
      line: "step 9010 loss 2.01",
      cause: "throughput-lost",
      detail: "a step takes 67 % longer than it did",
    },
    {
      jobId,
      kind: "hang",
      at: now - 10 * minute,
      line: "step 12000 loss 1.93",
      cause: "no-further-step",
      root: true,
      detail: "silent for 30 min, the limit in the training loop",
    },
  ]);
}

/** Evenly, from one time to another, up to a step; with a pause of the sort that an evaluation makes. */
function steps(from: number, to: number, last: number, count = 200) {
  return Array.from({ length: count }, (_, i) => {
    const share = i / (count - 1);
    const jitter = i === 0 || i === count - 1 ? 0 : ((i * 7_919) % 11) * 400;
    return { at: Math.round(from + share * (to - from)) + jitter, step: Math.max(1, Math.round(share * last)) };
  });
}
