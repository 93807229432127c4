/**
 * Goal    who lets recovery act is told for which jobs it would act at once: those whose Advice is open, and that SAC's gate lets through.
 * Method  the store in memory, with Advice about jobs in several partitions.
 */
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import {
  cluster,
  converged,
  decided,
  failed,
  hour,
  noon,
  pass,
  report,
  restart,
  status,
} from "../store/testing/world.ts";
import { openThere } from "./open-there.ts";

const sac = {
  allowed: { mode: "act", partitions: ["gpu", "long"] },
  ordersGeneration: 0,
  openHolds: 0,
  brakes: [],
} as const;
const said = { reason: "x", by: "op", at: noon };
const act = (...partitions: string[]) => ({ generation: 1, mode: { ...said, mode: "act", partitions } as const });

async function world() {
  const store = createMemoryStore();
  await store.reportPass(pass(noon, { mode: "observe", sac }), noon);
  const advised = async (jobId: string, partition: string) => {
    const attempt = await store.upsertJob(
      report(jobId, 0, { ...failed, schedulerMetadata: { slurm: { partition } } }),
      noon,
    );
    await decided(store, attempt, restart());
    return attempt;
  };
  return { store, advised };
}

test("jobs of the partitions in which SAC acts are named, and a job that may start elsewhere is not", async () => {
  const { store, advised } = await world();
  for (const [jobId, partition] of [
    ["1", "gpu"],
    ["2", "long"],
    ["3", "gpu,cpu"],
    ["4", "gpu"],
  ] as const)
    await advised(jobId, partition);
  expect(await openThere(store, cluster, act("gpu"), noon)).toBe(" Open there now: 2 jobs (1, 4).");
  expect(await openThere(store, cluster, act("long"), noon)).toBe(" Open there now: 1 job (2).");
  expect(await openThere(store, cluster, { generation: 0 }, noon)).toBe(" Open there now: 3 jobs (1, 2, 4).");
});

test("what was done, or has expired, is not open", async () => {
  const { store, advised } = await world();
  const { heimdallJobId } = await advised("1", "gpu");
  expect(await openThere(store, cluster, act("gpu"), noon + 25 * hour)).toBe(" None is open there now.");
  await store.observeStatus(heimdallJobId, status(1, converged), noon);
  expect(await openThere(store, cluster, act("gpu"), noon)).toBe(" None is open there now.");
});

test("of many jobs some are named and all are counted; where SAC only observes nothing is said", async () => {
  const { store, advised } = await world();
  for (let i = 1; i <= 11; i++) await advised(String(i), "gpu");
  expect(await openThere(store, cluster, act("gpu"), noon)).toMatch(
    /^ Open there now: 11 jobs \((\d+, ){7}\d+ and 3 more\)\.$/,
  );
  const observe = { generation: 2, mode: { ...said, mode: "observe", partitions: [] } } as const;
  expect(await openThere(store, cluster, observe, noon)).toBe("");
  expect(await openThere(createMemoryStore(), cluster, act("gpu"), noon)).toBe("");
});
