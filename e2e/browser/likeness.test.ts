/**
 * Goal    what a person would see is seen: a colour that has changed, a word that has gone; what nobody would see is let pass.
 * Method  pictures of some lines, drawn here point by point.
 */
import { expect, test } from "vitest";
import { placesThatDiffer, type Points } from "./likeness.ts";

/** Grey lines on white, eight points high, as text at half its size; some of them otherwise. */
function lines(colourOf: (line: number) => number, width = 160): Points {
  const height = 160;
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (y % 16 < 8 && x % 3 === 0)
        rgba.fill(colourOf(Math.floor(y / 16)), 4 * (y * width + x), 4 * (y * width + x) + 3);
  return { width, height, rgba };
}
const page = lines(() => 90);

test("the same is the same", () =>
  expect(
    placesThatDiffer(
      page,
      lines(() => 90),
    ),
  ).toEqual([]));

test("a shade that nobody sees is let pass", () =>
  expect(
    placesThatDiffer(
      page,
      lines(() => 110),
    ),
  ).toEqual([]));

test("one line in another colour is seen where it is, and one that has gone", () => {
  const at = Array.from({ length: 10 }, (_, i) => ({ x: 16 * i, y: 48 }));
  expect(
    placesThatDiffer(
      page,
      lines((line) => (line === 3 ? 160 : 90)),
    ),
  ).toEqual(at);
  expect(
    placesThatDiffer(
      page,
      lines((line) => (line === 3 ? 255 : 90)),
    ),
  ).toEqual(at);
});

test("a page that has become longer or wider is another one", () =>
  expect(
    placesThatDiffer(
      page,
      lines(() => 90, 161),
    ),
  ).toBeUndefined());
