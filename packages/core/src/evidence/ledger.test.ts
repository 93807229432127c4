/**
 * Goal    the fleet accuses a node that fails more often than chance explains, rarely another one, and never for one job or one incident.
 * Method  ledgers of a few entries; then simulated years of a fleet, from fixed seeds, with the failure rate that was published for a
 *         large cluster (6.5 in 1,000 node-days), looked at after every failure.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../limits.ts";
import { t0 } from "../decide/decide.example.ts";
import { against } from "./evidence.example.ts";
import { emptyLedger, ledgerOf, othersAgainst } from "./ledger.ts";
import type { LedgerEntry } from "./node-evidence.ts";

const hour = 3_600_000;
const day = 24 * hour;

const standing = (entries: readonly LedgerEntry[], nodes = 100, now = t0) =>
  ledgerOf(entries, nodes, now).standings.get("n1");
const jobs = (count: number, change: Partial<LedgerEntry> = {}) =>
  Array.from({ length: count }, (_, i) => against("n1", String(i), t0 - (i + 1) * hour, change));

describe("what counts", () => {
  test("nothing said is nobody suspected", () => {
    expect(ledgerOf([], 100, t0)).toBe(emptyLedger);
  });
  test("a failure of one job accuses nobody, however often it comes", () => {
    const same = jobs(9, { jobId: "7" });
    expect(standing(same)).toMatchObject({ failures: 1, chance: 1, isAccused: false });
  });
  test("a reissued ID is another job", () => {
    expect(standing([against("n1", "7", t0 - hour), against("n1", "7", t0, { incarnation: 1 })])?.failures).toBe(2);
  });
  test("one incident that broke several jobs is one failure", () => {
    const at = t0 - hour;
    expect(standing([1, 2, 3, 4].map((n) => against("n1", String(n), at + n * 60_000)))?.failures).toBe(1);
  });
  test("three different jobs accuse it, where two hundred other nodes failed none", () => {
    expect(standing(jobs(3), 200)).toMatchObject({ failures: 3, isAccused: true });
  });
  test("of four nodes three failures are no proof", () => {
    expect(standing(jobs(3, { nodesAtRisk: 4 }), 4)).toMatchObject({ failures: 3, isAccused: false });
  });
  test("what a job infers for itself counts against nobody", () => {
    expect(standing(jobs(9, { counts: false }))).toMatchObject({ failures: 0, isAccused: false });
    expect(othersAgainst(ledgerOf(jobs(9, { counts: false }), 100, t0), "n1", against("n1", "x", t0))).toEqual([]);
  });
  test("a job's own entries are not those of others", () => {
    const ledger = ledgerOf(jobs(3), 100, t0);
    expect(othersAgainst(ledger, "n1", against("n1", "1", t0)).map((e) => e.jobId)).toEqual(["0", "2"]);
  });
});

describe("confidence", () => {
  test("grows with different jobs, and not with attempts of one", () => {
    const [one, three] = [standing(jobs(1)), standing(jobs(3))];
    expect(one!.confidence).toBeLessThan(0.31);
    expect(three!.confidence).toBeGreaterThan(0.6);
    expect(standing(jobs(3, { jobId: "7" }))!.confidence).toBeCloseTo(one!.confidence, 2);
  });
  test("is half as strong after its half-life, and nothing after its end", () => {
    const entry = against("n1", "1", t0);
    expect(standing([entry], 100, t0 + limits.evidenceHalfLifeMs)?.confidence).toBeCloseTo(0.15);
    expect(standing([entry], 100, entry.expiresAt)).toBeUndefined();
  });
  test("is between nothing and nearly sure, whatever is said", () => {
    const entry = fc.record({
      at: fc.integer({ min: -90, max: 2 }),
      job: fc.nat(9),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.nat(300), (list, nodes) => {
        const entries = list.map((e) =>
          against(`n${e.job % 3}`, `${e.job}`, t0 + e.at * day, { confidence: e.confidence }),
        );
        for (const s of ledgerOf(entries, nodes, t0).standings.values()) {
          expect(s.confidence).toBeGreaterThanOrEqual(0);
          expect(s.confidence).toBeLessThanOrEqual(0.99);
          expect(s.chance).toBeGreaterThanOrEqual(0);
          expect(s.chance).toBeLessThanOrEqual(1);
          expect(s.failures).toBeLessThanOrEqual(s.entries.length);
        }
      }),
    );
  });
});

test("what a node did before its repair is not held against it, and stays one of the fleet's failures", () => {
  const failures = (node: string, jobs: number) =>
    Array.from({ length: jobs }, (_, i) => against(node, `${node}${i}`, t0 - (i + 2) * day));
  const entries = [...failures("n1", 5), ...failures("n2", 1)];
  const of = (at: number) => ledgerOf(entries, 100, t0, new Map([["n1", at]])).standings;
  expect(of(t0 - 90 * day)).toEqual(ledgerOf(entries, 100, t0).standings);
  expect(of(t0 - 3 * day).get("n1")).toMatchObject({ failures: 1, isAccused: false });
  expect(of(t0).get("n1")).toBeUndefined();
  expect(of(t0).get("n2")?.expected).toBeCloseTo(0.06);
});

/** A year of a fleet in which node 0 fails `lemon` times as often as the others, looked at after every failure. */
function year(nodes: number, lemon: number, seed: number) {
  const of = lots(seed);
  const perDay = 0.0065 * (nodes - 1 + lemon);
  let entries: LedgerEntry[] = [];
  let [lemonFailures, accusedOther] = [0, false];
  for (let at = t0, job = 0; ; job++) {
    at += (-Math.log(of()) / perDay) * day;
    if (at > t0 + 365 * day) return { foundBy: undefined, accusedOther };
    const lot = of() * (nodes - 1 + lemon);
    const node = lot < lemon ? 0 : 1 + Math.floor(lot - lemon);
    if (node === 0) lemonFailures++;
    entries = [...entries.filter((e) => e.expiresAt > at), against(`n${node}`, `${job}`, at, { nodesAtRisk: nodes })];
    const failing = entries.filter((e) => e.node === `n${node}`);
    // Only who failed just now can have become suspicious; the fleet's share needs all of them.
    if (failing.length < 2 || !ledgerOf(entries, nodes, at).standings.get(`n${node}`)!.isAccused) continue;
    if (lemon > 1 && node === 0) return { foundBy: lemonFailures, accusedOther };
    accusedOther = true;
  }
}

