/**
 * Goal    the great stories end as they should, and how they go is read as text.
 * Method  each file of `scenarios/` is played; its text, with what was seen, must be the file itself. What the server explains at the
 *         end of some of them is recorded, too (`explained.ts`). `make golden` rewrites both.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { explain, recordingOf } from "./explained.ts";
import { play } from "./scenario.ts";

const folder = fileURLToPath(new URL("../scenarios/", import.meta.url));

for (const name of readdirSync(folder).filter((n) => n.endsWith(".txt"))) {
  const text = readFileSync(folder + name, "utf8");
  const sentence = text.split("\n", 1)[0]!.replace(/^# /, "");
  test(`${name}: ${sentence}`, async () => {
    const { text: seen, violation, world } = await play(text);
    expect(violation).toBeUndefined();
    await expect(seen).toMatchFileSnapshot(folder + name);
    const recording = recordingOf(name);
    if (recording !== undefined) await expect(await explain(world)).toMatchFileSnapshot(recording);
  }, 60_000);
}
