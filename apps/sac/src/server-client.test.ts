/**
 * Goal    what SAC says of its steps arrives as it is: above all a step that was begun and has no end.
 * Method  the real mapping, over services that only keep what they are asked.
 */
import { expect, test } from "vitest";
import { createJournal, type Begun } from "./journal.ts";
import type { PassReport } from "./server.ts";
import { type SacRpc, serverOver } from "./server-client.ts";
import { memoryDisk } from "./testing/memory.ts";

const work = { heimdallJobId: "a", jobId: "7", attemptIndex: 0, generation: 1 } as Begun["work"];

async function outcomesOf(steps: PassReport["steps"]): Promise<readonly (string | undefined)[]> {
  let outcomes: readonly (string | undefined)[] = [];
  const observation = {
    reportPass: (request: { steps?: { outcome?: string }[] }) => {
      outcomes = (request.steps ?? []).map((s) => s.outcome);
      return Promise.resolve({ confirmedStepKeys: [] });
    },
  };
  const report: PassReport = {
    cluster: "c",
    leaseTerm: 1,
    takenAt: 0,
    complete: true,
    changed: [],
    seen: [],
    nodes: [],
    steps,
    mode: "act",
    partitions: [],
    sac: { allowed: { mode: "act", partitions: [] }, ordersGeneration: 0, openHolds: 0, brakes: [] },
  };
  await serverOver({ observation } as unknown as SacRpc).reportPass(report);
  return outcomes;
}

test("a step that was begun and has no end is reported without an outcome: it may have happened", async () => {
  let keys = 0;
  const journal = createJournal(memoryDisk([]), () => `k${keys++}`);
  journal.begin({ action: "requeue-hold", work }, 0);
  journal.end(journal.begin({ action: "release", work }, 0), "done", "", 1);
  expect(await outcomesOf(journal.all())).toEqual(["", "done"]);
});

test("what the gate refused is reported as refused", async () => {
  expect(await outcomesOf([{ key: "g", action: "refused-by-gate", work, begunAt: 0, detail: "no" }])).toEqual([
    "refused",
  ]);
});
