/**
 * Goal    a launcher that starts the workers again is left alone, until it comes back to the same end too often.
 * Method  running attempts with the signals of several cycles.
 */
import { expect, test } from "vitest";
import type { Signal } from "../nouns.ts";
import { fold } from "../situation/situation.ts";
import { decide } from "./decide.ts";
import { crash, healthy, policy, t0 } from "./decide.example.ts";

const cycleMs = 90_000;
const error = (cycle: number, change: Partial<Signal> = {}) =>
  crash({
    at: t0 + cycle * cycleMs,
    cause: "python-exception",
    causeClass: "workload-deterministic",
    domain: "workload",
    exitIndependent: false,
    ...change,
  });
const again = (cycle: number) => crash({ at: t0 + cycle * cycleMs + 4_000, cause: "in-job-restart", root: false });

function decided(signals: readonly Signal[], afterMs: number): string {
  const now = Math.max(...signals.map((s) => s.at)) + afterMs;
  const progress = { ...healthy.progress, stepSpacingMs: 1_000, logReadAt: now };
  const facts = { ...healthy, progress, signals, pass: { takenAt: now, completeHeardAt: now } };
  const decision = decide(fold(facts, now), { kind: "covered", policy, warnings: [] }, now);
  return decision.kind === "advise" ? `${decision.desired}: ${decision.because}` : decision.because;
}

test("an error that nobody handles is acted on after a silence", () => {
  expect(decided([error(0)], 31_000)).toBe("RESTARTED: workload-deterministic");
});
test("while a launcher starts the workers again, nothing is done", () => {
  expect(decided([error(0), again(0)], 60_000)).toBe("healthy");
});
test("a broken GPU is still broken when the workers come back", () => {
  const ecc = crash({ at: t0 });
  expect(decided([ecc, again(0)], 6_000)).toBe("RESTARTED: hardware-node");
});
test("the same end after each of more than three starts ends the job", () => {
  const cycles = [0, 1, 2, 3].flatMap((cycle) => [error(cycle), again(cycle)]);
  expect(decided(cycles, 6_000)).toBe("TERMINATED: restart_once");
});
test("many ranks that fail together are one end", () => {
  const ranks = [0, 1, 2, 3, 4].map((rank) => error(0, { at: t0 + rank * 100, rank }));
  expect(decided([...ranks, again(0)], 30_000)).toBe("healthy");
});
