/**
 * Goal    jobs that wait for others on a real Slurm: each begins when those before it have really ended well, and not before; and a
 *         training that is given up ends those who wait for its success.
 * Method  jobs submitted held; each writes its name into one file when it begins and when it ends. Slurm's own words are the judge.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desired, disposition, optIn, reason, startWorld, type World } from "./world/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => await world?.stop());

const after = (jobId: string, trigger = "on_success") => ({ job_id: jobId, trigger });

/** Tells in `story` when it begins and, unless `body` ended it, when it is through. */
function tells(name: string, story: string, body = "") {
  const file = join(world.lab.sharedDir, story);
  return `echo "${name} \${SLURM_RESTART_COUNT:-0} begins" >> ${file}; ${body}\necho "${name} ends" >> ${file}`;
}
const told = (story: string) => readFileSync(join(world.lab.sharedDir, story), "utf8").trimEnd().split("\n");

const waiting = (name: string, story: string, dag: readonly object[], more: object = {}, body = "") =>
  world.submit(tells(name, story, body), {
    comment: optIn({ workflow_id: "night", dag_dependencies: dag, ...more }),
    args: ["--hold", `--job-name=${name}`],
  });

const endsAs = (id: string, state: string) =>
  world.until(`job ${id} to be ${state}`, async () => (await world.slurm(id))?.state === state, 180_000);
const over = (id: string) =>
  world.until(`the Advice of job ${id} to be over`, async () => {
    const found = await world.advice(id);
    return found !== undefined && disposition(found) !== "PENDING" && found;
  });
const sentence = async (id: string) => (await world.attempt(id, 0))?.decision?.sentence ?? "";

test("prepare, train, evaluate, report: training fails once and comes back, and evaluation waits until it has completed", async () => {
  const evaluate = await waiting("evaluate", "night", [{ job_name: "train" }]);
  const report = await waiting("report", "night", [after(evaluate), { job_name: "prepare", trigger: "on_completion" }]);
  await world.until("the missing parent to be named", async () =>
    (await sentence(evaluate)).includes('nobody has seen the job named "train" in workflow "night"'),
  );
  const prepare = await world.submit(tells("prepare", "night", "sleep 3"), {
    comment: optIn({ workflow_id: "night" }),
    args: ["--job-name=prepare"],
  });
  const fails = `if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then sleep 2; exit 7; fi; sleep 8`;
  const train = await waiting("train", "night", [after(prepare)], {}, fails);
  await world.until("evaluation to wait for training", async () =>
    (await sentence(evaluate)).includes(`Held until job ${train} (train) has completed`),
  );
  await endsAs(report, "COMPLETED");
  expect(told("night")).toEqual([
    "prepare 0 begins",
    "prepare ends",
    "train 0 begins",
    "train 1 begins",
    "train ends",
    "evaluate 0 begins",
    "evaluate ends",
    "report 0 begins",
    "report ends",
  ]);
  for (const id of [evaluate, report]) {
    const advice = await over(id);
    expect([desired(advice), reason(advice)]).toEqual(["RELEASED", "DESIRED_STATE_OBSERVED"]);
    expect(await world.slurm(id)).toMatchObject({ restarts: 0 });
  }
  expect(await world.slurm(train)).toMatchObject({ state: "COMPLETED", restarts: 1 });
});

test("a training that is given up cancels who waits for its success, and theirs; who waits for its failure begins", async () => {
  const train = await world.submit("sleep 4; exit 7", { comment: optIn({ max_requeue_times: 0 }) });
  const evaluate = await waiting("evaluate", "given-up", [after(train)]);
  const report = await waiting("report", "given-up", [after(evaluate), after(train, "on_start")]);
  const kept = await waiting("kept", "given-up", [after(train)], { dag_action: "keep_held" });
  const mourn = await waiting("mourn", "given-up", [after(train, "on_failure")]);
  await endsAs(mourn, "COMPLETED");
  await endsAs(report, "CANCELLED");
  await endsAs(evaluate, "CANCELLED");
  expect(told("given-up")).toEqual(["mourn 0 begins", "mourn ends"]);
  for (const id of [evaluate, report]) expect(desired(await over(id))).toBe("TERMINATED");
  expect(await world.slurm(kept)).toMatchObject({ state: "PENDING", held: true });
  expect(await sentence(kept)).toContain("kept so (dag_action keep_held)");
  await world.lab.run("scancel", [kept]);
});

test("jobs that wait for each other stay held, and say the way round", async () => {
  const first = await waiting("chicken", "never", [{ job_name: "egg" }]);
  const second = await waiting("egg", "never", [after(first)]);
  await world.until("the cycle to be named", async () =>
    (await sentence(first)).includes(`${first} (chicken) → ${second} (egg) → ${first} (chicken)`),
  );
  expect(await world.slurm(first)).toMatchObject({ state: "PENDING", held: true });
  expect(await world.advice(first)).toBeUndefined();
  await world.lab.run("scancel", [first, second]);
});
