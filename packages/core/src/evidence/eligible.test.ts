/**
 * Goal    the nodes that a successor could be given are counted as Slurm would give them, and what cannot be counted is said.
 * Method  a job of two nodes, tables of nodes, and what the job asks for; random ones against a search of every choice of nodes.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attempt, healthy, policy, t0 } from "../decide/decide.example.ts";
import type { Policy } from "../nouns.ts";
import { type Facts, fold } from "../situation/situation.ts";
import { readConstraint } from "./constraint.ts";
import { eligibleFor, roomInWords } from "./eligible.ts";

type Node = Facts["nodes"][number];

const node = (name: string, change: Partial<Node> = {}): Node => ({
  name,
  state: "idle",
  isEligible: true,
  partitions: ["gpu"],
  features: [],
  reservations: [],
  ...change,
});
const out = (state: string) => ({ state, isEligible: false });

function counted(nodes: readonly Node[], asked: object = {}, wish: Partial<Policy> = {}, needed = 2) {
  const slurm = { ...(attempt.schedulerMetadata["slurm"] as object), partition: "gpu", ...asked };
  const ran = Array.from({ length: needed }, (_, i) => `n${i + 1}`);
  const job = { ...attempt, nodes: ran, schedulerMetadata: { slurm } };
  const eligible = eligibleFor(fold({ ...healthy, attempt: job, nodes }, t0), { ...policy, ...wish });
  if (eligible === undefined) throw new Error("nothing was counted");
  return eligible;
}
const left = (...args: Parameters<typeof counted>) => {
  const { remaining, needed } = counted(...args).without(new Set());
  return `${remaining} of ${needed}`;
};

test("each node that does not count is told once, with why", () => {
  const nodes = [
    node("n1", { state: "allocated", features: ["h100"] }),
    node("n2", { features: ["h100", "rack1"] }),
    node("n3"),
    node("n4", out("drained*")),
    node("n5", out("drained")),
    node("n6", { ...out("reserved"), features: ["h100"], reservations: ["kept"] }),
    node("n7", { state: "allocated", features: ["h100"], reservations: ["kept"] }),
    node("n8", { features: ["h100"] }),
    node("n9", { features: ["h100"], partitions: ["other"] }),
  ];
  const eligible = counted(nodes, { constraint: "h100" }, { excludeNodes: ["n8"] });
  const room = eligible.without(new Set(["n1", "n9"]));
  expect([...eligible.names]).toEqual(["n1", "n2"]);
  expect(roomInWords(room)).toBe(
    "1 of 8 nodes are left for the 2 that the job needs (not counted: 1 without h100, 2 drained, 2 reserved, 1 excluded before).",
  );
});

describe("of a reservation", () => {
  const nodes = [
    node("n1", { reservations: ["kept"] }),
    node("n2", { ...out("reserved"), reservations: ["kept", "night"] }),
    node("n3", { ...out("reserved"), reservations: ["night"] }),
    node("n4"),
  ];
  // biome-ignore format: a table
  test.each([
    ["a job without one has the nodes of none",         {},                              "1 of 2"],
    ["its job has its nodes, and no others",            { reservation: "kept" },         "2 of 2"],
    ["a node may be of two",                            { reservation: "night" },        "2 of 2"],
    ["of two it gets one: the larger one counts",       { reservation: "kept,day" },     "2 of 2"],
    ["one that holds no node yet is not known",         { reservation: "day" },          "4 of 2"],
  ])("%s", (_what, asked, expected) => expect(left(nodes, asked)).toBe(expected));

  test("what is not known is said, and then there may be fewer", () => {
    const unread = nodes.map(({ reservations: _, ...rest }) => rest);
    expect(roomInWords(counted(unread, { reservation: "kept" }).without(new Set()))).toBe(
      "At most 4 of 4 nodes are left for the 2 that the job needs; it may be fewer: which nodes its reservation kept has is not known.",
    );
    expect(left(unread)).toBe("2 of 2"); // Only an idle one shows that it is reserved.
  });
});

describe("by features", () => {
  const nodes = ["a", "b", "c", "a,c", "b,c", "a,b"].map((all, i) => node(`n${i + 1}`, { features: all.split(",") }));
  // biome-ignore format: a table
  test.each([
    ["each node has them",                               "a&c",         2, "1 of 2"],
    ["[…|…] is the better of the two",                   "[c|(a&b)]",   2, "3 of 2"],
    ["the others may be any",                            "a*2",         4, "3 of 2"],
    ["all together must be there",                       "a*2",         6, "6 of 6"],
    ["no node counts for two demands",                   "[a*3&b*3]",   6, "5 of 6"],
    ["the demand that is nearest to its end is told",    "[a*3&b*1]",   4, "3 of 3"],
  ])("%s: %s of %i nodes", (_what, constraint, needed, expected) => {
    expect(left(nodes, { constraint }, {}, needed)).toBe(expected);
  });

  // biome-ignore format: a table
  test.each([
    ["an expression of another form",  nodes,                                           "!a",  "its constraint !a is of no form that is counted"],
    ["features that nobody has told",  nodes.map(({ features: _, ...rest }) => rest),   "a",   "it asks for a, and no node's features are known"],
  ])("%s: every node may do, and that is said", (_what, table, constraint, unknown) => {
    const room = counted(table, { constraint }).without(new Set());
    expect(room).toMatchObject({ remaining: 6, unknown: [unknown] });
  });

  test("as many as a search through every choice of nodes finds", () => {
    const features = fc.subarray(["a", "b", "c"]);
    const table = fc.array(features, { minLength: 1, maxLength: 6 });
    const forms = ["a", "a&b", "a|b&c", "[a|b]", "a*1", "a*2", "[a*1&b*1]", "[a*2&b*1]", "[a*1&b*1&c*1]"];
    const run = fc.property(table, fc.constantFrom(...forms), fc.integer({ min: 1, max: 6 }), (rows, text, needed) => {
      const all = rows.map((of, i) => node(`n${i + 1}`, { features: of }));
      const { remaining, needed: asked } = counted(all, { constraint: text }, {}, needed).without(new Set());
      expect(remaining >= asked).toBe(canBePlaced(rows, text, needed));
    });
    fc.assert(run, { numRuns: 2_000 });
  });
});

describe("by CPUs, memory and GPUs", () => {
  const has = (cpus: number, memoryMb: number, gres: string) => ({ hardware: { cpus, memoryMb, gres } });
  const nodes = [
    node("n1", has(16, 64_000, "gpu:h100:8")),
    node("n2", has(16, 64_000, "gpu:h100:8(S:0,2)")),
    node("n3", has(8, 64_000, "gpu:h100:8")),
    node("n4", has(16, 32_000, "gpu:h100:8")),
    node("n5", has(16, 64_000, "gpu:a100:8")),
    node("n6", has(16, 64_000, "")),
  ];
  const asked = { cpusPerNode: 12, memoryMbPerNode: 48_000, gresPerNode: "gres:gpu:h100:4" };

  test("a node that lacks one of them does not count, and the reason is said", () => {
    expect(roomInWords(counted(nodes, asked).without(new Set(["n2"])))).toBe(
      "1 of 6 nodes are left for the 2 that the job needs (not counted: 1 with fewer than 12 CPUs, 1 with less than 48000 MB of memory, 2 without gpu:h100:4).",
    );
  });

  // biome-ignore format: a table
  test.each([
    ["nothing is asked for",              {},                                  "6 of 2"],
    ["GPUs of any type",                  { gresPerNode: "gres/gpu:8" },       "5 of 2"],
    ["more than any node has",            { gresPerNode: "gres:gpu:9" },       "0 of 2"],
    ["whoever publishes something else",  { cpusPerNode: "12", gresPerNode: 4 }, "6 of 2"],
    ["the components of a heterogeneous job ask for their own", { ...asked, hetComponents: ["1", "2"] }, "6 of 2"],
  ])("%s", (_what, ask, expected) => expect(left(nodes, ask)).toBe(expected));

  // biome-ignore format: a table
  test.each([
    ["nodes of which nothing is told",    asked,                                    nodes.map(({ hardware: _, ...rest }) => rest), "it asks for CPUs, memory or GPUs, and of some nodes it is not known what they have"],
    ["a demand of another form",          { gresPerNode: "gres:gpu:h100:no_consume:4" }, nodes,             "it asks for gpu:h100:no_consume:4, which is of no form that is counted"],
    ["a node's of another form",          { gresPerNode: "gres:gpu:1" },            nodes.map((one) => ({ ...one, ...has(16, 64_000, "gpu:x:y:8") })), "it asks for gpu:1, and some nodes' generic resources are of no form that is counted"],
  ])("%s: every node may do, and that is said", (_what, ask, table, unknown) => {
    expect(counted(table, ask).without(new Set())).toMatchObject({ remaining: 6, unknown: [unknown] });
  });
});

/** Gives nodes to demands one by one, and goes back when it is stuck. */
function canBePlaced(rows: readonly (readonly string[])[], text: string, needed: number): boolean {
  return (readConstraint(text) ?? []).some((way) => {
    const seats = way.flatMap(({ isMetBy, count }) => Array.from({ length: count ?? needed }, () => isMetBy));
    const fill = (seat: number, taken: ReadonlySet<number>): boolean =>
      seat === seats.length ||
      rows.some(
        (of, i) => !taken.has(i) && seats[seat]?.(new Set(of)) === true && fill(seat + 1, new Set([...taken, i])),
      );
    return rows.length >= needed && fill(0, new Set());
  });
}

