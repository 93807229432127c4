/**
 * Goal    an operator goes from one partition to two, back to observe while a job is held, stops and goes on, on a real Slurm and without
 *         starting any part again; nobody stays held, and nothing is begun against an order.
 * Method  the commands themselves beside an acting Reprise; Slurm and SAC's journal are the judges. Releases are refused where a hold has to
 *         last (`world/gated-scontrol.ts`).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { openBeside } from "@reprise/sac/beside.ts";
import type { WireModeAnswer } from "@reprise/cli/wire-mode.ts";
import { environment } from "@reprise/runtime/environment.ts";
import {
  allowReleases,
  gatedScontrol,
  keepRequeuesWaiting,
  letRequeuesGo,
  refuseReleases,
} from "./world/gated-scontrol.ts";
import { readJournal, stepsIn } from "./world/journal.ts";
import { failsOnce, reason, startWorld, stuckOnce, type World } from "./world/world.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));

let world: World;
let parts: readonly number[];
beforeAll(async () => {
  const lab = { partitions: [{ name: "gpu" }, { name: "long" }] };
  world = await startWorld({ lab, flags: ["--act", "--partitions", "gpu,long"], path: gatedScontrol });
  await world.until("SAC to report", async () => (await reprise("mode")).answer.mode?.sac !== undefined);
  parts = pids();
});
afterAll(async () => await world?.stop());

const pids = () => [...world.pidsOf("server"), ...world.pidsOf("sac"), ...world.pidsOf("watchdog")];

async function reprise(...args: readonly string[]): Promise<{ code: number; answer: WireModeAnswer }> {
  const { ready } = world.reprise();
  const flags = ["--url", ready.http, "--token-file", ready.tokenFile, "--json"];
  const child = spawn(process.execPath, [program, ...args, ...flags], { env: environment(), stdio: "pipe" });
  let [out, told] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (told += part.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect(out, told).not.toBe("");
  return { code, answer: JSON.parse(out) as WireModeAnswer };
}

const stateDir = () => join(world.dataDir, "sac");
const requeues = (id: string) => stepsIn(readJournal(stateDir()), id, "requeue-hold").length;
const onlyObserved = (id: string) =>
  world.until(`the Advice of job ${id} to be only observed`, async () => {
    const advice = await world.advice(id);
    return reason(advice) === "OBSERVE_MODE" && advice;
  });
const completed = (id: string) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", 90_000);
const longer = ["--partition=long"];

test("one partition, then two: what waited in the second one is carried out when it is added", async () => {
  const { code, answer } = await reprise("mode", "act", "--partitions", "gpu", "--reason", "the canary has passed");
  expect([code, answer.mode?.orders?.generation, answer.mode?.sac?.ordersGeneration]).toEqual([0, "1", "1"]);
  const [first, second] = [await world.submit(failsOnce()), await world.submit(failsOnce(), { args: longer })];
  const advice = await onlyObserved(second);
  expect(advice.reconciliationStatus?.message).toContain("partition long is not on the allowlist (gpu)");
  await completed(first);
  expect(requeues(second)).toBe(0);
  await reprise("mode", "act", "--partitions", "gpu,long", "--reason", "more partitions");
  await completed(second);
  expect([requeues(first), requeues(second)]).toEqual([1, 1]);
});

test("back to observe while a job is held: it is let go without its bad node; what fails then is only observed, and restarted when SAC acts again", async () => {
  refuseReleases(world.lab);
  const held = await world.submit(stuckOnce());
  await world.until(`job ${held} to be held by us`, async () => {
    const job = await world.slurm(held);
    return job?.state === "PENDING" && job.held && job.excluded !== "";
  });
  const { code, answer } = await reprise("mode", "observe", "--reason", "maintenance");
  expect([code, answer.effect]).toEqual([0, expect.stringContaining("What recovery holds (1) is let go")]);
  const next = await world.submit(failsOnce());
  const advice = await onlyObserved(next);
  expect(advice.reconciliationStatus?.message).toContain(": maintenance; would have been done");
  expect(await world.slurm(held)).toMatchObject({ state: "PENDING", held: true });

  allowReleases(world.lab);
  await completed(held);
  const [source, successor] = await world.jobs(held);
  expect(successor?.nodes).not.toEqual(source?.nodes);
  await world.until("nothing of ours to be held", async () => !(await reprise("mode")).answer.mode?.sac?.openHolds);
  expect([requeues(held), requeues(next)]).toEqual([1, 0]);

  await reprise("mode", "act", "--partitions", "gpu", "--reason", "the maintenance is over");
  await completed(next);
  expect(requeues(next)).toBe(1);
});

test("stop: what fails waits, and the alarm says so; go: it is restarted", async () => {
  expect((await reprise("stop", "--reason", "too many at once")).code).toBe(0);
  const id = await world.submit(failsOnce());
  const advice = await onlyObserved(id);
  expect(advice.reconciliationStatus?.message).toContain(": too many at once; would have been done");
  const brakes = await world.until("the alarm", async () => {
    const { brakes = [] } = (await reprise("mode")).answer.mode?.sac ?? {};
    return brakes.some(({ heldBack }) => heldBack === 1) && brakes;
  });
  expect(brakes).toMatchObject([{ kind: "stop-order", heldBack: 1 }]);
  expect(requeues(id)).toBe(0);
  expect((await reprise("go", "--reason", "it was one switch")).code).toBe(0);
  await completed(id);
  expect(requeues(id)).toBe(1);
});

test("stop, while a wave of restarts is on its way: no more of it is sent, and what was sent is let go", async () => {
  const killSwitch = join(stateDir(), "kill-switch");
  writeFileSync(killSwitch, "");
  const ids = await Promise.all(Array.from({ length: 12 }, () => world.submit(failsOnce())));
  for (const id of ids) await onlyObserved(id);
  keepRequeuesWaiting(world.lab);
  rmSync(killSwitch);
  const steps = () => ids.flatMap((id) => stepsIn(readJournal(stateDir()), id, "requeue-hold"));
  await world.until("all of the wave to be begun", () => steps().length === ids.length);

  const ordered = reprise("stop", "--reason", "a wave");
  await world.until("SAC to have the stop", () => openBeside(stateDir()).orders()?.stop?.reason === "a wave");
  expect(steps().filter(({ end }) => end !== undefined)).toEqual([]); // While it waits for its commands.
  letRequeuesGo(world.lab);
  await ordered;
  await world.until("all of the wave to be known", () => steps().every(({ end }) => end !== undefined));
  const sent = ids.filter((id) => stepsIn(readJournal(stateDir()), id, "requeue-hold")[0]?.end?.outcome !== "moved");
  expect(sent.length).toBeLessThanOrEqual(limits.commandsAtOnceMax);
  for (const id of sent) await completed(id);
  for (const id of ids.filter((one) => !sent.includes(one)))
    expect(await world.slurm(id), `job ${id}`).toMatchObject({ state: "FAILED", restarts: 0 });

  await reprise("go", "--reason", "it was a switch");
  for (const id of ids) {
    await completed(id);
    expect(await world.slurm(id), `job ${id}`).toMatchObject({ restarts: 1 });
  }
});

test("no part was started again", () => {
  expect(pids()).toEqual(parts);
});
