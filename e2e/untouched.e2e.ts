/**
 * Goal    what recovery must leave alone is left alone, on a real Slurm, and the record says why.
 * Method  jobs of every uncovered kind beside each other under an acting Reprise; each fails, and nothing is ever done to it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acting, desired, optIn, reason, startWorld, stuckOnce, type World } from "./world/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ lab: { partitions: [{ name: "gpu" }, { name: "other" }] } });
});
afterAll(async () => await world?.stop());

const failing = "exit 7";

/** The job has ended in Slurm, Reprise has recorded the end, and has decided about it. */
async function decided(jobId: string, state = "FAILED") {
  await world.until(`job ${jobId} to end`, async () => (await world.slurm(jobId))?.state === state);
  return world.until(`a decision about job ${jobId}`, async () => {
    const story = await world.attempt(jobId, 0);
    return (
      story?.job?.state === `JOB_STATUS_${state}` &&
      !["reading-log", "healthy", undefined, "grace"].includes(story.decision?.because) &&
      story
    );
  });
}

/** No restart, no hold, no exclusion, no marker. */
async function expectUntouched(jobId: string, state: string) {
  expect(await world.slurm(jobId)).toMatchObject({ state, restarts: 0, excluded: "" });
  const { stdout } = await world.lab.run("scontrol", ["-o", "show", "job", jobId]);
  expect(stdout).not.toContain("AdminComment=");
  expect((await world.attempt(jobId, 0))?.steps?.filter((s) => s.action !== "refused-by-gate") ?? []).toEqual([]);
}

describe("under an acting Reprise", () => {
  test("a job without a comment", async () => {
    const id = await world.submit(failing, { comment: "" });
    const story = await decided(id);
    expect(story).toMatchObject({ covered: false, decision: { because: "not-covered" } });
    expect(story.notCoveredBecause).toContain("comment");
    await expectUntouched(id, "FAILED");
  });

  test("a job whose comment is broken JSON: the place of the error is named", async () => {
    const id = await world.submit(failing, { comment: '{"recovery": {"auto_resume_mode": "requeue",}}' });
    const story = await decided(id);
    expect(story.covered).toBe(false);
    expect(story.job?.schedulerMetadata?.recovery?.notCovered?.position).toBeGreaterThan(0);
    await expectUntouched(id, "FAILED");
  });

  test('a job with auto_resume_mode "off"', async () => {
    const id = await world.submit(failing, { comment: { recovery: { auto_resume_mode: "off" } } });
    expect((await decided(id)).decision?.because).toBe("off");
    await expectUntouched(id, "FAILED");
  });

  test("a job in a partition outside the allowlist: the Advice says what would have been done", async () => {
    const id = await world.submit(failing, { args: ["--partition=other"] });
    const advice = await world.until("a refused step", async () => {
      const found = await world.advice(id);
      return reason(found) === "OBSERVE_MODE" && found;
    });
    expect(desired(advice)).toBe("RESTARTED");
    expect(advice.reconciliationStatus?.message).toContain("partition other is not on the allowlist");
    await expectUntouched(id, "FAILED");
  });

  test("a job that the user cancels while its Advice is open is never restarted", async () => {
    const id = await world.submit(stuckOnce());
    await world.until("the fatal line to be seen", async () =>
      (await world.attempt(id, 0))?.signals?.some((s) => s.kind === "crash"),
    );
    await world.lab.run("scancel", [id]);
    const story = await world.until("the cancellation to be recorded", async () => {
      const found = await world.attempt(id, 0);
      return found?.job?.state === "JOB_STATUS_CANCELLED" && found.decision?.because === "cancelled" && found;
    });
    expect(story.advice?.some((a) => a.active === true) ?? false).toBe(false);
    await expectUntouched(id, "CANCELLED");
  });

  test("a clean run stays untouched", async () => {
    const id = await world.submit("echo training; exit 0");
    expect((await decided(id, "COMPLETED")).decision?.because).toBe("completed");
    await expectUntouched(id, "COMPLETED");
  });
});

describe("in observe mode", () => {
  test("nothing is ever done, and the record says what would have been", async () => {
    await world.reprise().stop();
    await world.startReprise([]);
    const id = await world.submit(failing, { comment: optIn() });
    const advice = await world.until("observed Advice", async () => {
      const found = await world.advice(id);
      return reason(found) === "OBSERVE_MODE" && found;
    });
    expect(advice.reconciliationStatus?.message).toMatch(/observe mode.*would have been done/);
    await expectUntouched(id, "FAILED");
    await world.reprise().stop();
    await world.startReprise(acting);
  });
});
