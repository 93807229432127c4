/**
 * Goal    only a step number that grew is progress, and the time between steps is that of the program.
 * Method  tables of step lines.
 */
import { describe, expect, test } from "vitest";
import { Steps, type StepLine } from "./steps.ts";

const step = (n: number, more: Record<string, string> = {}): StepLine => ({
  counts: "run",
  captures: { step: String(n), ...more },
});
const bar = (n: number, total: number): StepLine => ({
  counts: "bar",
  captures: { step: String(n), total: String(total) },
});
const fraction = (epochs: string): StepLine => ({ counts: "fraction", captures: { epoch: epochs } });
const epoch = (e: number, n: number): StepLine => ({
  counts: "epoch",
  captures: { epoch: String(e), step: String(n), total: "100" },
});

describe("progress", () => {
  // biome-ignore format: a table is read by its columns
  const logs: [log: string, lines: StepLine[], grew: boolean[]][] = [
    ["each higher number",                [step(1), step(2), step(5)],               [true, true, true]],
    ["not the same from another rank",    [step(1), step(1), step(2), step(2)],      [true, false, true, false]],
    ["not a lower number",                [step(5), step(4)],                        [true, false]],
    ["not the bar of an evaluation",      [bar(5, 1000), bar(6, 40), bar(6, 1000)],  [true, false, true]],
    ["not a rougher number beside a better one", [fraction("0.10"), bar(5, 1000), fraction("0.20"), bar(6, 1000)], [true, true, false, true]],
    ["of epochs, where nothing better is printed", [fraction("0.01"), fraction("0.02"), fraction("0.02")], [true, true, false]],
    ["written with commas",               [step(1), { counts: "run", captures: { step: "1,204" } }, step(1203)], [true, true, false]],
    ["through the epochs of Lightning",   [epoch(0, 99), epoch(1, 1), epoch(1, 2)],  [true, true, true]],
  ];
  test.each(logs)("%s", (_log, lines, grew) => {
    const steps = new Steps();
    expect(lines.map((line, i) => steps.grew(line, i * 1000))).toEqual(grew);
  });

  test("a loaded checkpoint begins the count anew", () => {
    const steps = new Steps();
    steps.grew(step(500), 0);
    steps.restart();
    expect(steps.grew(step(401), 1000)).toBe(true);
  });
});

describe("the time between steps", () => {
  test("is the one that the line prints, times the steps in between", () => {
    const steps = new Steps();
    for (const n of [100, 200, 300]) steps.grew(step(n, { elapsedMs: "5300" }), 0);
    expect(steps.spacingMs).toBe(530_000);
  });
  test("is the one between two bursts, where output is buffered: silence is usual in between", () => {
    const steps = new Steps();
    for (let n = 1; n <= 40; n++) steps.grew(step(n, { elapsedMs: "5000" }), Math.floor(n / 10) * 50_000 + (n % 10));
    expect(steps.spacingMs).toBe(50_000);
  });
  test("is measured where the line prints none", () => {
    const steps = new Steps();
    for (const [n, at] of [
      [1, 0],
      [2, 4_000],
      [3, 8_000],
      [4, 60_000],
    ] as const)
      steps.grew(step(n), at);
    expect(steps.spacingMs).toBe(52_000); // A save that takes longer than a step: as long may the next one take.
    for (let n = 5; n < 21; n++) steps.grew(step(n), 60_000 + (n - 4) * 4_000);
    expect(steps.spacingMs).toBe(4_000);
  });
  test("is the one before a burst, also where its lines were read one by one", () => {
    const steps = new Steps();
    for (let n = 0; n < 24; n++) steps.grew(step(n), Math.floor(n / 8) * 60_000 + (n % 8) * 300);
    expect(steps.spacingMs).toBe(60_000 - 7 * 300);
  });
  test("is not known from lines that were read together", () => {
    const steps = new Steps();
    for (const n of [1, 2, 3]) steps.grew(step(n), 0);
    expect(steps.spacingMs).toBeUndefined();
  });
});
