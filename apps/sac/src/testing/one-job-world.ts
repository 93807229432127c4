/**
 * one-job-world: one opted-in job that has failed, a Slurm that shows effects late, a server and a disk, all in memory.
 *
 * Keeps   commands behave as slurm.md §2 measured them: requeuehold raises the count at once and resets the submit time; a
 *         release of an unheld job changes nothing; ExcNodeList only while pending. What a crash loses is lost: everything
 *         but the disk and Slurm.
 */
import { limits } from "@reprise/core/limits.ts";
import { type ClusterOrders, noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant, SlurmJob } from "@reprise/core/nouns.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { createJournal } from "../journal.ts";
import { inForce } from "../orders.ts";
import { newState, type Parts, type State } from "../state.ts";
import type { Server, StatusReport } from "../server.ts";
import type { Command, Fence, Outcome, Slurm } from "../slurm/slurm.ts";
import { memoryBeside, memoryDisk, quiet } from "./memory.ts";

export interface WorldOptions {
  readonly state?: string;
  /** How long Slurm takes to show what a command did (ms). */
  readonly lagMs?: number;
  readonly mode?: "observe" | "act";
  readonly partitions?: readonly string[];
  /** What else differs from a failed job that is to be restarted without n2. */
  readonly job?: Partial<SlurmJob>;
  /** More jobs, each by its own ID. */
  readonly others?: readonly (Partial<SlurmJob> & Pick<SlurmJob, "jobId" | "state">)[];
  readonly work?: Partial<Work>;
}

export function oneJobWorld({
  state = "FAILED",
  lagMs = 1_000,
  mode = "act",
  partitions = ["gpu"],
  job = {},
  others = [],
  work = {},
}: WorldOptions = {}) {
  const time = { now: 1_800_000_000_000 };
  const submitAt = time.now - 60_000;
  const disk: string[] = [];
  const reports: StatusReport[] = [];
  const fake = fakeSlurm(
    [{ ...blank, state, submitAt, ...job }, ...others.map((other) => ({ ...blank, submitAt, ...other }))],
    lagMs,
    time,
  );
  const told: { orders: ClusterOrders } = { orders: noOrders };
  const server = fakeServer({ ...workOf(submitAt, time.now), ...work }, reports, time, () => told.orders);
  const beside = memoryBeside(); // On the disk, as the journal.

  /** A process that has just started: it knows what is on the disk, and nothing else. */
  let keys = 0;
  const start = (wrap: <T extends object>(port: T) => T = (port) => port): { parts: Parts; state: State } => {
    const parts: Parts = {
      config: {
        mode,
        partitions,
        slurmReleases: [],
        skipRequeueDelay: true,
        restartsPerMinuteMax: 30,
        pollMs: 2_000,
        requireWatchdog: false,
        failOpenAfterMs: limits.failOpenAfterMs,
        serverGraceMs: limits.serverGraceMs,
      },
      cluster: "c",
      holder: "h",
      slurm: wrap(fake.slurm),
      server: wrap(server),
      journal: wrap(createJournal(wrap(memoryDisk(disk)), () => `k${keys++}`)),
      beside,
      lock: () => Promise.resolve({ release: () => {} }),
      newName: () => `report-${keys++}`,
      clock: { now: () => time.now, elapsed: () => time.now, sleep: untilAborted },
      log: quiet,
      gateFacts: (s) => ({
        ...inForce(parts, s),
        serverOkAt: time.now,
        serverGraceMs: limits.serverGraceMs,
        requireWatchdog: false,
        watchdog: undefined,
        ...(s.slurm?.version === undefined ? {} : { slurmVersion: s.slurm.version }),
        slurmReleases: [],
        isKillSwitchOn: parts.beside.isKillSwitchOn(),
        ...(s.orders.stop === undefined ? {} : { stop: s.orders.stop }),
        restartsBegunAt: [],
        restartsPerMinuteMax: 30,
        ...(s.lease === undefined ? {} : { leaseExpiresAt: s.lease.asked.at + limits.leaseMs }),
      }),
      fence: () => ({ leaseTerm: 1, epoch: 0 }),
    };
    return { parts, state: newState(0, parts.clock, beside.orders(), beside.heartbeat()) };
  };
  return {
    start,
    advance: (ms: number) => void (time.now += ms),
    /** What the server says that people have ordered about the cluster. */
    order: (orders: ClusterOrders) => void (told.orders = orders),
    /** Somebody else changes the job: its owner, Slurm, an operator. */
    meanwhile: fake.change,
    applied: () => fake.applied,
    reports: () => reports,
    job: fake.job,
  };
}

interface Time {
  now: Instant;
}

const settings = { cluster: "c", version: "22.05.8", requeueDelayMs: 121_000, bootedAt: 0 };

