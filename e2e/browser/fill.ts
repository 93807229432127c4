/** fill: one job for every way in which a job may stand, each with a story that could have happened. */
import { advised, observed, published, read, report, uuidOf, type World } from "./world.ts";
import { hostileCourse, recoveredCourse, slowAndSilent } from "./fill-courses.ts";

/** Markup, colours of a terminal, a change of the direction of writing, and far too long. */
export const hostileLine = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'"> \u001b[31mred\u001b[0m \u202egnp.exe ${"A".repeat(1_000_000)}`;

const ecc = "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered";
const minute = 60_000;
const hardware = {
  kind: "crash",
  cause: "cuda-ecc-uncorrectable",
  causeClass: "hardware-node",
  root: true,
  nodes: ["n2"],
  rank: 2,
} as const;

export async function fill(world: World): Promise<void> {
  const now = world.now();
  await recovered(world, now);
  await failedAndLeft(world, now);
  await recovering(world, now);
  await hostile(world, now);
  await slowAndSilent(world, now);
  await pipeline(world, now);
  await report(world, [
    published({ jobId: "4712", state: "RUNNING", nodes: ["n5", "n6"], startTime: now - 180 * minute }),
    published({
      jobId: "4715",
      name: "eval-nightly",
      workflowId: "eval",
      state: "COMPLETED",
      nodes: ["n7"],
      startTime: now - 90 * minute,
      endTime: now - 12 * minute,
    }),
    published({
      jobId: "4716",
      name: "notebook",
      workflowId: "tools",
      state: "RUNNING",
      nodes: ["n8"],
      startTime: now - 20 * minute,
      recoveryConfig: {},
    }),
  ]);
  await read(world, [
    { jobId: "4712", kind: "progress", at: now - 4_000, line: "step 18214 loss 2.031", step: 18_214 },
  ]);
}

/** The whole way: ECC, a restart without the node, training resumed from its checkpoint. */
async function recovered(world: World, now: number): Promise<void> {
  const jobId = "4711";
  const at = now - 9 * minute;
  const first = {
    jobId,
    name: "llm-7b-pretrain",
    nodes: ["n1", "n2", "n3", "n4"],
    startTime: now - 150 * minute,
  } as const;
  await report(world, [published({ ...first, state: "RUNNING" })]);
  await read(world, [
    { jobId, kind: "progress", at: now - 149 * minute, line: "step 1 loss 10.41", step: 1 },
    { jobId, kind: "checkpoint-saved", at: at - 2 * minute, line: "saved checkpoint at step 12400", step: 12_400 },
    { jobId, kind: "progress", at: at - 3_000, line: "step 12447 loss 2.108", step: 12_447 },
    { jobId, at, line: ecc, key: "root", ...hardware },
    ...Array.from({ length: 6 }, (_, rank) => ({
      jobId,
      kind: "crash",
      at: at + 400 + rank * 90,
      line: `[rank${rank}]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank ${rank}.`,
      cause: "nccl-abort",
      causeClass: "network-pair",
      nodes: [`n${(rank % 4) + 1}`],
      rank,
    })),
  ]);
  await recoveredCourse(world, jobId, { from: now - 149 * minute, at });
  await report(world, [published({ ...first, state: "FAILED", endTime: at + 5_000 })]);
  await advised(world, jobId);
  const step = (key: string, action: string, ms: number, detail = "") => ({
    key: `j1:${key}`,
    heimdallJobId: uuidOf(jobId),
    jobId,
    attemptIndex: 0,
    generation: "1",
    action,
    begunAt: new Date(at + ms).toISOString(),
    endedAt: new Date(at + ms + 300).toISOString(),
    outcome: "done",
    detail,
  });
  const next = { ...first, attemptIndex: 1, nodes: ["n1", "n3", "n4", "n9"], startTime: at + 34_000 } as const;
  await report(world, [published({ ...next, state: "RUNNING" })], {
    steps: [
      step("1", "requeue-hold", 6_100),
      step("2", "update-constraints", 6_900, "ExcNodeList=n2"),
      step("3", "release", 7_600),
    ],
  });
  await observed(world, jobId, "CONVERGED", "DESIRED_STATE_OBSERVED", "the successor runs with the constraints");
  await read(world, [
    { jobId, attemptIndex: 1, kind: "resumed", at: at + 52_000, line: "resumed from step 12400", step: 12_400 },
    { jobId, attemptIndex: 1, kind: "progress", at: now - 2_000, line: "step 12611 loss 2.101", step: 12_611 },
  ]);
}

