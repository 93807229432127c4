/**
 * Goal    on a release that nobody has tried, nothing is begun before an operator has named that very release.
 * Method  a table over versions as slurmctld prints them.
 */
import { describe, expect, test } from "vitest";
import { releaseRefusal, releaseStanding } from "./slurm-release.ts";

// biome-ignore format: a table.
const cases: [version: string | undefined, allowed: string[], standing: string][] = [
  ["22.05.8",      [],                 "tried"],
  ["23.11.10",     [],                 "tried"],
  ["25.11.7",      [],                 "tried"],
  ["26.05.3",      [],                 "tried"],
  ["22.05",        [],                 "tried"],
  ["21.08.8-2",    [],                 "untried"],
  ["21.08.8-2",    ["21.08"],          "allowed"],
  ["26.11.0-0rc1", [],                 "untried"],
  ["26.11.0-0rc1", ["26.11"],          "allowed"],
  ["27.05.1",      ["26.11"],          "untried"],
  ["9.05.1",       [],                 "unknown"],
  ["soon",         ["soon"],           "unknown"],
  ["",             [],                 "unknown"],
  [undefined,      ["26.11"],          "unknown"],
];

describe("a release of Slurm", () => {
  test.each(cases)("%s with %j allowed is %s", (version, allowed, standing) => {
    expect(releaseStanding(version, allowed)).toBe(standing);
    expect(releaseRefusal(version, allowed) === undefined).toBe(standing === "tried" || standing === "allowed");
  });
  test("the refusal names the release, what was tried, and the setting", () => {
    expect(releaseRefusal("26.11.0-0rc1", [])).toBe(
      "recovery was not tried on Slurm 26.11.0-0rc1 (but on 22.05 to 26.05): `slurm_releases` does not name 26.11",
    );
  });
});
