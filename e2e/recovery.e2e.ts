/**
 * Goal    the loop on a real Slurm: what fails comes back once, constrained, and nothing comes back that should not.
 * Method  small batch jobs under an acting Reprise; Slurm's own words are the judge.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  desired,
  disposition,
  eccLine,
  failsOnce,
  optIn,
  reason,
  startWorld,
  stateOf,
  stuckOnce,
  type World,
} from "./world/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => await world?.stop());

const converged = (id: string, index = 0) =>
  world.until(`the Advice of job ${id} to converge`, async () => {
    const found = await world.advice(id, index);
    return disposition(found) === "CONVERGED" && found;
  });
const completed = (id: string) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED");

test("a job that prints a fatal line and stays alive is restarted without its node", async () => {
  const id = await world.submit(stuckOnce());
  await completed(id);
  const advice = await converged(id);
  expect(desired(advice)).toBe("RESTARTED");
  const [first, second] = await world.jobs(id);
  expect(advice.nodeConstraints?.exclusions).toEqual(first?.nodes);
  expect(second?.nodes).not.toEqual(first?.nodes);
  expect([stateOf(first), stateOf(second)]).toEqual(["STOPPED", "COMPLETED"]);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1, excluded: first?.nodes?.[0] });
});

test("a job that fails without a word is restarted once, nowhere excluded", async () => {
  const id = await world.submit(failsOnce());
  await completed(id);
  const advice = await converged(id);
  expect(advice).toMatchObject({ because: "unexplained", generation: "1" });
  expect(await world.slurm(id)).toMatchObject({ restarts: 1, excluded: "" });
});

test("a job that truncates its log at the restart loses none of its evidence", async () => {
  const id = await world.submit(failsOnce("echo again"), {
    args: ["--open-mode=truncate", `--output=${world.lab.sharedDir}/truncated-%j.out`],
  });
  await completed(id);
  await converged(id);
  expect((await world.attempt(id, 0))?.progress?.logEndedAt).toBeDefined();
});

test("max_requeue_times: 1 ends in TERMINATED, with the bound named", async () => {
  const id = await world.submit("exit 7", { comment: optIn({ max_requeue_times: 1 }) });
  const advice = await converged(id, 1);
  expect(desired(advice)).toBe("TERMINATED");
  expect(advice.because).toBe("max_requeue_times");
  expect((await world.attempt(id, 1))?.decision?.sentence).toContain("max_requeue_times is used up (1 of 1)");
  expect(await world.slurm(id)).toMatchObject({ state: "FAILED", restarts: 1 });
});

test("max_requeue_times holds for a job that fails again before its restart was confirmed", async () => {
  const quickly = "exit $((7 + ${SLURM_RESTART_COUNT:-0}))"; // Another root every time, so that no back-off slows it down.
  const id = await world.submit(quickly, {
    comment: optIn({ max_requeue_times: 2, max_failures_without_progress: 10 }),
  });
  const advice = await converged(id, 2);
  expect(desired(advice)).toBe("TERMINATED");
  expect(advice.because).toBe("max_requeue_times");
  expect(await world.slurm(id)).toMatchObject({ state: "FAILED", restarts: 2 });
});

test("Slurm's own requeue after a lost node does not get a second restart", async () => {
  const id = await world.submit(`if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then exec sleep 600; fi; echo ok`);
  const node = (
    await world.until("the job to run", async () => {
      const job = await world.slurm(id);
      return job?.state === "RUNNING" && job;
    })
  ).nodes;
  await world.until("the attempt to be recorded", async () => stateOf((await world.jobs(id))[0]) === "RUNNING");
  await world.lab.nodeLost(node);
  await completed(id);
  await world.lab.nodeUp(node);
  await world.lab.nodeResume(node);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1 });
  const steps = (await world.attempt(id, 0))?.steps ?? [];
  expect(steps.filter((s) => s.action === "requeue-hold")).toEqual([]);
});

test("the server killed between signal and Advice: nothing is lost", async () => {
  const id = await world.submit(stuckOnce());
  await world.until("the signal to be recorded", async () =>
    (await world.attempt(id, 0))?.signals?.some((s) => s.evidence?.line?.includes(eccLine)),
  );
  expect(await world.advice(id)).toBeUndefined(); // The grace of five seconds runs.
  for (const pid of world.pidsOf("server")) process.kill(pid, "SIGKILL");
  await completed(id);
  await converged(id);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1 });
});

test("the server killed between Advice and report: nothing is lost", async () => {
  const id = await world.submit(stuckOnce());
  await world.until("the Advice", async () => (await world.advice(id)) !== undefined);
  for (const pid of world.pidsOf("server")) process.kill(pid, "SIGKILL");
  await completed(id);
  expect(reason(await converged(id))).toBe("DESIRED_STATE_OBSERVED");
  expect(await world.slurm(id)).toMatchObject({ restarts: 1 });
});

test("slurmctld killed right after the requeue: restarted once in Slurm's surviving history", async () => {
  const id = await world.submit(stuckOnce());
  await world.until("the requeue", async () =>
    (await world.attempt(id, 0))?.steps?.some((s) => s.action === "requeue-hold" && s.outcome === "done"),
  );
  await world.lab.controllerKill();
  await world.lab.controllerUp();
  await world.until("the job to complete", async () => (await world.slurm(id))?.state === "COMPLETED", 90_000);
  await converged(id);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1 });
});
