/**
 * Goal    what other jobs say against a node counts as far as it should; and whatever is said, the job can still run.
 * Method  decisions about a failed attempt of two nodes, with a ledger and a node table.
 */
import { describe, expect, test } from "vitest";
import type { Cleared } from "../evidence/clearance.ts";
import { against } from "../evidence/evidence.example.ts";
import { ledgerOf } from "../evidence/ledger.ts";
import type { LedgerEntry } from "../evidence/node-evidence.ts";
import { nodesConsidered } from "../explain/counted.ts";
import { limits } from "../limits.ts";
import type { Evidence, Policy, Signal } from "../nouns.ts";
import { type Facts, fold } from "../situation/situation.ts";
import { crash, failed, healthy, nodes, policy, t0 } from "./decide.example.ts";
import { decide } from "./decide.ts";

const hour = 3_600_000;
const suspect: Partial<Signal> = { causeClass: "hardware-unnamed", cause: "xid-suspect", exitIndependent: false };
const link: Partial<Signal> = { causeClass: "network-pair", domain: "network", cause: "ib", exitIndependent: false };
const manyNodes = Array.from({ length: 200 }, (_, i) => ({ name: `n${i + 1}`, isEligible: true, partitions: ["gpu"] }));
const lemon = (node: string, jobs = 5) =>
  Array.from({ length: jobs }, (_, i) => against(node, `${900 + i}`, t0 - (i + 1) * hour));

function decided(
  entries: readonly LedgerEntry[],
  signal: Partial<Signal>,
  change: Partial<Facts> = {},
  wish: Partial<Policy> = {},
  cleared: Cleared = new Map(),
) {
  const signals = [crash(signal)];
  const facts = { ...healthy, attempt: failed("FAILED"), signals, nodes: manyNodes, ...change };
  const ledger = ledgerOf(entries, facts.nodes.length, t0, cleared);
  const decision = decide(
    fold({ ...facts, ledger }, t0),
    { kind: "covered", policy: { ...policy, ...wish }, warnings: [] },
    t0,
  );
  if (decision.kind !== "advise") throw new Error(`no Advice: ${decision.sentence}`);
  return {
    ...decision,
    without: decision.exclusions.map((e) => e.node),
    considered: nodesConsidered(decision, signals),
  };
}

describe("what another job said of the node", () => {
  // biome-ignore format: a table
  const stories: [story: string, entries: LedgerEntry[], signal: Partial<Signal>, without: string[]][] = [
    ["is the repetition that a suspect GPU waits for",     [against("n2", "7", t0 - hour)],                                     suspect, ["n2"]],
    ["is none, when it is about another node",             [against("n1", "7", t0 - hour)],                                     suspect, []],
    ["is none, when it is days old",                       [against("n2", "7", t0 - limits.exclusionLifeMs - 1)],               suspect, []],
    ["is none, when this job said it",                     [against("n2", "123", t0 - hour)],                                   suspect, []],
    ["is none, when that job only inferred it",            [against("n2", "7", t0 - hour, { counts: false })],                  suspect, []],
    ["names the end that two links share",                 [against("n2", "7", t0 - hour, { causeClass: "network-pair" })],     { ...link, nodes: ["n1", "n2"] }, ["n2"]],
    ["is of another sort: a link is no GPU",               [against("n2", "7", t0 - hour, { causeClass: "network-pair" })],     suspect, []],
    ["does not make a program's error the node's",         [against("n2", "7", t0 - hour)],                                     { causeClass: "workload-deterministic", exitIndependent: false }, []],
  ];
  test.each(stories)("%s", (_story, entries, signal, without) => {
    expect(decided(entries, signal).without).toEqual(without);
  });

  test("makes what this job says surer", () => {
    const alone = decided([], {}).exclusions[0]!.confidence;
    const { exclusions, sentence } = decided([against("n2", "7", t0 - hour)], {});
    expect([alone, exclusions[0]!.confidence]).toEqual([0.9, expect.closeTo(0.93, 3)]);
    expect(exclusions[0]!.evidence.map((e) => e.path)).toEqual(["/out", "/logs/7.out"]);
    expect(sentence).toContain("Job 7 has named n2, too.");
  });
});

