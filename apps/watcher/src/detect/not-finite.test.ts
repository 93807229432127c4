/**
 * Goal    numbers that stay broken are told with where they began; what heals, or is meant to overflow, is not.
 * Method  rows of step lines in the words of real programs.
 */
import { describe, expect, test } from "vitest";
import { lostAfterSteps, NotFinite } from "./not-finite.ts";

function told(lines: readonly string[]): readonly [steps: number, from: string][] {
  const numbers = new NotFinite();
  return lines.flatMap((text, n) => {
    const line = { path: "/l", inode: "", offset: n, bytes: new Uint8Array(), from: 0, to: 0, isReplay: false };
    const row = numbers.stepped(line, text);
    return row === undefined ? [] : [[row.steps, row.text] as [number, string]];
  });
}

const times = (n: number, line: (n: number) => string) => Array.from({ length: n }, (_, i) => line(i + 1));

describe("told", () => {
  // biome-ignore format: a table is read by its columns
  const rows: [row: string, line: (n: number) => string][] = [
    ["a norm without a loss", (n) => `iteration ${n}/ 8000 | loss scale: 1.0 | grad norm: nan | number of nan iterations: 0 |`],
    ["a loss",                (n) => `step ${n} loss nan`],
    ["an infinite loss",      (n) => `step: ${n} loss: -inf`],
    ["in an object",          (n) => `{"step": ${n}, "train/loss": NaN}`],
    ["of the Trainer",        (n) => `{'loss': nan, 'grad_norm': nan, 'epoch': 0.${n}}`],
    ["of fairseq",            (n) => `{"num_updates": "${n}", "loss": "nan", "gnorm": "nan"}`],
  ];
  test.each(rows)("%s", (_row, line) => {
    expect(told(times(lostAfterSteps, line))).toEqual([
      [3, line(1)],
      [lostAfterSteps, line(1)],
    ]);
  });
});

describe("not told", () => {
  test("when it heals", () => {
    expect(
      told(["step 1 loss nan", "step 2 loss nan", "step 3 loss 2.1", "step 4 loss nan", "step 5 loss 2.1"]),
    ).toEqual([]);
  });
  test("when loss scaling skips the step", () => {
    expect(told(times(20, (n) => `iteration ${n}/ 9 | grad norm: inf | number of skipped iterations:   1 |`))).toEqual(
      [],
    );
  });
  test("for words that only begin so", () => {
    expect(told(times(20, (n) => `step ${n} loss: information nancy`))).toEqual([]);
  });
});
