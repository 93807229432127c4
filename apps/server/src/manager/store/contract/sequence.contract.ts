/**
 * Goal    a recovery has one durable sequence for each operation, made with its Advice and by nothing else; a milestone is recorded once.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import type { Milestone } from "../../sequence/recovery-sequence.ts";
import { cluster, decided, hour, none, noon, report, restart, s, terminate, type Open } from "../testing/world.ts";

const milestone = (idempotencyKey: string, change: Partial<Milestone> = {}): Milestone => ({
  idempotencyKey,
  action: "SLURM_REQUEUE_HOLD",
  completedAt: noon,
  ...change,
});
const name = { cluster, jobId: "1", attemptIndex: 0, operation: "RESTART" } as const;

export function sequenceContract(open: Open): void {
  test("the first Advice of an operation begins its sequence; further generations change nothing, and reading makes none", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const ask = () => replica.getSequence(name);
    expect(await ask()).toBeUndefined();
    await decided(store, job, none());
    expect(await ask()).toBeUndefined();
    expect(await store.sequencesOf([job.heimdallJobId])).toEqual([]);

    await decided(store, job, restart(["n1"]), noon + s);
    const { heimdallJobId } = job;
    const sequenceId = sequenceIdOf(heimdallJobId, "RESTART");
    const sequence = { sequenceId, heimdallJobId, operation: "RESTART", startedAt: noon + s, milestones: [] };
    expect(await ask()).toEqual(sequence);
    await decided(store, job, restart(["n1", "n2"]), noon + 2 * s);
    expect(await ask()).toEqual(sequence);
    await decided(store, job, terminate(), noon + 3 * s);
    const all = await store.sequencesOf([heimdallJobId]);
    expect(all.map(({ operation, startedAt }) => [operation, startedAt])).toEqual([
      ["RESTART", noon + s],
      ["TERMINATE", noon + 3 * s],
    ]);
    for (const other of [
      { attemptIndex: 1 },
      { jobId: "2" },
      { cluster: "other" },
      { operation: "DAG_RELEASE" },
    ] as const) {
      expect(await store.getSequence({ ...name, ...other })).toBeUndefined();
    }
  });

  test("a job ID that Slurm has given to another job means the newest one", async () => {
    const { store } = await open();
    const first = await store.upsertJob(report("1"), noon);
    await decided(store, first, restart(), noon);
    const second = await store.upsertJob(report("1", 0, { submitAt: noon + 9 * hour }), noon + 9 * hour);
    expect(second.heimdallJobId).not.toBe(first.heimdallJobId);
    await decided(store, second, restart(), noon + 9 * hour);
    expect(await store.getSequence(name)).toMatchObject({ heimdallJobId: second.heimdallJobId });
    expect(await store.sequencesOf([first.heimdallJobId, second.heimdallJobId])).toHaveLength(2);
  });

  test("a milestone is recorded once a key, however often and by however many it is reported", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    const id = sequenceIdOf(job.heimdallJobId, "RESTART");
    const late = milestone("b", { completedAt: noon + 5 * s, action: "SLURM_RELEASE", outcome: "done" });
    await store.recordMilestone(id, "RESTART", late);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : replica).recordMilestone(
          id.toUpperCase(),
          "RESTART",
          milestone("a", { completedAt: noon + i }),
        ),
      ),
    );
    expect(new Set(answers.map(({ completedAt }) => completedAt)).size).toBe(1);
    expect((await store.getSequence(name))?.milestones).toEqual([answers[0], late]);
  });

  test("a milestone of nothing, of another operation, or under another one's key is refused, and leaves nothing", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    const id = sequenceIdOf(job.heimdallJobId, "RESTART");
    await store.recordMilestone(id, "RESTART", milestone("a"));
    const refused = async (promise: Promise<unknown>, code: string, words: string) =>
      expect(promise).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string });
    const unknown = sequenceIdOf(job.heimdallJobId, "TERMINATE");
    await refused(store.recordMilestone(unknown, "TERMINATE", milestone("b")), "not-found", unknown);
    await refused(store.recordMilestone(id, "TERMINATE", milestone("b")), "invalid", "one of RESTART");
    await refused(
      store.recordMilestone(id, "RESTART", milestone("a", { action: "SLURM_CANCEL" })),
      "exists",
      "SLURM_REQUEUE_HOLD",
    );
    expect((await store.getSequence(name))?.milestones).toEqual([milestone("a")]);
  });

  test("a sequence has a bound, and above it known milestones are still known", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    const id = sequenceIdOf(job.heimdallJobId, "RESTART");
    for (let i = 0; i < limits.milestonesPerSequenceMax; i++)
      await store.recordMilestone(id, "RESTART", milestone(`${i}`));
    await expect(store.recordMilestone(id, "RESTART", milestone("more"))).rejects.toMatchObject({ code: "busy" });
    expect(await store.recordMilestone(id, "RESTART", milestone("7", { completedAt: noon + s }))).toEqual(
      milestone("7"),
    );
  });
}