describe("a node that the fleet accuses", () => {
  test("is avoided whatever failed this job, and the Advice says why", () => {
    const { without, exclusions, sentence, considered } = decided(lemon("n9"), {
      causeClass: "workload-deterministic",
    });
    expect(without).toEqual(["n9"]);
    expect(exclusions[0]).toMatchObject({ reason: "fails-different-jobs", expiresAt: t0 + limits.exclusionLifeMs });
    expect(exclusions[0]!.evidence).toHaveLength(3);
    expect(sentence).toContain("n9 has failed 5 different jobs.");
    expect(considered).toContainEqual(expect.objectContaining({ node: "n9", isExcluded: true }));
  });
  test("is named once, for what it did to this job, when it did something to it", () => {
    const { exclusions } = decided(lemon("n2"), {});
    expect(exclusions).toMatchObject([{ node: "n2", reason: "cuda-ecc-uncorrectable" }]);
  });
  test("is not excluded where the job is not given it anyway", () => {
    const table = manyNodes.map((n) => (n.name === "n9" ? { ...n, partitions: ["other"] } : n));
    expect(decided(lemon("n9"), { causeClass: "workload-deterministic" }, { nodes: table }).without).toEqual([]);
  });
  test("is not excluded when Slurm does not know it any more", () => {
    expect(decided(lemon("gone"), { causeClass: "workload-deterministic" }).without).toEqual([]);
  });
  test("is one of so many at most", () => {
    const many = manyNodes.slice(0, 30).flatMap(({ name }) => lemon(name, 9));
    const table = Array.from({ length: 5_000 }, (_, i) => ({ ...manyNodes[0]!, name: `n${i + 1}` }));
    const entries = many.map((e) => ({ ...e, nodesAtRisk: 5_000 }));
    const { without } = decided(entries, { causeClass: "workload-deterministic" }, { nodes: table });
    expect(without).toHaveLength(limits.accusedPerAdviceMax);
  });
});

describe("enough nodes remain", () => {
  const why = (of: ReturnType<typeof decided>) => (of.dropped ?? []).map((e) => `${e.node} ${e.why}`);

  test("the weakest goes first, and the Advice says how many there were", () => {
    const earlier = [
      {
        attempt: { ...failed("FAILED"), attemptIndex: 0 },
        progress: {},
        signals: [],
        advice: keepingAwayFrom("n1", 0.4),
      },
    ];
    const it = decided(
      [],
      {},
      { nodes: nodes.slice(0, 3), earlier, attempt: { ...failed("FAILED"), attemptIndex: 1 } },
    );
    expect(it.without).toEqual(["n2"]);
    expect(it.dropped).toMatchObject([{ node: "n1", why: "too-few-nodes", remaining: 1, needed: 2 }]);
    expect(it.sentence).toContain("n1 stays allowed: too few nodes would remain.");
    expect(it.considered).toContainEqual(
      expect.objectContaining({ node: "n1", why: expect.stringContaining("1 of the 2 that the job needs") }),
    );
  });

  test("of equally sure ones the one with the older line goes first, whatever their names", () => {
    const [n1, n2] = ["n1", "n2"].map((node) => [
      { attempt: failed("FAILED"), progress: {}, signals: [], advice: keepingAwayFrom(node, 0.9, [lineAt(t0 - hour)]) },
    ]);
    const tight = { nodes: nodes.slice(0, 3), attempt: { ...failed("FAILED"), attemptIndex: 1 } };
    expect(decided([], { nodes: ["n2"] }, { ...tight, earlier: n1! }).without).toEqual(["n2"]);
    expect(decided([], { nodes: ["n1"] }, { ...tight, earlier: n2! }).without).toEqual(["n1"]);
  });

  test("a node that recovery took out of the job's reach counts as one that it may have again, the author's does not", () => {
    const keepsAwayFromN1 = {
      ...failed("FAILED"),
      attemptIndex: 1,
      nodeConstraints: { exclusions: ["n1"], inclusions: [] },
    };
    const of = (advice: ReturnType<typeof keepingAwayFrom>) => {
      const earlier = [{ attempt: failed("FAILED"), progress: {}, signals: [], advice }];
      return decided([], {}, { nodes: nodes.slice(0, 3), attempt: keepsAwayFromN1, earlier }).without;
    };
    expect(of(keepingAwayFrom("n1", 0.4))).toEqual(["n2"]);
    expect(of(keepingAwayFrom("n3", 0.4))).toEqual([]);
  });

  // biome-ignore format: a table
  const tables: [what: string, nodes: Facts["nodes"], wish: Partial<Policy>, without: string[]][] = [
    ["of the partition",               nodes.map((n) => ({ ...n, partitions: n.name > "n2" ? ["other"] : ["gpu"] })), {}, []],
    ["that are not drained",           nodes.map((n) => ({ ...n, isEligible: n.name < "n3" })),                     {}, []],
    ["of which one is drained",        nodes.map((n) => ({ ...n, isEligible: n.name !== "n4" })),                   {}, ["n2"]],
    ["that the author does not avoid", nodes,                                                       { excludeNodes: ["n3", "n4"] }, []],
    ["beside the one he avoids",       nodes,                                                       { excludeNodes: ["n4"] },       ["n2"]],
  ];
  test.each(tables)("%s", (_what, table, wish, without) => {
    expect(decided([], {}, { nodes: table }, wish).without).toEqual(without);
  });

  const withFeatures = (...of: string[]) => nodes.map((n, i) => ({ ...n, features: of[i]?.split(",") ?? [] }));
  const asking = (slurm: object) => {
    const { schedulerMetadata, ...rest } = failed("FAILED");
    return { ...rest, schedulerMetadata: { slurm: { ...(schedulerMetadata["slurm"] as object), ...slurm } } };
  };

  test("with the features that the job asks for, and the Advice says why others do not count", () => {
    const attempt = asking({ constraint: "h100" });
    const enough = decided([], {}, { attempt, nodes: withFeatures("h100", "h100", "h100") });
    expect([enough.without, enough.room]).toEqual([
      ["n2"],
      { remaining: 2, needed: 2, of: 4, uncounted: [{ why: "without h100", nodes: 1 }] },
    ]);
    const tight = decided([], {}, { attempt, nodes: withFeatures("h100", "h100") });
    expect(tight.without).toEqual([]);
    expect(tight.sentence).toContain(
      "n2 stays allowed: too few nodes would remain. 2 of 4 nodes are left for the 2 that the job needs (not counted: 2 without h100).",
    );
  });

  test("of its reservation", () => {
    const attempt = asking({ reservation: "kept" });
    const kept = nodes.map((n) => ({ ...n, reservations: n.name < "n3" ? ["kept"] : [] }));
    expect(decided([], {}, { attempt, nodes: kept }).without).toEqual([]);
    expect(decided([], {}, { nodes: kept.map((n) => ({ ...n, reservations: ["kept"] })), attempt }).without).toEqual([
      "n2",
    ]);
  });

  test("what cannot be counted is said, and the exclusion stands: Slurm itself will say whether it can place the job", () => {
    const { without, sentence } = decided([], {}, { attempt: asking({ constraint: "!h100" }) });
    expect(without).toEqual(["n2"]);
    expect(sentence).toContain(
      "At most 199 of 200 nodes are left for the 2 that the job needs; it may be fewer: its constraint",
    );
  });

  test("a node that is asked for by name is not excluded, and the others still are", () => {
    const asked = { ...failed("FAILED"), nodeConstraints: { exclusions: [], inclusions: ["n2"] } };
    const it = decided([], { nodes: ["n1", "n2"] }, { attempt: asked });
    expect([it.without, why(it)]).toEqual([["n1"], ["n2 required"]]);
    expect(it.sentence).toContain("n2 stays allowed: the job asks for it by name.");
  });
  test("a name that is no node of the cluster is not sent to Slurm", () => {
    const it = decided([], { nodes: ["n2", "n2.example"] });
    expect([it.without, why(it)]).toEqual([["n2"], ["n2.example not-a-node"]]);
    expect(it.sentence).toContain("n2.example is not excluded: Slurm has no such node.");
  });
});

