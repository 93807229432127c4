/**
 * Goal    the ledger has what the newest facts of each attempt say against nodes, and nothing that has expired; who may be concerned by
 *         something new is decided about again.
 * Method  accusations of a few attempts, on two clusters, read through another replica.
 */
import { expect, test } from "vitest";
import type { NodeEvidence } from "@reprise/core/evidence/node-evidence.ts";
import { limits } from "@reprise/core/limits.ts";
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import type { Store } from "../../store.ts";
import {
  cluster,
  converged,
  crash,
  decided,
  factsOf,
  failed,
  hour,
  noon,
  none,
  notCovered,
  type Open,
  pass,
  pending,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  status,
  terminate,
  undecided,
} from "../testing/world.ts";

export function said(node: string, change: Partial<NodeEvidence> = {}): NodeEvidence {
  const at = change.at ?? noon;
  return {
    node,
    cause: "cuda-ecc-uncorrectable",
    causeClass: "hardware-node",
    domain: "hardware",
    at,
    confidence: 0.9,
    expiresAt: at + limits.evidenceLifeMs,
    counts: true,
    evidence: { source: "log", line: "uncorrectable ECC error \u0000", path: "/logs/1.out", offset: 7, at },
    ...change,
  };
}

async function accuse(store: Store, job: AttemptRecord, entries: readonly NodeEvidence[], now: Instant = noon) {
  const { factsSeq } = await factsOf(store, job);
  const heimdallJobId = job.heimdallJobId.toUpperCase();
  const left = await store.recordEvidence(job.cluster, [{ heimdallJobId, factsSeq, entries }], now);
  expect(left).toEqual(await store.loadEvidence(job.cluster, now));
}

async function ledger(store: Store, now: Instant = noon, of = cluster): Promise<string[]> {
  const entries = await store.loadEvidence(of, now);
  return entries.map((e) => `${e.node} ${e.jobId}-${e.attemptIndex} ${e.confidence} of ${e.nodesAtRisk}`);
}

