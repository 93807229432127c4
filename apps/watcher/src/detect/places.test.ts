/**
 * Goal    a node is named only where the line points at it, and then the right one.
 * Method  one table over a job of two nodes with eight GPUs each; each row says what was learnt before.
 */
import { describe, expect, test } from "vitest";
import { speakerOf } from "../match/speaker.ts";
import { Places } from "./places.ts";

type Learn = (places: Places) => void;
const nothing: Learn = () => undefined;

// biome-ignore format: a table is read by its columns
const rows: [why: string, learn: Learn, line: string, captures: Record<string, string>, nodes: string[]][] = [
  ["a rank of the second node",            nothing, "[rank11]: boom", {}, ["node-b"]],
  ["a rank that the signature captured",   nothing, "[E x] [Rank 3] boom", { rank: "3" }, ["node-a"]],
  ["a host wins over a rank",              nothing, "[rank1]: srun: error: node-b: task 1: Killed", { host: "node-b" }, ["node-b"]],
  ["a host by its full name",              nothing, "boom", { host: "node-b.cluster.local" }, ["node-b"]],
  ["a host that is not the job's",         nothing, "boom", { host: "login1" }, []],
  ["the host before the line",             nothing, "node-b: worker failed", {}, ["node-b"]],
  ["the host of an NCCL line",             nothing, "node-b:2113:2342 [0] NCCL WARN x", {}, ["node-b"]],
  ["both ends of a link",                  (p) => p.learnAddress("10.0.0.7", "node-b"), "x", { host: "node-a", peer: "10.0.0.7" }, ["node-a", "node-b"]],
  ["a peer whose address nobody told",     nothing, "x", { host: "node-a", peer: "10.0.0.9" }, ["node-a"]],
  ["one rank a node, as the program says", (p) => p.learnWorldSize(2), "[rank1]: boom", {}, ["node-b"]],
  ["a rank whose host was told",           (p) => p.learnRank(1, "node-b"), "[rank1]: boom", {}, ["node-b"]],
  ["a task that must be a rank",           (p) => p.learnTask({ task: 12 }), "5: boom", {}, ["node-a"]],
  ["a task that may be either",            nothing, "1: boom", {}, []],
  ["task 0 is on the first node either way", nothing, "0: boom", {}, ["node-a"]],
  ["a local rank names no node",           nothing, "[default3]: boom", {}, []],
  ["one node named in the words",          nothing, "lost a GPU on node-b, sorry", {}, ["node-b"]],
  ["two nodes named in the words",         nothing, "node-a cannot reach node-b", {}, []],
  ["nobody named",                         nothing, "NVRM: Xid (PCI:0000:10:1c): 79", {}, []],
  ["a rank beyond the job",                nothing, "[rank99]: boom", {}, []],
];

describe("the nodes of a line", () => {
  test.each(rows)("%s", (_why, learn, line, captures, nodes) => {
    const places = new Places(["node-a", "node-b"], 8);
    learn(places);
    expect(places.nodesOf(line, captures, speakerOf(line))).toEqual(nodes);
  });

  test("a job of one node has only that one to name", () => {
    expect(new Places(["n1"], 0).nodesOf("NVRM: Xid", {}, {})).toEqual(["n1"]);
  });
});

describe("where all ranks meet", () => {
  const none = {};
  const line = "[c10d] The client socket has timed out after 60s";

  test("is the first node until a line says so", () => {
    expect(new Places(["node-a", "node-b"], 8).nodesOf(line, none, {}, "coordinator")).toEqual(["node-a"]);
  });
  test("is the node that a line names, by its name or its address", () => {
    const places = new Places(["node-a", "node-b"], 8);
    places.learnCoordinator("node-b", "10.0.0.7");
    expect(places.nodesOf(line, none, {}, "coordinator")).toEqual(["node-b"]);
    expect(places.nodesOf("x", { peer: "10.0.0.7" }, {})).toEqual(["node-b"]);
  });
  test("gives way to an end that the line names", () => {
    const places = new Places(["node-a", "node-b"], 8);
    expect(places.nodesOf(line, { peer: "node-b" }, {}, "coordinator")).toEqual(["node-b"]);
  });
});

test("a line that is printed anywhere names nobody", () => {
  expect(new Places(["node-a", "node-b"], 8).nodesOf("node-a: preempted", {}, { rank: 3 }, "nobody")).toEqual([]);
});
