/**
 * Goal    what a node's own kernel says reaches the jobs that were on it, and no other: the node is avoided, on a real Slurm.
 * Method  the kernel's line is written into the log of the node on which a job runs, with the node's own time.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { acting, desired, disposition, startWorld, stateOf, type World } from "./world/world.ts";

const xid = "NVRM: Xid (PCI:0000:4e:00): 79, pid=4711, name=python3, GPU has fallen off the bus.";

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld();
  folder = join(world.lab.sharedDir, "nodes");
  mkdirSync(folder, { recursive: true });
  await world.reprise().stop();
  await world.startReprise([...acting, "--node-logs", join(folder, "%N", "messages")]);
});
afterAll(async () => await world?.stop());

/** On the first attempt this, on a node of its own: what two jobs share may be either's; later attempts succeed. */
const once = (first: string) =>
  world.submit(`if [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then ${first}; fi; echo ok`, { args: ["--exclusive"] });

/** Its kernel has something to say about the node on which the job runs, and it is heard. */
async function kernelSays(id: string, words: string): Promise<void> {
  const node = await world.until(`job ${id} to run`, async () => {
    const job = (await world.jobs(id))[0];
    return stateOf(job) === "RUNNING" && job?.nodes?.[0];
  });
  // What is said in the second of a start is nobody's: it may be about the job before.
  const seenAt = systemClock.now();
  await world.until("that second to be over", () => systemClock.now() > seenAt + limits.nodeLineStartMs);
  mkdirSync(join(folder, node), { recursive: true });
  const at = new Date(systemClock.now()).toISOString();
  appendFileSync(join(folder, node, "messages"), `${at} ${node} kernel: ${words}\n`);
  await world.until(`the kernel's line to be a signal of job ${id}`, async () =>
    (await world.attempt(id, 0))?.signals?.some((s) => s.evidence?.line?.includes(words)),
  );
}

async function recovered(id: string) {
  await world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED");
  return world.until(`the Advice of job ${id} to converge`, async () => {
    const found = await world.advice(id);
    return disposition(found) === "CONVERGED" && found;
  });
}

async function expectWithout(id: string) {
  const advice = await recovered(id);
  const [first, second] = await world.jobs(id);
  expect([desired(advice), advice.because]).toEqual(["RESTARTED", "hardware-node"]);
  expect(advice.nodeConstraints?.exclusions).toEqual(first?.nodes);
  expect(second?.nodes).not.toEqual(first?.nodes);
  expect(await world.slurm(id)).toMatchObject({ restarts: 1, excluded: first?.nodes?.[0] });
  const signals = (await world.attempt(id, 0))?.signals ?? [];
  expect(signals.find((s) => s.evidence?.line?.includes(xid))?.evidence).toMatchObject({
    source: "node-log",
    path: join(folder, first?.nodes?.[0] ?? "", "messages"),
  });
}

test("a job that stands still on a node whose kernel has lost its GPU is restarted without it, and its neighbours are left alone", async () => {
  const neighbour = await once("exec sleep 600");
  const id = await once("exec sleep 600");
  await kernelSays(id, xid);
  await expectWithout(id);
  expect(await world.slurm(neighbour)).toMatchObject({ state: "RUNNING", restarts: 0 });
  expect((await world.attempt(neighbour, 0))?.signals ?? []).toEqual([]);
  await world.lab.run("scancel", [neighbour]);
});

test("the kernel's line explains an end of which the program knew only that a launch had failed", async () => {
  const go = join(folder, "go");
  const id = await once(
    `until [ -e ${go} ]; do sleep 0.1; done; echo 'RuntimeError: CUDA error: unspecified launch failure' >&2; exit 1`,
  );
  await kernelSays(id, xid);
  writeFileSync(go, "");
  await expectWithout(id);
});
