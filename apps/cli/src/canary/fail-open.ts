/**
 * fail-open: a second job of a canary is requeued and held, and only a watchdog is there to let it go: one of the canary's own, beside no
 * SAC, with a journal of its own in a private folder.
 *
 * Writes   Slurm: one job, its requeue and hold; its cancellation at the end, whatever happened. A temporary folder, removed again.
 * Keeps    the job has no recovery comment, so that the SAC and the watchdog that run have nothing to do with it; nothing of theirs is
 *          read, written or stopped. The hold stands in the journal before it is laid, as SAC would have it.
 * Bound    `stepLimitMs` a step.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { createJournal, type Journal } from "@reprise/sac/journal.ts";
import { openJournalFile } from "@reprise/sac/journal-file.ts";
import type { WatchdogConfig } from "@reprise/sac/config.ts";
import { type CanaryAsked, failOpenScript, outputOf } from "./canary-job.ts";
import type { CanarySlurm } from "./canary-slurm.ts";
import type { SlurmSight } from "./judge.ts";
import type { CanaryStep } from "./step.ts";
import { failOpenName } from "./watchdog-steps.ts";

const stepLimitMs = 120_000;
const lookEveryMs = 500;
/** Its own, and short: nobody's SAC is waited for. */
const failOpenAfterMs = 5_000;

export interface FailOpenDeps {
  readonly slurm: CanarySlurm;
  readonly life: Life;
  /** `watchdog.main.ts`: runs until its life ends. */
  watchdog(config: WatchdogConfig, life: Life): Promise<void>;
}

export async function tryFailOpen(asked: CanaryAsked, deps: FailOpenDeps): Promise<CanaryStep> {
  const { slurm } = deps;
  const folder = mkdtempSync(join(tmpdir(), "reprise-canary-"));
  const jobId = await slurm.submit(asked, failOpenScript);
  try {
    return await holdAndWait(jobId, folder, deps);
  } finally {
    await slurm.cancel(jobId, asked.mark);
    rmSync(folder, { recursive: true, force: true });
    rmSync(outputOf(asked), { force: true });
  }
}

async function holdAndWait(
  jobId: string,
  folder: string,
  { slurm, life, watchdog }: FailOpenDeps,
): Promise<CanaryStep> {
  const until = async (isSo: (sight: SlurmSight) => boolean): Promise<boolean> => {
    const since = life.clock.now();
    while (!life.signal.aborted && life.clock.now() - since < stepLimitMs) {
      const sight = await slurm.look(jobId);
      if (sight.kind === "found" && isSo(sight.value)) return true;
      await life.clock.sleep(lookEveryMs, life.signal);
    }
    return false;
  };
  const failed = (says: string, todo: string): CanaryStep => ({ name: failOpenName, verdict: "fail", says, todo });

  if (!(await until(({ state }) => state === "FAILED")))
    return failed(
      `job ${jobId} did not run and fail`,
      "The partition is busy or closed: this says nothing about fail-open.",
    );
  const journal = createJournal(openJournalFile(join(folder, "journal.jsonl"), life.clock.now()), life.chance.uuid);
  const refusal = await hold(jobId, journal, slurm, life);
  if (refusal !== undefined)
    return failed(
      `Slurm did not requeue and hold job ${jobId}: ${refusal}`,
      "Run it as a user who may requeue jobs there.",
    );
  if (!(await until(({ isHeld, restarts }) => isHeld && restarts === 1)))
    return failed(
      `Slurm does not show job ${jobId} as held`,
      "Somebody released or cancelled it: run the canary again.",
    );

  const heldAt = life.clock.now();
  const ended = new AbortController();
  const signal = AbortSignal.any([life.signal, ended.signal]);
  const config = {
    stateDir: folder,
    mode: "act",
    failOpenAfterMs,
    serverGraceMs: failOpenAfterMs,
    pollMs: 1_000,
  } as const;
  const running = watchdog(config, { ...life, signal });
  const isReleased = await until(({ isHeld }) => !isHeld);
  ended.abort();
  await running;
  journal.refresh();
  return judgeRelease(jobId, isReleased, journal, heldAt);
}

/** @returns Why Slurm refused it. */
async function hold(jobId: string, journal: Journal, slurm: CanarySlurm, { clock }: Life): Promise<string | undefined> {
  const now = clock.now();
  const key = journal.begin({ action: "requeue-hold", work: workOf(jobId, now), sourceRan: false }, now);
  const refusal = await slurm.requeueHold(jobId);
  journal.end(key, refusal === undefined ? "done" : "refused", refusal ?? "", clock.now());
  return refusal;
}

function judgeRelease(jobId: string, isReleased: boolean, journal: Journal, heldAt: Instant): CanaryStep {
  const release = journal.stepsOf(idOf(jobId)).find((step) => step.action === "watchdog-release");
  if (!isReleased || release?.outcome !== "done")
    return {
      name: failOpenName,
      verdict: "fail",
      says: `job ${jobId} was ${isReleased ? "released by somebody else" : "not released"}: ${release?.detail || "the watchdog did not try"}`,
      todo: "A watchdog of this user, on this host, does not let jobs go: `reprise doctor` says which right or program it lacks.",
    };
  const after = Math.max(0, Math.round(((release.endedAt ?? heldAt) - heldAt) / 100) / 10);
  const says = `without a SAC, a watchdog of this user on this host let job ${jobId} go after ${after} s (asked for: ${failOpenAfterMs / 1000} s). The one that runs was not put to it: that needs a dead SAC`;
  return { name: failOpenName, verdict: "ok", says };
}

/** In its own journal. */
const idOf = (jobId: string): string => `canary-${jobId}`;

const workOf = (jobId: string, now: Instant): Work => ({
  heimdallJobId: idOf(jobId),
  jobId,
  attemptIndex: 0,
  sourceSubmitAt: now,
  generation: 1,
  desired: "RESTARTED",
  exclusions: [],
  authorExclusions: [],
  startDelayMs: 0,
  restartsCompleted: false,
  logEnded: true,
  withdrawn: false,
  expiresAt: now + 3_600_000,
  partition: "",
});
