/**
 * Goal    the kinds of jobs that are more than one row, on a real Slurm: those that wait by Slurm's own dependency, chains of singletons,
 *         heterogeneous jobs, arrays and whole arrays as parents.
 * Method  a world that observes first, where Slurm has to come before us; Slurm's own words are the judge.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  acting,
  desired,
  disposition,
  eccLine,
  failsOnce,
  optIn,
  reason,
  startWorld,
  type World,
} from "./world/world.ts";

const chain = { comment: { recovery: { auto_resume_mode: "singleton_dependency" } } };
/** One job of a chain. Only the first one is not held. */
const inChain = (name: string, script: string, ...args: string[]) =>
  world.submit(script, { ...chain, args: [`--job-name=${name}`, "--dependency=singleton", ...args] });

let world: World;
let early: { readonly first: string; readonly second: string; readonly third: string };
beforeAll(async () => {
  world = await startWorld({ flags: [] });
  early = {
    first: await inChain("early", "sleep 2; exit 7"),
    second: await inChain("early", "sleep 5", "--hold"),
    third: await inChain("early", "sleep 1", "--hold"),
  };
});
afterAll(async () => await world?.stop());

let isActing = false;
async function act(): Promise<void> {
  if (isActing) return;
  await world.reprise().stop();
  await world.startReprise(acting);
  isActing = true;
}

const advised = (id: string, index = 0) =>
  world.until(`job ${id} to have Advice`, () => world.advice(id, index), 60_000);
const over = (id: string, index = 0) =>
  world.until(
    `the Advice of job ${id} to be over`,
    async () => {
      const found = await world.advice(id, index);
      return found !== undefined && disposition(found) !== "PENDING" && found;
    },
    120_000,
  );
const becomes = (id: string, state: string, restarts = 0) =>
  world.until(
    `job ${id} to be ${state}`,
    async () => {
      const job = await world.slurm(id);
      return job?.state === state && job.restarts === restarts && job;
    },
    180_000,
  );
const shown = async (id: string, format: string) =>
  (await world.lab.run("squeue", ["-h", "-r", "-t", "all", "-j", id, "-o", format])).stdout.trim();

test("a job that Slurm has given up on waits again once its parent's restart is confirmed, and runs after it", async () => {
  const parent = await world.submit(`sleep 2; ${failsOnce("sleep 12")}`);
  const args = [`--dependency=afterok:${parent}`];
  const child = await world.submit("sleep 1", { args });
  const stranger = await world.submit("sleep 1", { args, comment: "" });
  await advised(parent);
  await world.until("Slurm to give up", async () => (await shown(child, "%E")) === `afterok:${parent}(failed)`, 60_000);
  const { second, third } = early;
  await world.until("Slurm to look at what is held", async () => (await shown(second, "%E")) === "(null)", 90_000);
  expect(await shown(third, "%E")).toBe("singleton(unfulfilled)");
  await act();
  const advice = await over(parent);
  expect(reason(advice)).toBe("DESIRED_STATE_OBSERVED");
  const message = advice.reconciliationStatus?.message ?? "";
  expect(message).toContain(`${child} waits again`);
  expect(message).toContain(`${stranger} is lost, and not opted in here`);
  await becomes(parent, "COMPLETED", 1);
  await becomes(child, "COMPLETED");
  expect(await shown(stranger, "%T %E")).toBe(`PENDING afterok:${parent}(failed)`);
  await world.lab.run("scancel", [stranger]);
});

test("the next one of a chain is let go, also when Slurm shows it as a singleton no more; the one behind it stays held", async () => {
  await act();
  const { first, second, third } = early;
  const advice = await over(first);
  expect([desired(advice), reason(advice)]).toEqual(["RESTARTED", "DESIRED_STATE_OBSERVED"]);
  await becomes(second, "COMPLETED");
  expect(await world.slurm(third)).toMatchObject({ state: "PENDING", held: true });
  await world.lab.run("scancel", [third]);
});

test("a stuck job of a chain is ended, and the next one runs in its stead without the bad node; nobody is requeued", async () => {
  await act();
  const first = await inChain("chain", `echo '${eccLine}' >&2; exec sleep 600`);
  const second = await inChain("chain", "sleep 20; exit 7", "--hold");
  const third = await inChain("chain", "sleep 2", "--hold");
  const node = (await becomes(first, "RUNNING")).nodes;
  const advice = await over(first);
  expect([desired(advice), reason(advice)]).toEqual(["RESTARTED", "DESIRED_STATE_OBSERVED"]);
  expect(await world.slurm(first)).toMatchObject({ state: "CANCELLED", restarts: 0 });
  expect(await shown(second, "%x")).toBe(node);
  expect(await world.slurm(third)).toMatchObject({ state: "PENDING", held: true });
  await becomes(second, "FAILED");
  expect(await becomes(third, "COMPLETED")).toMatchObject({ restarts: 0 });
  expect(await shown(third, "%x")).toBe(node);
});

test("a heterogeneous job is requeued by its leader, and all its components keep away from the bad node", async () => {
  await act();
  const body = `if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then echo '${eccLine}' >&2; exec sleep 600; fi; sleep 5`;
  const size = "#SBATCH --nodes=1 --gres=gpu:1";
  const head = [`#SBATCH --comment='${JSON.stringify(optIn())}'`, "#SBATCH --requeue", size];
  const leader = await world.lab.sbatch(["#!/bin/sh", ...head, "#SBATCH hetjob", size, body, ""].join("\n"), []);
  const component = String(Number(leader) + 1);
  const [node] = await world.until("it runs", async () => {
    const states = (await shown(leader, "%T %N")).split("\n");
    return states.length === 2 && states.every((s) => s.startsWith("RUNNING ")) && states.map((s) => s.split(" ")[1]);
  });
  const advice = await over(leader);
  expect(reason(advice)).toBe("DESIRED_STATE_OBSERVED");
  await becomes(leader, "COMPLETED", 1);
  expect((await shown(leader, "%A %T %x")).split("\n").toSorted()).toEqual(
    [leader, component].map((id) => `${id} COMPLETED ${node}`),
  );
  expect(await world.jobs(component)).toEqual([]);
});

test("one task of an array is restarted by its own name, and who waits for the whole array waits for that", async () => {
  await act();
  const fails = `sleep 2; [ "$SLURM_ARRAY_TASK_ID" != 1 ] || [ -n "$SLURM_RESTART_COUNT" ] || exit 7; sleep 3`;
  const array = await world.submit(fails, { args: ["--array=0-2", "--job-name=sweep"] });
  const collect = await world.submit("sleep 1", {
    comment: optIn({ dag_dependencies: [{ job_id: array }] }),
    args: ["--hold"],
  });
  expect(reason(await over(`${array}_1`))).toBe("DESIRED_STATE_OBSERVED");
  await becomes(collect, "COMPLETED");
  expect(desired(await over(collect))).toBe("RELEASED");
  const tasks = (
    await world.lab.run("squeue", ["-h", "-r", "-t", "all", "-j", array, "-O", "ArrayTaskID: ,State: ,restartcnt:"])
  ).stdout;
  expect(
    tasks
      .trim()
      .split("\n")
      .map((line) => line.trim())
      .toSorted(),
  ).toEqual(["0 COMPLETED 0", "1 COMPLETED 1", "2 COMPLETED 0"]);
});
