/**
 * Goal    a person who waits for a job understands from one screen what became of it, in every kind of story.
 * Method  answers of the real server, recorded from the simulator's transcripts of the same names (`sim/src/scenario.test.ts`); each is
 *         shown, and must be the golden file beside it. `make golden` rewrites them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { WireExplain } from "../wire.ts";
import { renderExplain } from "./explain.ts";
import { createPaint } from "./paint.ts";
import type { View } from "./view.ts";

const view: View = { width: 100, paint: createPaint(false), now: Date.parse("2030-01-31T14:10:00Z"), timeZone: "UTC" };
const folder = fileURLToPath(new URL("testdata/stories/", import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

test.each(names)("%s", async (name) => {
  const answer = JSON.parse(readFileSync(folder + name, "utf8")) as WireExplain;
  const shown = renderExplain(answer, view);
  await expect(shown).toMatchFileSnapshot(folder + name.replace(/\.json$/, ".txt"));
  for (const line of shown.split("\n")) expect([...line].length).toBeLessThanOrEqual(view.width);
});

test("there are twenty stories or more", () => expect(names.length).toBeGreaterThanOrEqual(20));
