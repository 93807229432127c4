/**
 * Goal    the speaker of a line is the process that wrote it, and its body is what that process said, whatever launchers,
 *         loggers and clocks have put before it.
 * Method  tables; lines in the forms of the real programs.
 */
import { describe, expect, test } from "vitest";
import { partsOf, speakerOf } from "./speaker.ts";

describe("who speaks", () => {
  // biome-ignore format: a table is read by its columns
  const lines: [line: string, speaker: object][] = [
    ["[rank11]: RuntimeError: x",                  { rank: 11 }],
    ["[rank 41] UnicodeDecodeError",               { rank: 41 }],
    ["[Rank 1] NCCL watchdog",                     { rank: 1 }],
    ["[1,3]<stderr>:boom",                         { rank: 3 }],
    ["[E ProcessGroupNCCL.cpp:916] [Rank 1] NCCL", { rank: 1 }],
    ["[E x.cpp:1375] [PG ID 0 PG GUID 0(default_pg) Rank 7] First", { rank: 7 }],
    ["[default7]: iteration 3",                    { localRank: 7 }],
    [" 5: RuntimeError: CUDA error",               { task: 5 }],
    ["step 5: loss",                               {}],
    ["12:34:56 INFO",                              {}],
  ];
  test.each(lines)("%s", (line, speaker) => expect(speakerOf(line)).toEqual(speaker));
});

describe("what was said", () => {
  // biome-ignore format: a table is read by its columns
  const lines: [line: string, body: string, speaker: object][] = [
    ["[rank7]: step: 12",                                              "step: 12",        { rank: 7 }],
    ["[default3]:[rank11]: boom",                                      "boom",            { localRank: 3, rank: 11 }],
    ["node-a: 12: boom",                                               "boom",            { host: "node-a", task: 12 }],
    ["gpu017.cluster: boom",                                           "boom",            { host: "gpu017.cluster" }],
    ["2025-03-01 10:40:00,123 - INFO - boom",                          "boom",            {}],
    ["[2025-03-01 10:40:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10", "step=10", { rank: 0 }],
    ["2025-03-01T10:40:00.123456Z boom",                               "boom",            {}],
    ["03/01/2025 10:40:00 - WARNING - boom",                           "boom",            {}],
    ["[10:40:00] boom",                                                "boom",            {}],
    ["E0319 23:40:35.118955 139795948843008 torch/a/api.py:951] boom", "boom",            {}],
    ["Nov 29 12:00:01 node-b kernel: [ 8123.100000] NVRM: Xid",        "NVRM: Xid",       { host: "node-b" }],
    ["[ 8123.100000] NVRM: Xid",                                       "NVRM: Xid",       {}],
    ["(RayTrainWorker pid=812, ip=10.0.0.7) boom",                     "boom",            { host: "10.0.0.7" }],
    ["(pid=812) boom",                                                 "boom",            {}],
    ["[INFO|trainer.py:2134] 2025-03-01 10:40:00,123 >> boom",         "boom",            {}],
    ["INFO:megatron.core:boom",                                        "boom",            {}],
    ["[1,3]<stderr>:boom",                                             "boom",            { rank: 3 }],
    ["srun: error: node-b: task 1: Killed",                            "srun: error: node-b: task 1: Killed", {}],
    ["slurmstepd: error: boom",                                        "slurmstepd: error: boom", {}],
    ["KeyError: 'a'",                                                  "KeyError: 'a'",   {}],
    ["torch.OutOfMemoryError: CUDA out of memory",                     "torch.OutOfMemoryError: CUDA out of memory", {}],
    ["step 12: loss 2.1",                                              "step 12: loss 2.1", {}],
    ["",                                                               "",                {}],
  ];
  test.each(lines)("%s", (line, body, speaker) => expect(partsOf(line)).toEqual({ body, speaker }));
});
