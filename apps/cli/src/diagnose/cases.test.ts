/**
 * Goal    every case is judged as its report says it should have been.
 * Method  the cases of the watcher's testdata, each from public reports, through reader, fold and decide; the whole `expect` of each.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
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

test.each(cases.map((c) => [c.id, c] as const))("%s is judged as expected", (id, c) => {
  expect(differences(judgementOf(id, judge(c, matcher).decision), c.expect!)).toEqual([]);
});
