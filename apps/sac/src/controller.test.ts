/**
 * Goal    the cap on restarts holds for a minute of time, whatever is done to the clock of SAC's host.
 * Method  a journal with requeues; the two clocks of the host are moved.
 */
import { expect, test } from "vitest";
import { restartTimes } from "./controller.ts";

const noon = Date.UTC(2030, 0, 1, 12);
const config = { restartsPerMinuteMax: 3 };

test.each([
  ["back", -300_000],
  ["forward", 300_000],
])("a clock that is set %s makes no restart younger or older", (_how, byMs) => {
  let [wall, elapsed] = [noon, 0];
  const clock = { now: () => wall, elapsed: () => elapsed };
  const begun = [{ key: "before", begunAt: noon - 20_000 }];
  const journal = { lastRequeues: (max: number) => begun.slice(-max) };
  const times = restartTimes({ journal, config }, clock);
  const ages = () => times().map((at) => wall - at);
  expect(ages()).toEqual([20_000]);

  begun.push({ key: "own", begunAt: wall });
  expect(ages()).toEqual([20_000, 0]);
  wall += byMs;
  expect(ages()).toEqual([20_000, 0]);
  [wall, elapsed] = [wall + 50_000, elapsed + 50_000];
  expect(ages()).toEqual([70_000, 50_000]);
});
