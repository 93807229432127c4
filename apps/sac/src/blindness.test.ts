/**
 * Goal    time in which slurmctld did not answer is counted, once, and nothing else is.
 * Method  a list of looks, and what is asked of them.
 */
import { expect, test } from "vitest";
import { createBlindness } from "./blindness.ts";

/** By a clock that was never set. */
const at = (ms: number) => ({ at: ms, after: ms });
const clockAt = (now: number, elapsed = now) => ({ now: () => now, elapsed: () => elapsed });

test("from the last look that was answered to the last one that was not", () => {
  const blindness = createBlindness(clockAt(0));
  blindness.looked("answered", at(100));
  expect(blindness.msSince(0)).toBe(0);
  blindness.looked("silent", at(130));
  blindness.looked("silent", at(150));
  blindness.looked("answered", at(160));
  blindness.looked("silent", at(200));
  expect(blindness.msSince(0)).toBe(50 + 40);
  expect(blindness.msSince(140)).toBe(10 + 40);
  expect(blindness.msSince(190)).toBe(10);
  expect(blindness.msSince(200)).toBe(0);
});

test("what was before the first look is not known", () => {
  const blindness = createBlindness(clockAt(0));
  blindness.looked("silent", at(100));
  expect(blindness.msSince(0)).toBe(0);
});

test.each([
  ["back", -300_000],
  ["forward", 300_000],
])("a host's clock that is set %s makes it neither longer nor shorter", (_how, aheadMs) => {
  const blindness = createBlindness(clockAt(0));
  blindness.looked("answered", at(100));
  blindness.looked("silent", at(130));
  blindness.looked("silent", { at: 150 + aheadMs, after: 150 });
  blindness.looked("answered", { at: 160 + aheadMs, after: 160 });
  expect(blindness.msSince(0 + aheadMs)).toBe(50);
  expect(blindness.msSince(140 + aheadMs)).toBe(10);
});

test("the next process knows of the silences that this one has seen, and what nobody saw counts as answered", () => {
  const first = createBlindness(clockAt(0));
  first.looked("answered", at(100));
  first.looked("silent", at(150));
  const second = createBlindness(clockAt(200, 7), first.silences());
  expect(second.msSince(0)).toBe(0); // Before its first look it is asked nothing.
  second.looked("silent", { at: 230, after: 37 });
  expect(second.msSince(0)).toBe(50);
  second.looked("answered", { at: 240, after: 47 });
  second.looked("silent", { at: 260, after: 67 });
  expect(second.msSince(0)).toBe(50 + 20);
  expect(second.msSince(140)).toBe(10 + 20);
  expect(second.silences()).toEqual([
    { from: 100, to: 150 },
    { from: 240, to: 260 },
  ]);
});
