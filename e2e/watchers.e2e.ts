/**
 * Goal    whichever of three watchers is killed, its jobs are read on within the lease, and no line is lost or told twice.
 * Method  a real server and three real watchers; logs that grow without a pause. One watcher after the other is killed in the middle
 *         of it, and lines that matter are written while nobody reads them. It needs no Slurm.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { WireExplain, WireStory } from "@reprise/cli/wire.ts";
import { systemClock as clock } from "@reprise/runtime/clock.ts";
import { type Programs, publish, startPrograms } from "./bench/watcher/programs.ts";

const jobs = 12;
/** Two watchers can hold all of them, one cannot. */
const targetsMax = 8;
const leaseMs = 15_000;
/** Claims come every second, and the machine may be busy. */
const slackMs = 15_000;

async function explained({ http }: Programs, jobId: string): Promise<WireStory> {
  const answer = await fetch(`${http}/reprise/v1/jobs/${jobId}/explain`);
  const { attempts } = (await answer.json()) as WireExplain;
  return attempts?.[0] ?? {};
}
const crashesOf = ({ signals = [] }: WireStory) => signals.filter((s) => s.kind === "crash");

const fault = (rank: number) => `[rank${rank}]: RuntimeError: CUDA error: uncorrectable ECC error encountered`;

test("a killed watcher's jobs are read on within the lease, and no line is lost or told twice", async () => {
  const programs = await startPrograms();
  onTestFinished(() => programs.stop());
  const ids = Array.from({ length: jobs }, (_, n) => `${100 + n}`);
  const logOf = (jobId: string) => join(programs.folder, `${jobId}.log`);
  const now = new Date();
  await publish(
    programs.http,
    ids.map((jobId) => ({ jobId, stdout: logOf(jobId) })),
    now,
    now,
  );

  let [step, isOver] = [0, false];
  const grow = async () => {
    for (; !isOver; await clock.sleep(100)) {
      step++;
      for (const id of ids)
        appendFileSync(
          logOf(id),
          ` iteration ${step}/ 100000 | elapsed time per iteration (ms): 100.0 | lm loss: 2.1E+00 |\n`,
        );
    }
  };
  const growing = grow();
  onTestFinished(async () => {
    isOver = true;
    await growing;
  });
  const watchers = ["w0", "w1", "w2"].map((name) => programs.startWatcher(name, targetsMax));
  /** When each log's line of this rank is in the record. */
  const tellAll = async (rank: number) => {
    for (const id of ids) appendFileSync(logOf(id), `${fault(rank)}\n`);
    const writtenAt = clock.now();
    for (let left = ids; left.length > 0 && clock.now() - writtenAt < leaseMs + slackMs; await clock.sleep(200)) {
      const told = await Promise.all(left.map((id) => explained(programs, id)));
      left = left.filter((_, n) => !crashesOf(told[n]!).some((s) => s.rank === rank));
      if (left.length === 0) return;
    }
    throw new Error(`the line of rank ${rank} was not told of every job`);
  };

  await tellAll(0); // All three are at work.
  for (const [round, watcher] of watchers.entries()) {
    await watcher.kill();
    await tellAll(round + 1);
    programs.startWatcher(`w${round}`, targetsMax);
  }
  isOver = true;
  await growing;
  await expect
    .poll(
      async () => new Set(await Promise.all(ids.map(async (id) => (await explained(programs, id)).progress?.lastStep))),
      {
        timeout: leaseMs + slackMs,
      },
    )
    .toEqual(new Set([`${step}`]));

  for (const id of ids) {
    const crashes = crashesOf(await explained(programs, id));
    expect(crashes.map((s) => s.evidence?.line ?? "").toSorted()).toEqual([0, 1, 2, 3].map(fault));
    expect(new Set(crashes.map((s) => s.evidence?.offset)).size).toBe(4);
  }
});
