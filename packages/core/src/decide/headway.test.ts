/**
 * Goal    what counts as progress between two failures, and what going back is worth.
 * Method  rows of attempts, each with the step it resumed from, the one it saved and the last one it took.
 */
import { describe, expect, test } from "vitest";
import type { EarlierFacts } from "../situation/situation.ts";
import { attempt } from "./decide.example.ts";
import { madeProgress, wentBack } from "./headway.ts";

type Steps = readonly [resumed: number | undefined, saved: number | undefined, last: number | undefined];

const progressOf = ([resumedFromStep, checkpointStep, lastStep]: Steps) => ({
  ...(resumedFromStep === undefined ? {} : { resumedFromStep }),
  ...(checkpointStep === undefined ? {} : { checkpointStep }),
  ...(lastStep === undefined ? {} : { lastStep }),
});
const run = (...all: readonly Steps[]) => ({
  progress: progressOf(all.at(-1) ?? [undefined, undefined, undefined]),
  earlier: all.slice(0, -1).map((steps): EarlierFacts => ({ attempt, progress: progressOf(steps), signals: [] })),
});
const no = undefined;

// biome-ignore format: a table
test.each<[what: string, made: boolean, attempts: readonly Steps[]]>([
  ["the first step of all", true, [[no, no, 1]]],
  ["no step at all", false, [[no, no, no]]],
  ["a step beyond the earlier ones", true, [[no, 10, 12], [10, no, 13]]],
  ["the same step again", false, [[no, 10, 12], [10, no, 12]]],
  ["a checkpoint beyond every step", true, [[no, 10, 12], [10, 20, 12]]],
  ["an older checkpoint was loaded, and steps came after it: told, and it counts", true, [[no, 900, 940], [500, no, 700]]],
  ["an older one was loaded, and no step came", false, [[no, 900, 940], [500, no, no]]],
  ["an older one twice in a row", false, [[no, 900, 940], [500, no, 700], [500, no, 720]]],
  ["back, and then beyond everything", true, [[no, 900, 940], [500, no, 700], [500, no, 950]]],
  ["nobody said from where", false, [[no, 900, 940], [no, no, 700]]],
])("%s: %s", (_what, made, attempts) => expect(madeProgress(run(...attempts))).toBe(made));

describe("going back", () => {
  test("is told with both steps", () => {
    expect(wentBack(run([no, 900, 940], [500, no, 700]))).toEqual({ from: 500, saved: 900 });
  });
  test("is not to lose the steps since the last checkpoint", () => {
    expect(wentBack(run([no, 900, 940], [900, no, 910]))).toBeUndefined();
  });
});
