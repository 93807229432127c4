/**
 * Goal    each Command has exactly one line, about exactly one job.
 * Method  a table; and IDs and names that scontrol would read as something else.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Command } from "../slurm.ts";
import { commandLine } from "./command-line.ts";

const marker = '{"reprise":{"id":"x"}, "o": "it\'s = x"}';
const lines: [Command, string[]][] = [
  [{ kind: "requeue-hold", isRunning: true }, ["scontrol", "requeuehold", "Incomplete", "95_1"]],
  [{ kind: "requeue-hold", isRunning: false }, ["scontrol", "requeuehold", "95_1"]],
  [{ kind: "update-constraints", exclude: [] }, ["scontrol", "update", "JobId=95_1", "ExcNodeList="]],
  [
    { kind: "update-constraints", exclude: ["n1", "n2", "n7"] },
    ["scontrol", "update", "JobId=95_1", "ExcNodeList=n[1-2,7]"],
  ],
  [
    { kind: "update-constraints", exclude: ["n1"], adminComment: marker, dependency: "singleton" },
    ["scontrol", "update", "JobId=95_1", "ExcNodeList=n1", `AdminComment=${marker}`, "Dependency=singleton"],
  ],
  [{ kind: "mark", adminComment: marker }, ["scontrol", "update", "JobId=95_1", `AdminComment=${marker}`]],
  [
    { kind: "repair-dependency", dependency: "afterok:7" },
    ["scontrol", "update", "JobId=95_1", "Dependency=afterok:7"],
  ],
  [{ kind: "release" }, ["scontrol", "release", "95_1"]],
  [{ kind: "set-start", inSeconds: 2 }, ["scontrol", "update", "JobId=95_1", "StartTime=now+2"]],
  [{ kind: "cancel" }, ["scancel", "95_1"]],
];

describe("a command", () => {
  test.each(lines)("%j", (command, line) => {
    const { program, args } = commandLine(command, { jobId: "95_1" });
    expect([program, ...args]).toEqual(line);
  });

  test.each<[string, Command, string[]]>([
    [
      "its constraints are its own",
      { kind: "update-constraints", exclude: ["n1"] },
      ["update", "JobId=12+0", "ExcNodeList=n1"],
    ],
    [
      "its comment is its own",
      { kind: "mark", adminComment: marker },
      ["update", "JobId=12+0", `AdminComment=${marker}`],
    ],
    ["its start time is that of all", { kind: "set-start", inSeconds: 2 }, ["update", "JobId=12", "StartTime=now+2"]],
    ["all are released together", { kind: "release" }, ["release", "12"]],
    ["all are requeued together", { kind: "requeue-hold", isRunning: true }, ["requeuehold", "Incomplete", "12"]],
  ])("to the leader of a heterogeneous job: %s", (_what, command, args) => {
    expect(commandLine(command, { jobId: "12", isHetLeader: true }).args).toEqual(args);
  });

  test("is refused for anything that is not one job or one task", () => {
    const notOne = fc
      .oneof(fc.string(), fc.constantFrom("1,2", "1-3", "95_[0-3]", "95_", "all", "Incomplete", "1 2", "7+1", ""))
      .filter((id) => !/^\d+(_\d+)?$/.test(id));
    fc.assert(
      fc.property(notOne, (jobId) => {
        expect(() => commandLine({ kind: "release" }, { jobId })).toThrow(/jobId is/);
      }),
    );
  });

  test.each<[string, Command]>([
    ["a node name with a comma", { kind: "update-constraints", exclude: ["n1,n2"] }],
    ["a node name with a bracket", { kind: "update-constraints", exclude: ["n[1-9]"] }],
    ["a dependency with a space", { kind: "update-constraints", exclude: [], dependency: "afterok:1 Priority=0" }],
    ["half a second", { kind: "set-start", inSeconds: 0.5 }],
    ["a start in the past", { kind: "set-start", inSeconds: -1 }],
  ])("is refused with %s", (_what, command) => expect(() => commandLine(command, { jobId: "7" })).toThrow(/expected/));
});