export function evidenceContract(open: Open): void {
  test("what an attempt says is kept with its line, and who it is", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 1, failed), noon);
    await accuse(store, job, [said("n1"), said("n2", { confidence: 0.3, counts: false })]);
    const { heimdallJobId } = job;
    expect(await replica.loadEvidence(cluster, noon)).toEqual([
      {
        ...said("n1"),
        evidence: { ...said("n1").evidence, line: "uncorrectable ECC error \uFFFD" },
        heimdallJobId,
        jobId: "1",
        attemptIndex: 1,
        incarnation: 0,
        nodesAtRisk: 1,
      },
      expect.objectContaining({ node: "n2", confidence: 0.3, counts: false }),
    ]);
  });

  test("what it says later takes the place of what it said, also when that is nothing", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    await accuse(store, job, [said("n1"), said("n2")]);
    await accuse(store, job, [said("n2", { confidence: 0.5 }), said("n3")]);
    expect((await ledger(replica)).sort()).toEqual(["n2 1-0 0.5 of 1", "n3 1-0 0.9 of 1"]);
    await accuse(store, job, []);
    expect(await ledger(replica)).toEqual([]);
  });

  test("nothing is kept of facts that have changed since, nor of an attempt of another cluster or that nobody knows", async () => {
    const { store, replica } = await open();
    const [one, two] = [
      await store.upsertJob(report("1", 0, failed), noon),
      await store.upsertJob(report("2", 0, failed), noon),
    ];
    const elsewhere = await store.upsertJob(report("1", 0, { ...failed, cluster: "other" }), noon);
    const seqOf = async (job: AttemptRecord) => (await factsOf(store, job)).factsSeq;
    const unknown = "11111111-2222-4333-8444-555555555555";
    await store.recordEvidence(
      cluster,
      [
        { heimdallJobId: elsewhere.heimdallJobId, factsSeq: await seqOf(elsewhere), entries: [said("n1")] },
        { heimdallJobId: one.heimdallJobId, factsSeq: (await seqOf(one)) - 1, entries: [said("n1")] },
        { heimdallJobId: unknown, factsSeq: 1, entries: [said("n1")] },
        { heimdallJobId: two.heimdallJobId, factsSeq: await seqOf(two), entries: [said("n2")] },
      ],
      noon,
    );
    expect(await ledger(replica)).toEqual(["n2 2-0 0.9 of 1"]);
  });

  test("the newest come first, and of each cluster its own", async () => {
    const { store, replica } = await open();
    const jobs = [
      await store.upsertJob(report("1", 0, failed), noon),
      await store.upsertJob(report("2", 0, failed), noon),
      await store.upsertJob(report("1", 0, { ...failed, cluster: "other" }), noon),
    ];
    for (const [i, job] of jobs.entries()) await accuse(store, job, [said("n1", { at: noon + i * s })]);
    expect(await ledger(replica)).toEqual(["n1 2-0 0.9 of 1", "n1 1-0 0.9 of 1"]);
    expect(await ledger(replica, noon, "other")).toEqual(["n1 1-0 0.9 of 1"]);
  });

  test("what has expired is not read, and is gone once something new is said", async () => {
    const { store, replica } = await open();
    const [one, two] = [
      await store.upsertJob(report("1", 0, failed), noon),
      await store.upsertJob(report("2", 0, failed), noon),
    ];
    await accuse(store, one, [said("n1", { expiresAt: noon + s }), said("n2")]);
    expect(await ledger(replica, noon + s)).toEqual(["n2 1-0 0.9 of 1"]);
    await accuse(store, two, [said("n3")], noon + s);
    expect((await ledger(replica, noon)).sort()).toEqual(["n2 1-0 0.9 of 1", "n3 2-0 0.9 of 1"]);
  });

  test("at risk were the nodes that ran watched jobs when it happened, its own among them", async () => {
    const { store } = await open();
    const at = noon + hour;
    await store.reportPass(
      pass(noon, {
        changed: [
          report("1", 0, { nodes: ["n1", "n2"] }),
          report("2", 0, { nodes: ["n2", "n3", "n4"] }),
          report("3", 0, { nodes: ["n5"], coverage: notCovered }),
          report("5", 0, { nodes: ["n7"], ...pending }),
          report("6", 0, { nodes: ["n8"] }),
          report("7", 0, { nodes: ["n9"] }),
        ],
      }),
      noon,
    );
    await store.upsertJob(report("4", 0, { nodes: ["n6"], cluster: "other" }), noon);
    await store.upsertJob(report("6", 0, { ...failed, nodes: ["n8"] }), at - s); // Over before it happened.
    await store.upsertJob(report("7", 0, { ...failed, nodes: ["n9"] }), at + s); // Over after it.
    await store.upsertJob(report("8", 0, { nodes: ["n10"] }), at + s); // Begun after it.
    const job = await store.upsertJob(report("1", 0, { ...failed, nodes: ["n1", "n2"] }), at);
    await accuse(store, job, [said("n1", { at })], at + 2 * s);
    expect(await ledger(store)).toEqual(["n1 1-0 0.9 of 5"]); // n1 n2 n3 n4 n9
    await accuse(store, job, [said("n1", { at, confidence: 0.5 })], at + 2 * s);
    expect(await ledger(store)).toEqual(["n1 1-0 0.5 of 5"]);
  });

  test("those who wait for their restart are decided about again when a node that their log names is named by another job", async () => {
    const { store } = await open();
    const jobs = new Map<string, AttemptRecord>();
    for (const name of ["1", "2", "3", "4", "5", "7"]) {
      const job = await store.upsertJob(report(name, 0, failed), noon);
      await store.recordSignals(signals(crash(job, { nodes: [name === "7" ? "n7" : "n1"] })), noon);
      jobs.set(name, job);
    }
    const of = (name: string) => jobs.get(name)!;
    for (const name of ["1", "2", "3", "7"]) await decided(store, of(name), restart([]));
    await decided(store, of("4"), terminate());
    await decided(store, of("5"), none());
    await store.observeStatus(of("3").heimdallJobId, status(1, converged), noon);
    await decided(store, of("3"), restart([]));
    expect(await undecided(store, noon + s)).toEqual([]);

    await accuse(store, of("2"), [said("n1", { counts: false })]);
    expect(await undecided(store, noon + s)).toEqual([]);
    const told: string[] = [];
    store.onChange(({ kind, heimdallJobId }) => kind !== "anew" && told.push(heimdallJobId));
    await accuse(store, of("2"), [said("n1")]);
    expect(told).toEqual([of("1").heimdallJobId]);
    expect(await undecided(store, noon + s)).toEqual(["1-0"]);
    await settleDecisions(store, noon + 10 * s);
    await accuse(store, of("2"), [said("n1")]);
    expect(await undecided(store, noon + 10 * s)).toEqual([]);
  });

  test("what was decided before another job named the same node is stale, also where there is no Advice yet", async () => {
    const { store, replica } = await open();
    const made = async (on: Store, name: string) => {
      const job = await on.upsertJob(report(name, 0, failed), noon);
      await on.recordSignals(signals(crash(job)), noon);
      const { factsSeq } = await factsOf(on, job);
      return { heimdallJobId: job.heimdallJobId, factsSeq, entries: [said("n1")] };
    };
    const [one, two] = [await made(store, "1"), await made(replica, "2")];
    await Promise.all([store.recordEvidence(cluster, [one], noon), replica.recordEvidence(cluster, [two], noon)]);
    const decisions = [one, two].map(({ heimdallJobId, factsSeq }) => ({
      heimdallJobId,
      factsSeq,
      decision: restart([]),
    }));
    const recorded = await store.recordDecisions(decisions, noon);
    expect(recorded.map(({ kind }) => kind)).toContain("stale");
  });

  test("all of them are when the fleet accuses a node that it did not accuse before", async () => {
    const { store } = await open();
    const nodes = Array.from({ length: 30 }, (_, i) => `n${i}`);
    await store.reportPass(pass(noon - hour, { changed: [report("30", 0, { nodes })] }), noon - hour);
    await settleDecisions(store, noon - hour);
    const waiting = await store.upsertJob(report("9", 0, failed), noon);
    const elsewhere = await store.upsertJob(report("9", 0, { ...failed, cluster: "other" }), noon);
    for (const job of [waiting, elsewhere]) await decided(store, job, restart([]));
    const asked: string[][] = [];
    for (const [i, name] of ["1", "2", "3"].entries()) {
      const job = await store.upsertJob(report(name, 0, failed), noon);
      await decided(store, job, none());
      await accuse(store, job, [said("n1", { at: noon + i * hour })], noon + i * hour);
      asked.push(await undecided(store, noon + i * hour));
      await settleDecisions(store, noon + i * hour + 2 * s);
    }
    expect(asked).toEqual([[], [], ["9-0"]]);
  });

  test("Advice that keeps away from a node is listed until it expires or is withdrawn, by its newest generation", async () => {
    const { store, replica } = await open();
    const jobs: AttemptRecord[] = [];
    for (const [i, name] of ["1", "2", "3", "4"].entries())
      jobs.push(await store.upsertJob(report(name, 0, failed), noon + i * s));
    const [one, two, three, four] = jobs as [AttemptRecord, AttemptRecord, AttemptRecord, AttemptRecord];
    await decided(store, one, restart(["n1"]), noon);
    await decided(store, one, restart(["n1", "n2"]), noon + s);
    await store.observeStatus(one.heimdallJobId, status(2, converged), noon + 2 * s);
    await decided(store, two, restart([]), noon);
    await decided(store, three, restart(["n3"]), noon);
    await decided(store, three, none({ withdraw: true }), noon + s);
    await decided(store, four, restart(["n1"]), noon + 3 * s);
    const listed = async (now: Instant, limit = 10) =>
      (await replica.listExcluding(cluster, now, limit)).map(
        (a) => `${a.jobId} g${a.generation} ${a.exclusions.map((e) => e.node).join(" ")}`,
      );
    expect(await listed(noon + 4 * s)).toEqual(["4 g1 n1", "1 g2 n1 n2"]);
    expect(await listed(noon + 4 * s, 1)).toEqual(["4 g1 n1"]);
    expect(await listed(noon + 24 * hour)).toEqual([]);
    expect(await replica.listExcluding("other", noon, 10)).toEqual([]);
  });

  test("a node that was repaired: what counted is told once, the last word counts, and each cluster has its own", async () => {
    const { store, replica } = await open();
    const [one, two] = [
      await store.upsertJob(report("1", 0, failed), noon),
      await store.upsertJob(report("2", 0, failed), noon),
    ];
    await accuse(store, one, [said("n1"), said("n2")]);
    const repair = (reason: string, at: Instant, of = cluster) =>
      store.clearNode(of, { node: "n1", by: "ada", reason }, at);
    expect(await repair("a GPU was replaced", noon + s)).toBe(1);
    expect(await repair("and a cable", noon + 2 * s)).toBe(0);
    await accuse(store, two, [said("n1", { at: noon + 3 * s })], noon + 3 * s);
    expect(await replica.loadClearances(cluster, noon + 3 * s)).toEqual([
      { node: "n1", at: noon + 2 * s, by: "ada", reason: "and a cable" },
    ]);
    expect(await repair("told late", noon + s)).toBe(0);
    expect(await replica.loadClearances(cluster, noon)).toMatchObject([{ at: noon + 2 * s, reason: "and a cable" }]);
    expect((await ledger(replica, noon + 3 * s)).length).toBe(3);
    expect(await replica.loadClearances("other", noon + s)).toEqual([]);
    expect(await repair("nothing was known of it", noon + s, "other")).toBe(0);
    expect(await replica.loadClearances(cluster, noon + 2 * s + limits.evidenceLifeMs)).toEqual([]);
    const { rows } = await replica.listAuditEvents({ type: "node.cleared" }, { order: "asc", limit: 10 });
    expect(rows).toHaveLength(4);
    expect(rows[0]?.payload).toEqual({
      cluster,
      node: "n1",
      reason: "a GPU was replaced",
      by: "ada",
      ended: 1,
    });
  });

  test("a node that fails again after its repair is accused from then on, not for what it did before", async () => {
    const { store } = await open();
    const nodes = Array.from({ length: 60 }, (_, i) => `n${i}`);
    await store.reportPass(pass(noon - hour, { changed: [report("30", 0, { nodes })] }), noon - hour);
    const waiting = await store.upsertJob(report("9", 0, failed), noon);
    await decided(store, waiting, restart([]));
    await settleDecisions(store, noon);
    const asked: string[][] = [];
    for (const [i, name] of ["1", "2", "3", "4", "5"].entries()) {
      const at = noon + i * hour;
      const job = await store.upsertJob(report(name, 0, failed), at);
      await decided(store, job, none());
      await accuse(store, job, [said("n1", { at })], at);
      asked.push(await undecided(store, at));
      if (i === 1) await store.clearNode(cluster, { node: "n1", by: "ada", reason: "repaired" }, at);
      await settleDecisions(store, at + 2 * s);
    }
    expect(asked).toEqual([[], [], [], [], ["9-0"]]);
  });

  test("the nodes of a cluster are listed by name, with what is known of them", async () => {
    const { store, replica } = await open();
    expect(await store.listNodes(cluster)).toEqual([]);
    const node = (name: string) => ({ name, state: "idle", isEligible: true, partitions: ["gpu"] });
    await store.reportPass(pass(noon, { nodes: [node("n2"), node("n1")] }), noon);
    expect(await replica.listNodes(cluster)).toEqual([node("n1"), node("n2")]);
    const hardware = { cpus: 16, memoryMb: 64_000, gres: "gpu:h100:8" };
    const known = { ...node("n1"), features: ["h100"], reservations: [], hardware };
    await store.reportPass(pass(noon + s, { nodes: [known] }), noon + s);
    expect(await replica.listNodes(cluster)).toEqual([known, node("n2")]);
    await store.reportPass(pass(noon + 2 * s, { nodes: [{ ...known, reservations: ["kept"] }] }), noon + 2 * s);
    expect(await replica.listNodes(cluster)).toEqual([{ ...known, reservations: ["kept"] }, node("n2")]);
  });
}
