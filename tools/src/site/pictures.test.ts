import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawing } from "./pictures.ts";

const folder = new URL("../../../docs/pictures/", import.meta.url);
const svgs = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
const theme = readFileSync(new URL("../../../site/.vitepress/theme/style.css", import.meta.url), "utf8");

test("a picture becomes part of its page: without a style of its own, and with words for who does not see it", () => {
  const svg =
    '<svg xmlns="x" viewBox="0 0 1 1">\n  <style>\n    text { fill: red }\n  </style>\n  <text>a</text>\n</svg>\n';
  expect(drawing(svg, "An &quot;a&quot;")).toBe(
    '<span class="picture" tabindex="0" v-pre><svg role="img" aria-label="An &quot;a&quot;" xmlns="x" viewBox="0 0 1 1"><text>a</text></svg></span>',
  );
});

test("each class that a picture uses has a colour of the site", () => {
  const used = new Set(
    svgs.flatMap((svg) => [...svg.matchAll(/ class="([^"]+)"/g)].flatMap(([, c = ""]) => c.split(" "))),
  );
  expect([...used].filter((name) => !theme.includes(`.picture .${name} `))).toEqual([]);
});

test("no two pictures have the same id: they may stand on one page", () => {
  const ids = svgs.flatMap((svg) => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  expect(new Set(ids).size).toBe(ids.length);
});