/** It may not be restarted any more, and was ended. */
async function failedAndLeft(world: World, now: number): Promise<void> {
  const jobId = "4713";
  const job = {
    jobId,
    name: "sft-13b",
    workflowId: "sft",
    nodes: ["n10", "n11"],
    startTime: now - 60 * minute,
    recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 0 },
  } as const;
  const at = now - 25 * minute;
  await report(world, [published({ ...job, state: "RUNNING" })]);
  await read(world, [
    {
      jobId,
      kind: "crash",
      at,
      line: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.",
      cause: "cuda-oom",
      causeClass: "workload-deterministic",
      root: true,
      nodes: ["n10"],
      rank: 0,
    },
  ]);
  await report(world, [published({ ...job, state: "FAILED", endTime: at + 4_000 })]);
  await advised(world, jobId);
  await observed(world, jobId, "CONVERGED", "ALREADY_SATISFIED", "the job has ended");
}

async function recovering(world: World, now: number): Promise<void> {
  const jobId = "4714";
  const job = {
    jobId,
    name: "llm-70b-pretrain",
    workflowId: "llm-70b",
    nodes: ["n1", "n2"],
    startTime: now - 600 * minute,
  } as const;
  await report(world, [published({ ...job, state: "RUNNING" })]);
  await read(world, [{ jobId, at: now - 12_000, line: ecc, ...hardware }]);
  await report(world, [published({ ...job, state: "FAILED", endTime: now - 9_000 })]);
  await advised(world, jobId);
  await observed(world, jobId, "PENDING", "UNSPECIFIED", "requeued and held; its constraints are next");
  await report(world, [published({ ...job, attemptIndex: 1, nodes: [], state: "PENDING" })]);
}

async function hostile(world: World, now: number): Promise<void> {
  const jobId = "4717";
  const job = {
    jobId,
    name: "<b>bold</b>\u202eeman",
    workflowId: "hostile/..%2f<i>",
    nodes: ["n12"],
    startTime: now - 5 * minute,
  } as const;
  await report(world, [published({ ...job, state: "RUNNING" })]);
  await read(world, [
    {
      jobId,
      kind: "crash",
      at: now - 60_000,
      line: hostileLine.slice(0, 3_000),
      key: "hostile",
      cause: "python-exception",
      causeClass: "workload-deterministic",
      root: true,
      nodes: ["n12"],
    },
  ]);
  await hostileCourse(world, jobId, hostileLine.slice(0, 400));
  await report(world, [published({ ...job, state: "FAILED", endTime: now - 50_000 })]);
  await advised(world, jobId);
}

/** Data, then training, then two that wait for it. */
async function pipeline(world: World, now: number): Promise<void> {
  const waits = (on: string, trigger: string) => ({
    autoResumeMode: "AUTO_RESUME_MODE_REQUEUE",
    dagDependencies: [{ jobId: on, trigger: `TRIGGER_CONDITION_${trigger}` }],
  });
  const workflowId = "pipeline";
  await report(world, [
    published({
      jobId: "4720",
      name: "prepare-data",
      workflowId,
      state: "COMPLETED",
      nodes: ["n7"],
      startTime: now - 300 * minute,
      endTime: now - 240 * minute,
    }),
    published({
      jobId: "4721",
      name: "pretrain",
      workflowId,
      state: "RUNNING",
      nodes: ["n3", "n4"],
      startTime: now - 239 * minute,
      recoveryConfig: waits("4720", "ON_SUCCESS"),
    }),
    published({
      jobId: "4722",
      name: "evaluate",
      workflowId,
      state: "PENDING",
      submitTime: now,
      recoveryConfig: waits("4721", "ON_SUCCESS"),
    }),
    published({
      jobId: "4723",
      name: "tell-somebody",
      workflowId,
      state: "PENDING",
      submitTime: now,
      recoveryConfig: waits("4721", "ON_FAILURE"),
    }),
  ]);
}

/** In the last second, as a large site has them. Nobody asks for recovery: the server has little to decide. */
export async function fillMany(world: World, count: number): Promise<void> {
  const perPass = 2_500;
  const now = world.now();
  for (let from = 0; from < count; from += perPass)
    await report(
      world,
      Array.from({ length: Math.min(perPass, count - from) }, (_, i) =>
        published({
          jobId: String(100_000 + from + i),
          workflowId: `sweep-${(from + i) % 50}`,
          state: "RUNNING",
          nodes: [`n${1 + (i % 12)}`],
          startTime: now - i * 1_000,
          recoveryConfig: {},
        }),
      ),
    );
}
