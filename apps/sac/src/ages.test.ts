/** Goal  nobody is living, and nothing is new, because a clock was set. */
import { expect, test } from "vitest";
import { createAges } from "./ages.ts";

const noon = 1_800_000_000_000;
const minute = 60_000;

/** A host's clock, which is set by `set`, and the one that nobody can set. */
function host() {
  let [now, after] = [noon, 0];
  const clock = { now: () => now, elapsed: () => after };
  return {
    clock,
    pass: (ms: number) => void ([now, after] = [now + ms, after + ms]),
    set: (byMs: number) => void (now += byMs),
  };
}

test("what was there before anybody looked is as old as the clock says; from then on nobody can set its age", () => {
  const { clock, pass, set } = host();
  const ageOf = createAges(clock);
  expect(ageOf("sac", noon - 20_000)).toBe(20_000);
  pass(5_000);
  set(-5 * minute);
  expect(ageOf("sac", noon - 20_000)).toBe(25_000);
  set(10 * minute);
  pass(5_000);
  expect(ageOf("sac", noon - 20_000)).toBe(30_000);
});

test("a time in the future is new, and grows old", () => {
  const { clock, pass } = host();
  const ageOf = createAges(clock);
  expect(ageOf("sac", noon + 5 * minute)).toBe(0);
  pass(31_000);
  expect(ageOf("sac", noon + 5 * minute)).toBe(31_000);
});

test("what has changed was written since it was last asked about, whatever the clock says", () => {
  const { clock, pass, set } = host();
  const ageOf = createAges(clock);
  ageOf("sac", noon);
  pass(2_000);
  set(5 * minute);
  expect(ageOf("sac", noon + 1_500)).toBe(2_000);
  pass(60_000);
  expect(ageOf("sac", clock.now() - 500)).toBe(500);
  expect(ageOf("another", clock.now() - 500)).toBe(500);
});
