/**
 * drain: how long the decide loop takes for attempts that have all changed at once, on the embedded store.
 *
 * Gives   milliseconds for each state of a cluster: jobs that run, and jobs that have all failed, each of which becomes Advice.
 * Keeps   the product's own store and loop body; what is stored before is stored by its own calls.
 */
import { rmSync } from "node:fs";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { decideOnce } from "@reprise/server/manager/loops/decide-once.ts";
import { openStore } from "@reprise/server/manager/store/open-store.ts";
import type { JobReport, Store } from "@reprise/server/manager/store.ts";

export interface Drained {
  readonly attempts: number;
  /** No Advice follows. */
  readonly runningMs: number;
  /** An Advice, its history and its audit row each. */
  readonly failedMs: number;
}

export async function drain(dataDir: string, attempts: number, life: Life): Promise<Drained> {
  const store = await openStore({ dataDir }, life);
  try {
    await report(store, "RUNNING", attempts, life);
    const runningMs = await untilDecided(store, life);
    await report(store, "FAILED", attempts, life);
    const failedMs = await untilDecided(store, life);
    return { attempts, runningMs, failedMs };
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function untilDecided(store: Store, { clock, log }: Life): Promise<number> {
  const begun = clock.now();
  while (await decideOnce({ store, clock, site: { cluster: "default" } }, log));
  return clock.now() - begun;
}

const longAgoMs = 3_600_000;
/** Longer than the last lines of a log are waited for. */
const logEndWaitedMs = 10_000;

async function report(store: Store, status: "RUNNING" | "FAILED", attempts: number, { clock }: Life): Promise<void> {
  const now = clock.now();
  const submitAt = now - (now % 1000) - longAgoMs;
  const changed = Array.from({ length: attempts }, (_, n) => jobOf(n + 1, status, submitAt));
  const pass = { cluster: "default", leaseTerm: 0, takenAt: now, complete: true, seen: [], nodes: [], steps: [] };
  const at = status === "FAILED" ? now - logEndWaitedMs : now;
  await store.reportPass({ ...pass, mode: "observe", partitions: [], changed }, at);
}

function jobOf(n: number, status: "RUNNING" | "FAILED", submitAt: number): JobReport {
  const slurm = {
    slurmState: status,
    partition: "gpu",
    submitTime: submitAt,
    exitCode: status === "FAILED" ? 1 : 0,
    signal: 0,
    reason: "None",
  };
  return {
    cluster: "default",
    jobId: String(n),
    attemptIndex: 0,
    workflowId: `w${n}`,
    nodes: [`n${n}`],
    status,
    jmState: status,
    schedulerMetadata: { slurm },
    coverage: { kind: "covered", policy: defaultPolicy, warnings: [] },
    submitAt,
    user: "ada",
  };
}