/** A Slurm with few jobs, whose effects are shown `lagMs` late. What is applied to another job than the first is told with its ID. */
function fakeSlurm(all: readonly SlurmJob[], lagMs: number, time: Time) {
  const first = all[0] ?? { ...blank, state: "FAILED", submitAt: 0 };
  let now: ReadonlyMap<string, SlurmJob> = new Map(all.map((job) => [job.jobId, job]));
  const applied: string[] = [];
  const shown: { from: Instant; jobs: typeof now }[] = [{ from: 0, jobs: now }];
  const job = (jobId = first.jobId) => now.get(jobId) ?? first;
  const change = (next: Partial<SlurmJob>, jobId = first.jobId) => {
    now = new Map([...now, [jobId, { ...job(jobId), ...next }]]);
    shown.push({ from: time.now + lagMs, jobs: now });
  };
  const visible = () => shown.findLast((s) => s.from <= time.now)?.jobs ?? now;
  const slurm: Slurm = {
    look: () => {
      const value = { cluster: "c", jobs: visible(), nodes: new Map(), unreadable: new Map(), settings };
      return Promise.resolve({ kind: "seen", at: time.now, value });
    },
    holdReasons: (ids) => {
      const reasons = ids.map((id) => [id, job(id).priority === 0 ? "user" : "none"] as const);
      return Promise.resolve({ kind: "seen", at: time.now, value: new Map(reasons) });
    },
    apply: (command, fence) => {
      const { jobId } = fence.expected;
      const moved = hasMoved(job(jobId), fence);
      if (moved !== undefined) return Promise.resolve({ kind: "moved", detail: moved } satisfies Outcome);
      applied.push(jobId === first.jobId ? command.kind : `${command.kind} ${jobId}`);
      const { hetJobId } = job(jobId);
      const isOfAll = hetJobId === jobId && !isOfOne.has(command.kind);
      const parts = isOfAll ? [...now.values()].filter((one) => one.hetJobId === jobId) : [job(jobId)];
      for (const part of parts) change(effectOf(command, part, time.now), part.jobId);
      return Promise.resolve({ kind: "done" } satisfies Outcome);
    },
    applyAll: async (orders) => {
      const outcomes: Outcome[] = [];
      for (const { command, fence } of orders) outcomes.push(await slurm.apply(command, fence));
      return outcomes;
    },
  };
  return { slurm, change, applied, job };
}

/** Of a heterogeneous job: what is done to one component; all else is done to all. */
const isOfOne: ReadonlySet<Command["kind"]> = new Set(["update-constraints", "mark", "repair-dependency"]);

function effectOf(command: Command, job: SlurmJob, now: Instant): Partial<SlurmJob> {
  const marked = "adminComment" in command ? { adminComment: command.adminComment ?? job.adminComment } : {};
  switch (command.kind) {
    case "requeue-hold":
      return {
        state: "PENDING",
        restartCount: job.restartCount + 1,
        priority: 0,
        submitAt: now,
        startAt: now + 121_000,
        nodes: [],
        reason: "job requeued in held state",
      };
    case "update-constraints":
      return { excludedNodes: command.exclude, ...marked };
    case "mark":
      return marked;
    case "repair-dependency":
      return { reason: "Dependency", dependency: `${command.dependency}(unfulfilled)` };
    case "release":
      return { priority: 9, reason: "BeginTime" };
    case "set-start":
      return { startAt: now + command.inSeconds * 1000, ...marked };
    case "cancel":
      return { state: "CANCELLED" };
  }
}

/** Time stands still while a pass is made: what is raced against a wait is always there first. */
const untilAborted = (_ms: number, signal?: AbortSignal): Promise<void> =>
  signal === undefined || signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

function fakeServer(work: Work, reports: StatusReport[], time: Time, orders: () => ClusterOrders): Server {
  return {
    reportPass: ({ steps }) => Promise.resolve({ confirmedStepKeys: steps.map((s) => s.key), isTaken: true }),
    acquireLease: () => Promise.resolve({ isHeld: true, term: 1, expiresAt: time.now + 3_600_000 }),
    listWork: () => Promise.resolve(reports.some((r) => r.disposition !== "PENDING") ? [] : [work]),
    orders: () => Promise.resolve({ orders: orders() }),
    reportStatus: (report) => Promise.resolve(void reports.push(report)),
    recordMilestone: () => Promise.resolve(),
    watch: () => Promise.resolve(),
  };
}

const workOf = (submitAt: Instant, now: Instant): Work => ({
  heimdallJobId: "id-0",
  jobId: "123",
  attemptIndex: 0,
  sourceSubmitAt: submitAt,
  generation: 1,
  desired: "RESTARTED",
  exclusions: [{ node: "n2", confidence: 0.9, expiresAt: now + 3_600_000 }],
  authorExclusions: [],
  startDelayMs: 0,
  restartsCompleted: false,
  logEnded: true,
  withdrawn: false,
  expiresAt: now + 24 * 3_600_000,
  partition: "gpu",
});

function hasMoved(job: SlurmJob, { expected }: Fence): string | undefined {
  if (job.restartCount !== expected.restartCount) return "another restart count";
  if (job.submitAt !== expected.submitAt) return "another submit time";
  return expected.states.includes(job.state) ? undefined : `now ${job.state}`;
}

export const blank: Omit<SlurmJob, "state" | "submitAt"> = {
  jobId: "123",
  recordId: "123",
  name: "train",
  user: "u",
  partition: "gpu",
  reason: "NonZeroExitCode",
  restartCount: 0,
  priority: 9,
  exitCode: 1,
  signal: 0,
  nodes: ["n1", "n2"],
  excludedNodes: [],
  requiredNodes: [],
  nodeCount: 2,
  comment: '{"recovery": {"auto_resume_mode": "requeue"}}',
  adminComment: "",
  batch: true,
  requeueable: true,
};
