/**
 * world: a server with its page, and jobs whose records are made through its own API, as SAC and the watcher make them.
 *
 * Gives   where it listens, its owner's token, and how to fill it: one job for every way in which a job may stand.
 * Keeps   the decisions in it are the server's own.
 */
import { fileURLToPath } from "node:url";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import { type Clock, systemClock } from "@reprise/runtime/clock.ts";
import type { ServerConfig } from "@reprise/server/config.ts";
import { startAlone } from "@reprise/server/testing/alone.ts";

export interface World {
  readonly url: string;
  readonly token: string;
  /** By the clock of its server. */
  now(): number;
  /** What SAC has told of: every attempt that it still sees. */
  readonly seen: Map<string, { readonly jobId: string; readonly attemptIndex: number }>;
  ask<T>(path: string, body?: object, method?: "POST" | "PUT"): Promise<T>;
  stop(): Promise<void>;
}

const pageFolder = fileURLToPath(new URL("../../apps/dashboard/dist", import.meta.url));

export async function startWorld(more: Partial<ServerConfig> = {}, clock: Clock = systemClock): Promise<World> {
  const { ready, token, stop } = await startAlone({ pageFolder, ...more }, clock);
  return {
    url: ready.http,
    token,
    now: () => clock.now(),
    seen: new Map(),
    async ask(path, body, method = "POST") {
      const response = await fetch(`${ready.internalHttp}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
    stop,
  };
}

export const iso = (at: number) => new Date(at).toISOString();
export const uuidOf = (jobId: string, attemptIndex = 0) => attemptUuid({ jobId, attemptIndex });

interface Published {
  readonly jobId: string;
  readonly attemptIndex?: number;
  readonly name?: string;
  readonly workflowId?: string;
  readonly state: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
  readonly nodes?: readonly string[];
  /** Absent: when it started; of one that has not, now. */
  readonly submitTime?: number;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly recoveryConfig?: object;
}

const optedIn = { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 5 };

export const published = ({
  jobId,
  attemptIndex = 0,
  name,
  workflowId = "llm-7b",
  state,
  nodes = [],
  ...rest
}: Published) => ({
  workflowId,
  jobId,
  attemptIndex,
  jobName: name ?? `train-${jobId}`,
  state: `JOB_STATUS_${state}`,
  allocatedNodes: nodes,
  schedulerMetadata: {
    slurm: {
      cluster: "default",
      partition: "gpu",
      user: "lea",
      submitTime: rest.submitTime ?? rest.startTime ?? Date.now(),
      ...(rest.startTime === undefined ? {} : { startTime: rest.startTime }),
      ...(rest.endTime === undefined ? {} : { endTime: rest.endTime }),
    },
  },
  recoveryConfig: rest.recoveryConfig ?? optedIn,
});

/** SAC looks at everything, and tells what has changed. */
export async function report(
  world: World,
  changed: readonly ReturnType<typeof published>[],
  more: object = {},
): Promise<void> {
  for (const { jobId, attemptIndex } of changed) world.seen.set(jobId, { jobId, attemptIndex });
  const names = Array.from({ length: 12 }, (_, i) => `n${i + 1}`);
  await world.ask("/reprise/v1/lease", { cluster: "default", holder: "sac@login1" });
  await world.ask("/reprise/v1/passes", {
    cluster: "default",
    leaseTerm: "1",
    takenAt: iso(world.now()),
    changed,
    nodes: names.map((name) => ({ name, state: "IDLE", eligible: true, partitions: ["gpu"] })),
    mode: "act",
    partitions: ["gpu"],
    sac: {
      allowedMode: "act",
      allowedPartitions: ["gpu", "long"],
      ordersGeneration: "0",
      openHolds: 0,
      brakes: [],
    },
    seen: [...world.seen.values()],
    complete: true,
    ...more,
  });
}

export interface Line {
  readonly jobId: string;
  readonly attemptIndex?: number;
  readonly kind: string;
  readonly at: number;
  readonly line: string;
  readonly cause?: string;
  readonly causeClass?: string;
  readonly root?: boolean;
  readonly nodes?: readonly string[];
  readonly rank?: number;
  readonly step?: number;
  /** By which the lines around it are found. */
  readonly key?: string;
  /** What a detector measured. */
  readonly detail?: string;
}

/** The watcher has read lines. */
export async function read(world: World, lines: readonly Line[]): Promise<void> {
  await world.ask("/reprise/v1/signals", {
    reporter: "watcher-1",
    signals: lines.map(({ jobId, attemptIndex = 0, at, line, step, causeClass, ...rest }, i) => ({
      key: `${at}:${i}`,
      heimdallJobId: uuidOf(jobId, attemptIndex),
      at: iso(at),
      evidence: {
        source: "log",
        line,
        path: `/data/runs/${jobId}/slurm-${jobId}.out`,
        offset: String(4_096 + 128 * i),
        at: iso(at),
      },
      ...(causeClass === undefined ? {} : { causeClass, domain: causeClass.split("-")[0] }),
      ...(step === undefined ? {} : { step: String(step) }),
      ...rest,
    })),
  });
}

const patienceMs = 20_000;

/** Asks until the answer is as it should be. */
async function eventually<T>(what: string, look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  for (const since = systemClock.now(); ; await systemClock.sleep(50)) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (systemClock.now() - since > patienceMs)
      throw new Error(`${what}: not within ${patienceMs} ms; seen: ${JSON.stringify(seen)}`);
  }
}

interface AdviceList {
  readonly advice: readonly { readonly heimdallJobId: string; readonly generation: string }[];
}

export const advised = (world: World, jobId: string) =>
  eventually(
    `Advice about job ${jobId}`,
    () => world.ask<AdviceList>("/v1/advice?limit=250"),
    ({ advice }) => advice.some(({ heimdallJobId }) => heimdallJobId === uuidOf(jobId)),
  );

export const observed = (world: World, jobId: string, disposition: string, reason: string, message = "") =>
  world.ask(
    `/v1/advice/${uuidOf(jobId)}/reconciliation-status`,
    {
      observedGeneration: "1",
      disposition: `ADVICE_RECONCILIATION_DISPOSITION_${disposition}`,
      reason: `ADVICE_RECONCILIATION_REASON_${reason}`,
      message,
      observedAt: iso(world.now()),
    },
    "PUT",
  );

/** SAC and a watcher are there: everything that recovery relies on is seen, for some seconds. */
export async function seeAll(world: World): Promise<void> {
  await report(world, []);
  await world.ask("/reprise/v1/targets:claim", { watcher: "watcher-1", limit: 1_000 });
}

/** A token of somebody who has this role. */
export const tokenFor = async (world: World, role: string): Promise<string> =>
  (await world.ask<{ readonly token: string }>("/reprise/v1/tokens", { name: `${role}-1`, roles: [role] })).token;
