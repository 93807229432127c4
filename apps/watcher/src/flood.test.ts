/**
 * Goal    a log that outruns its reader is sampled to its end and says so; one that was merely long is read whole.
 * Method  a file that is only a size, and bytes with a line end every ten.
 */
import { expect, test } from "vitest";
import { Flood } from "./flood.ts";
import type { OpenLog } from "./source/source.ts";

const mebibyte = 1024 * 1024;
const buffer = new Uint8Array(4_096);

/** Line ends stand at every tenth byte. */
const log: OpenLog = {
  look: () => ({ device: "1", inode: "1", size: 0, modifiedAt: 0 }),
  read: (into, offset) => {
    for (let i = 0; i < into.length; i++) into[i] = (offset + i) % 10 === 9 ? 0x0a : 0x78;
    return into.length;
  },
  close: () => undefined,
};

/** Sizes (MiB) a second apart, read up to `offset` (MiB). @returns where reading goes on (MiB). */
function placeAfter(sizes: readonly number[], offset: number) {
  const flood = new Flood();
  let place = offset * mebibyte;
  for (const [n, size] of sizes.entries())
    place = flood.placeIn(n * 1_000, log, size * mebibyte, offset * mebibyte, buffer);
  return { flood, place, at: place / mebibyte };
}

test("what was there when reading began is read whole, however much it is", () => {
  expect(placeAfter([5_000, 5_001, 5_002], 0).at).toBe(0);
});

test("what grows fast is read whole as long as the reader keeps up", () => {
  expect(placeAfter([100, 300, 500], 490).at).toBe(490);
});

test("what grows faster than it is read goes on near its end, at the beginning of a line", () => {
  const { place } = placeAfter([100, 300, 500], 200);
  expect([place % 10, Math.floor(place / mebibyte)]).toEqual([0, 492]);
});

test("a gap is told for five minutes, with its size", () => {
  const { flood } = placeAfter([100, 300], 200);
  expect(flood.notice(2_000)).toBe("sampled: it grows faster than it can be read, 92 MiB were left out");
  expect([flood.notice(300_999) === undefined, flood.notice(301_000)]).toEqual([false, undefined]);
});
