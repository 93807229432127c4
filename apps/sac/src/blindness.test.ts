/**
 * Goal    time in which slurmctld did not answer is counted, once, and nothing else is.
 * Method  a list of looks, and what is asked of them.
 */
import { expect, test } from "vitest";
import { createBlindness } from "./blindness.ts";

test("from the last look that was answered to the last one that was not", () => {
  const blindness = createBlindness();
  blindness.looked("answered", 100);
  expect(blindness.msSince(0)).toBe(0);
  blindness.looked("silent", 130);
  blindness.looked("silent", 150);
  blindness.looked("answered", 160);
  blindness.looked("silent", 200);
  expect(blindness.msSince(0)).toBe(50 + 40);
  expect(blindness.msSince(140)).toBe(10 + 40);
  expect(blindness.msSince(190)).toBe(10);
  expect(blindness.msSince(200)).toBe(0);
});

test("what was before the first look is not known", () => {
  const blindness = createBlindness();
  blindness.looked("silent", 100);
  expect(blindness.msSince(0)).toBe(0);
});
