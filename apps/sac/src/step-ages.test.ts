/** Goal  what was done is as old as the time that has passed since, however the host's clock was set. */
import { expect, test } from "vitest";
import { momentOf } from "@reprise/runtime/clock.ts";
import type { StepWithKey } from "./journal.ts";
import { createStepAges } from "./step-ages.ts";

const noon = 1_800_000_000_000;
const minute = 60_000;
const requeue = { key: "a", action: "requeue-hold", generation: 1, begunAt: noon - 2_000, endedAt: noon - 1_000 };

test.each([5 * minute, -5 * minute, 0])(
  "the clock is set by %d ms between a step and a look, and again after it",
  (byMs) => {
    let [now, after] = [noon, 0];
    const clock = { now: () => now, elapsed: () => after };
    const seen = createStepAges(clock);
    const steps = [requeue as StepWithKey];
    expect(seen(steps, momentOf(clock))).toEqual(steps);

    [now, after] = [now + 7_000 + byMs, after + 7_000];
    const look = momentOf(clock);
    [now, after] = [now + 500 - byMs, after + 500];
    expect(seen(steps, look)).toEqual([{ ...requeue, begunAt: look.at - 9_000, endedAt: look.at - 8_000 }]);
  },
);
