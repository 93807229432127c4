/**
 * Goal    every case is judged as its report says it should have been.
 * Method  the cases of the watcher's testdata, each from public reports; a case of another fault is never taken for a crash.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseCase } from "@reprise/watcher/cases/case-file.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { judge } from "./judge.ts";
import { differences, judgementOf } from "./judgement.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));
const folder = new URL("../../../watcher/src/testdata/cases/", import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => parseCase(readFileSync(new URL(name, folder), "utf8"), name));

/** Silence and loss of speed are detected by the clock, and those detectors are not built yet. */
const needDetectors: ReadonlySet<string> = new Set(["A04a", "B05a", "B06", "B07", "B09a", "B09b", "C01", "C03"]);

describe("judged as expected", () => {
  test.each(cases.filter((c) => !needDetectors.has(c.id)).map((c) => [c.id, c] as const))("%s", (id, c) => {
    expect(differences(judgementOf(id, judge(c, matcher).decision), c.expect!)).toEqual([]);
  });
});

describe("not taken for a crash", () => {
  test.each(cases.filter((c) => needDetectors.has(c.id)).map((c) => [c.id, c] as const))("%s", (id, c) => {
    expect(["none", c.expect!.kind]).toContain(judgementOf(id, judge(c, matcher).decision).kind);
  });
});