describe("a node that was repaired", () => {
  const before = (at: number) => [
    { attempt: failed("FAILED"), progress: {}, signals: [], advice: keepingAwayFrom("n1", 0.9, [lineAt(at)]) },
  ];
  const second = { ...failed("FAILED"), attemptIndex: 1 };
  const repaired = (node: string, at: number) => new Map([[node, at]]);

  test("is not kept away from for what it did to this job before", () => {
    const facts = { earlier: before(t0 - hour), attempt: second };
    expect(decided([], {}, facts).without).toEqual(["n2", "n1"]);
    expect(decided([], {}, facts, {}, repaired("n1", t0 - hour)).without).toEqual(["n2"]);
    expect(decided([], {}, facts, {}, repaired("n1", t0 - hour - 1)).without).toEqual(["n2", "n1"]);
    expect(decided([], {}, facts, {}, repaired("n3", t0)).without).toEqual(["n2", "n1"]);
  });
  test("nor for what it did to others", () => {
    const cause = { causeClass: "workload-deterministic" } as const;
    expect(decided(lemon("n9"), cause, {}, {}, repaired("n9", t0)).without).toEqual([]);
    expect(decided(lemon("n9"), cause, {}, {}, repaired("n9", t0 - 2 * hour)).without).toEqual([]);
    expect(decided(lemon("n9"), cause, {}, {}, repaired("n9", t0 - 6 * hour)).without).toEqual(["n9"]);
  });
  test("is kept away from when it fails again", () => {
    expect(decided([], {}, {}, {}, repaired("n2", t0 - 1)).without).toEqual(["n2"]);
  });
  test("nor does what it did before make a line the repetition that was waited for", () => {
    const { nodes: named, ...rest } = { ...suspect, nodes: ["n2"] };
    const earlier = [
      { attempt: failed("FAILED"), progress: {}, signals: [crash({ ...rest, at: t0 - 30_000, nodes: named })] },
    ];
    const facts = { earlier, attempt: second };
    expect(decided([], { ...suspect, nodes: named }, facts).without).toEqual(["n2"]);
    expect(decided([], { ...suspect, nodes: named }, facts, {}, repaired("n2", t0 - 20_000)).without).toEqual([]);
    expect(decided([against("n2", "7", t0 - hour)], suspect, {}, {}, repaired("n2", t0 - 1)).without).toEqual([]);
  });
});

const lineAt = (at: number): Evidence => ({ source: "log", line: "Xid", at });

function keepingAwayFrom(node: string, confidence: number, evidence: readonly Evidence[] = []) {
  const exclusion = { node, reason: "hang", evidence, confidence, expiresAt: t0 + hour };
  const status = { observedGeneration: 1, disposition: "CONVERGED", reason: "DESIRED_STATE_OBSERVED" };
  return { desired: "RESTARTED", rootKey: "x", charged: false, exclusions: [exclusion], status } as never;
}