function lots(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 2 ** 32;
  };
}

describe("a simulated year", () => {
  const seeds = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

  test.each([16, 100, 400])("of %d equal nodes rarely accuses anybody", (nodes) => {
    const count = nodes > 100 ? 40 : 100;
    const years = seeds(count).filter((seed) => year(nodes, 1, seed).accusedOther).length;
    expect(years / count).toBeLessThanOrEqual(0.2);
  });

  test.each([16, 100, 400])(
    "of %d nodes, of which one fails twenty times as often, finds it by its twelfth failure",
    (nodes) => {
      const found = seeds(40)
        .map((seed) => year(nodes, 20, seed).foundBy ?? Infinity)
        .toSorted((a, b) => a - b);
      expect(found[Math.floor(0.5 * found.length)]).toBeLessThanOrEqual(6);
      expect(found[Math.floor(0.9 * found.length)]).toBeLessThanOrEqual(12);
    },
  );

  test("one look at a fleet of equal nodes accuses any of them with the stated chance at most", () => {
    const [nodes, looks] = [50, 2_000];
    const of = lots(7);
    let accusing = 0;
    for (let look = 0; look < looks; look++) {
      const entries = Array.from({ length: 25 }, (_, job) =>
        against(`n${Math.floor(of() * nodes)}`, `${job}`, t0 - (job + 1) * day, { nodesAtRisk: nodes }),
      );
      if ([...ledgerOf(entries, nodes, t0).standings.values()].some((s) => s.isAccused)) accusing++;
    }
    expect(accusing / looks).toBeLessThanOrEqual(limits.falseAccusationMax);
  });
});
