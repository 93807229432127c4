/**
 * Goal    what a node has and what a job asks for are compared as Slurm compares them.
 * Method  the forms that sinfo and squeue print, of both releases.
 */
import { describe, expect, test } from "vitest";
import { hasGres, readGres } from "./gres.ts";

// biome-ignore format: a table
test.each([
  ["(null)",                        []],
  ["gpu:8",                         [{ name: "gpu", count: 8 }]],
  ["gres:gpu:h100:2",               [{ name: "gpu", type: "h100", count: 2 }]],
  ["gres/gpu:h100=2",               [{ name: "gpu", type: "h100", count: 2 }]],
  ["gres/gpu",                      [{ name: "gpu", count: 1 }]],
  ["gres:gpu:h100",                 [{ name: "gpu", type: "h100", count: 1 }]],
  ["gpu:1g.10gb:7(S:0,2),nic:1K",   [{ name: "gpu", type: "1g.10gb", count: 7 }, { name: "nic", count: 1024 }]],
  ["gpu:h100:no_consume:4",         undefined],
  ["gpu:4,",                        undefined],
  ["8",                             undefined],
])("%s", (text, read) => expect(readGres(text)).toEqual(read));

describe("a node with gpu:a100:4,gpu:h100:2", () => {
  const has = readGres("gpu:a100:4,gpu:h100:2") ?? [];
  // biome-ignore format: a table
  test.each([
    ["(null)",                true],
    ["gpu:6",                 true],
    ["gpu:7",                 false],
    ["gpu:h100:2",            true],
    ["gpu:h100:3",            false],
    ["gpu:v100:1",            false],
    ["gpu:h100:1,shard:1",    false],
  ])("has %s: %s", (asked, expected) => expect(hasGres(has, readGres(asked) ?? [])).toBe(expected));
});
