/**
 * Goal    the page is there at once, also over a slow line from a hotel: its first load is small, and what draws graphs comes later.
 * Method  what the built document names, packed as the server packs it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../apps/dashboard/dist/", import.meta.url));
const firstLoadBytesMax = 260 * 1024;

test("the first load is at most 260 KB, packed", () => {
  const document = readFileSync(`${folder}index.html`, "utf8");
  const named = [...document.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(named.length).toBeGreaterThanOrEqual(3);
  const bytes = [document, ...named.map((path) => readFileSync(`${folder}${path}`))].map(
    (file) => gzipSync(file, { level: 9 }).length,
  );
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(firstLoadBytesMax);
  expect(named.some((path) => path.includes("workflow"))).toBe(false);
});

test("the document has no script or style of its own, and names no other host; nor does a style sheet", () => {
  const document = readFileSync(`${folder}index.html`, "utf8");
  expect(document).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=|https?:/);
  const sheets = readdirSync(`${folder}assets`).filter((name) => name.endsWith(".css"));
  for (const name of sheets)
    expect(readFileSync(`${folder}assets/${name}`, "utf8")).not.toMatch(/url\(\s*["']?https?:|@import/);
});
