/**
 * drain: how long the decide loop takes for attempts that have all changed at once, on the embedded store.
 *
 * Gives   what each state of a cluster takes: jobs that run, and jobs that have all failed, each of which becomes Advice.
 * Keeps   the product's own store and loop body; what is stored before is stored by its own calls.
 */
import { rmSync } from "node:fs";
import type { Instant } from "@reprise/core/nouns.ts";
import { defaultPolicy } from "@reprise/core/policy/policy.example.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { decideOnce } from "@reprise/server/manager/loops/decide-once.ts";
import { openStore } from "@reprise/server/manager/store/open-store.ts";
import type { JobReport, Store } from "@reprise/server/manager/store.ts";

export interface Drained {
  readonly attempts: number;
  /** No Advice follows. */
  readonly running: Taken;
  /** An Advice, its history and its audit row each. */
  readonly failed: Taken;
}

/** Milliseconds. */
export interface Taken {
  readonly byTheClock: number;
  /** Of all threads of this process, the embedded database's among them. */
  readonly ofProcessors: number;
}

export async function drain(dataDir: string, attempts: number, life: Life): Promise<Drained> {
  const store = await openStore({ dataDir }, life);
  const submitAt = life.clock.now() - longAgoMs; // The same in both reports: another one would be another job.
  try {
    await report(store, "RUNNING", attempts, submitAt, life);
    const running = await untilDecided(store, life);
    await report(store, "FAILED", attempts, submitAt, life);
    const failed = await untilDecided(store, life);
    await requireAdvice(store, attempts, life);
    return { attempts, running, failed };
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** For the loop the time stands still, so that each attempt is decided about once, however slow the machine is. */
async function untilDecided(store: Store, { clock, log }: Life): Promise<Taken> {
  const [begun, used] = [clock.now(), process.cpuUsage()];
  const still = { ...clock, now: () => begun };
  while (await decideOnce({ store, clock: still, site: { cluster: "default" } }, log));
  const { user, system } = process.cpuUsage(used);
  return { byTheClock: clock.now() - begun, ofProcessors: (user + system) / 1000 };
}

/** What was measured is what it says. */
async function requireAdvice(store: Store, attempts: number, { clock }: Life): Promise<void> {
  const advised = (await store.listWork("default", clock.now())).length;
  if (advised !== attempts)
    throw new Error(`${advised} of ${attempts} failed attempts have become Advice: expected all`);
}

const longAgoMs = 3_600_000;
/** Longer than the last lines of a log are waited for. */
const logEndWaitedMs = 10_000;

async function report(
  store: Store,
  status: "RUNNING" | "FAILED",
  attempts: number,
  submitAt: Instant,
  { clock }: Life,
): Promise<void> {
  const now = clock.now();
  const changed = Array.from({ length: attempts }, (_, n) => jobOf(n + 1, status, submitAt));
  const pass = { cluster: "default", leaseTerm: 0, takenAt: now, complete: true, seen: [], nodes: [], steps: [] };
  const at = status === "FAILED" ? now - logEndWaitedMs : now;
  await store.reportPass({ ...pass, mode: "observe", partitions: [], changed }, at);
}

function jobOf(n: number, status: "RUNNING" | "FAILED", submitAt: Instant): JobReport {
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