test("of several partitions it gets nodes of one: two in each are not four", () => {
  const nodes = ["gpu", "gpu", "low", "low"].map((name, i) => node(`n${i + 1}`, { partitions: [name] }));
  expect(left(nodes, { partition: "gpu,low" }, {}, 3)).toBe("2 of 3");
});

test("the components of a heterogeneous job are counted as one, and that is said", () => {
  const nodes = ["gpu", "low"].map((name, i) => node(`n${i + 1}`, { partitions: [name] }));
  const room = counted(nodes, { partition: "gpu,low", hetComponents: ["1", "2"] }).without(new Set());
  expect(room).toMatchObject({ remaining: 2, unknown: ["its components are counted as one job"] });
});

test.each([
  ["what has nodes needs as many", ["n1", "n2"], [["n3"]], 2],
  ["what waits needs as many as it was given last", [], [["n1"], ["n1", "n2", "n3"], []], 3],
  ["nobody has seen it on any node", [], [[]], 1],
])("%s", (_what, own, before, needed) => {
  const earlier = before.map((on, attemptIndex) => ({ ...healthy, attempt: { ...attempt, nodes: on, attemptIndex } }));
  const [job, nodes] = [{ ...attempt, nodes: own, attemptIndex: 3 }, [node("n1")]];
  const situation = fold({ ...healthy, attempt: job, earlier, nodes }, t0);
  expect(eligibleFor(situation, policy)?.without(new Set())).toMatchObject({ remaining: 1, needed });
});
