/**
 * Goal    no page changes its looks unseen: at three sizes and in both themes, with everything that can stand on it, and where data is missing.
 * Method  a real Chromium on a real server whose time stands still; each picture is compared with the one that somebody has looked at
 *         (`pictures/`), within the bounds of `likeness.ts`. What is otherwise is written to `.tmp/pictures`. After a look at them:
 *         `make screenshots ARGS=--keep`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { objectionTo, otherFonts } from "./kept.ts";
import { type Eye, openEye } from "./likeness.ts";
import { type Gallery, looks, openGallery } from "./pictures.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const folder = fileURLToPath(new URL("../.tmp/pictures/", import.meta.url));

let gallery: Gallery;
let eye: Eye;
beforeAll(async () => {
  gallery = await openGallery();
  eye = await openEye(gallery.browser);
});
afterAll(() => gallery.stop());

test("this machine draws letters as the one on which the pictures were kept", async () => {
  expect(await otherFonts(eye)).toBeUndefined();
});

test.each(looks)("every page looks as it did: %s", async (look, at) => {
  const objections: string[] = [];
  await gallery.take(at, [], async (page, png) => {
    const objection = await objectionTo(eye, `${page}-${look}`, png);
    if (objection === undefined) return;
    objections.push(objection);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}${page}-${look}.png`, png);
  });
  expect(objections).toEqual([]);
});

const spoilt = [
  ["a colour that has changed", ":root { --bad: light-dark(#1e26b3, #90aaff) !important }"],
  ["a column that is lost", ".rows .row > span:nth-child(2) { display: none }"],
  ["letters that are larger", "html { font-size: 16px !important }"],
] as const;

test.each(spoilt)("%s is seen", async (_what, style) => {
  const [name, look] = looks.find(([one]) => one === "laptop-dark") ?? looks[0]!;
  const objections: (string | undefined)[] = [];
  await gallery.take(
    look,
    ["jobs"],
    async (page, png) => void objections.push(await objectionTo(eye, `${page}-${name}`, png)),
    style,
  );
  expect(objections).toEqual([expect.stringMatching(/^jobs-laptop-dark: /)]);
});
