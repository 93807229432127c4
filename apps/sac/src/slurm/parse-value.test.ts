/**
 * Goal    every form of a value that Slurm was seen to print has a row.
 * Method  tables.
 */
import { describe, expect, test } from "vitest";
import { gpusPerNode, parseExit, parseInstant } from "./parse-value.ts";

describe("an exit code", () => {
  test.each([
    ["7:0", { exitCode: 7, signal: 0 }],
    ["0:9", { exitCode: 0, signal: 9 }],
    ["0:125", { exitCode: 0, signal: 125 }], // OUT_OF_MEMORY
    ["0", { exitCode: 0, signal: 0 }],
    ["1792", { exitCode: 7, signal: 0 }], // a raw wait status: 22.05
    ["9", { exitCode: 0, signal: 9 }],
    ["253", { exitCode: 0, signal: 125 }],
    ["4021", { exitCode: 0, signal: 53 }],
    ["65536", undefined],
    ["", undefined],
    ["-1", undefined],
    ["7:0:0", undefined],
  ])("%s", (text, exit) => expect(parseExit(text)).toEqual(exit));
});

test("a time is whole seconds, or none", () => {
  expect(["1795964365", "0", "N/A", "NONE", "2026-11-29T14:57:14", "1.5"].map(parseInstant)).toEqual([
    1_795_964_365_000,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

describe("GPUs on a node", () => {
  test.each([
    ["asked per node, 22.05", "gres:gpu:h100:3", "N/A", "cpu=1", 1, 3],
    ["asked without a type", "gres:gpu:2", "N/A", "cpu=2,node=2,gres/gpu=4", 2, 2],
    ["asked per node, 25.11", "gres/gpu:h100:8", "N/A", "", 2, 8],
    ["asked without a number", "gres:gpu", "N/A", "", 2, 1],
    ["two types and a shard", "gres:gpu:a100:2,gres:gpu:h100:1,gres:shard:4", "N/A", "", 1, 3],
    ["with sockets", "gres:gpu:h100:4(S:0-1)", "N/A", "", 1, 4],
    ["per job, divided", "N/A", "gres:gpu:4", "cpu=2,node=2", 2, 2],
    ["allocated, named twice", "N/A", "N/A", "cpu=2,mem=125G,node=2,gres/gpu=16,gres/gpu:h100=16", 2, 8],
    ["that does not divide", "N/A", "gres:gpu:3", "", 2, undefined],
    ["none", "N/A", "N/A", "cpu=1,mem=62.50G,node=1,billing=1", 1, undefined],
    ["GPU memory is no GPU", "gres:gpumem:80", "N/A", "gres/gpumem=80,gres/gpuutil=5", 1, undefined],
  ])("%s", (_what, perNode, perJob, alloc, nodes, gpus) =>
    expect(gpusPerNode(perNode, perJob, alloc, nodes)).toBe(gpus),
  );
});
