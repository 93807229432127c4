/**
 * Goal    also in worlds that lie, people are told by webhook once, of all that needs them and of nothing that is well.
 * Method  the first small worlds, each with somebody to be told, whose calls fail as the rest does; all checkers judge.
 */
import { expect, test } from "vitest";
import type { Notice } from "@reprise/server/manager/notice/notice.ts";
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";
import type { WorldSpec } from "./spec.ts";
import type { World } from "./world.ts";

const telling = (spec: WorldSpec): WorldSpec => ({ ...spec, reprise: { ...spec.reprise, tells: true } });

test("in small worlds 1 to 12 who is to be told is told, once, of what is so", { timeout: 120_000 }, async () => {
  const wrong: string[] = [];
  const told: Notice[] = [];
  const listen = (world: World) => world.observers.push({ told: (notice) => void told.push(notice) });
  for (let seed = 1n; seed <= 12n; seed++) {
    const result = await simulate(seed, "small", telling, listen);
    if (result.world.violation !== undefined) wrong.push(report(seed, "small", result));
  }
  expect(wrong).toEqual([]);
  expect(new Set(told.map(({ kind }) => kind))).toContain("recovery-stopped");
});
