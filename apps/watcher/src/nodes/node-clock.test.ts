/** Goal: a node whose clock is ahead accuses nobody who came later. Method: lines as they are read, in seconds. */
import { expect, test } from "vitest";
import { NodeClock } from "./node-clock.ts";

const s = 1_000;
const noon = 1_800_000_000_000;

test("a line from the future moves this and all further times of the node back", () => {
  const clock = new NodeClock();
  const ours = (at: number, now: number) => {
    const told = clock.ours(noon + at * s, noon + now * s);
    return told === undefined ? undefined : (told - noon) / s;
  };
  expect(ours(10, 12)).toBe(10);
  expect(ours(50, 20)).toBe(20);
  expect(ours(51, 60)).toBe(21);
  expect(ours(400, 61)).toBeUndefined();
  expect(ours(100, 62)).toBe(62);
  expect(ours(101, 90)).toBe(63);
  expect(ours(800, 801)).toBe(800);
});
