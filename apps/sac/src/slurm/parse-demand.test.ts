/**
 * Goal    what a job asks of each node reads as Slurm would ask it, and never as more.
 * Method  the columns of squeue, as 22.05.8 prints them.
 */
import { expect, test } from "vitest";
import { parseDemand } from "./parse-demand.ts";
import type { Column } from "./squeue-columns.ts";

type Row = Partial<Record<Column, string>>;

// biome-ignore format: a table
test.each<[what: string, row: Row, demand: object]>([
  ["nothing that can be read",          { MinCpus: "N/A", MinMemory: "2G" },                                { }],
  ["one CPU, and no memory",            { MinCpus: "1", MinMemory: "0" },                                   { cpusPerNode: 1 }],
  ["memory",                            { MinMemory: "102400M" },                                           { memoryMbPerNode: 102_400 }],
  ["GPUs for each node",                { "tres-per-node": "gres:gpu:h100:2", "tres-per-job": "N/A" },      { gresPerNode: "gres:gpu:h100:2" }],
  ["for each task: a node has one",     { "tres-per-task": "cpu:4,gres/gpu:1" },                            { gresPerNode: "gres/gpu:1" }],
  ["for each socket",                   { "tres-per-socket": "gres:gpu:1" },                                { gresPerNode: "gres:gpu:1" }],
  ["for the job: one of them",          { "tres-per-job": "gres:gpu:h100:4,gres/gpu=4" },                   { gresPerNode: "gres:gpu:h100,gres/gpu" }],
])("%s", (_what, row, demand) => expect(parseDemand((column) => row[column] ?? "")).toEqual(demand));
