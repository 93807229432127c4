/**
 * Goal    a node is to be drained when the fleet accuses it or its hardware broke lately; and never one that is out of use already.
 * Method  one table of what is said against a node, and of what it is now.
 */
import { expect, test } from "vitest";
import { t0 } from "../decide/decide.example.ts";
import type { Exclusion } from "../nouns.ts";
import { against } from "./evidence.example.ts";
import { ledgerOf } from "./ledger.ts";
import type { LedgerEntry } from "./node-evidence.ts";
import { verdictOf } from "./verdict.ts";

const hour = 3_600_000;
const jobs = (count: number) => Array.from({ length: count }, (_, i) => against("n1", `${i}`, t0 - (i + 1) * hour));
const ecc = (at: number) => against("n1", "7", at, { causeClass: "hardware-node", cause: "ecc", confidence: 0.9 });
const avoided: Exclusion = { node: "n1", reason: "ecc", evidence: [], confidence: 0.9, expiresAt: t0 + hour };

// biome-ignore format: a table
const cases: [story: string, entries: LedgerEntry[], isEligible: boolean, exclusions: Exclusion[], verdict: string][] = [
  ["nothing is said",                       [],                                          true,  [],        "clear: nothing is said against it"],
  ["it is drained, and nothing is said",    [],                                          false, [],        "clear: nothing is said against it"],
  ["only an exclusion is left",             [],                                          true,  [avoided], "watch: avoided for ecc, of which no evidence is left"],
  ["one line that does not prove it",       jobs(1),                                     true,  [],        "watch: xid-suspect, once"],
  ["what its job inferred",                 [against("n1", "7", t0, { counts: false, cause: "instant-repeat" })], true, [], "watch: instant-repeat; the job itself may be the reason"],
  ["two jobs of a small fleet",             jobs(2).map((e) => ({ ...e, nodesAtRisk: 4 })), true, [],      "watch: xid-suspect; 2 failures, which may be chance"],
  ["it broke an hour ago",                  [ecc(t0 - hour)],                            true,  [avoided], "drain: ecc, once"],
  ["it broke, and is drained",              [ecc(t0 - hour)],                            false, [],        "out: ecc, once"],
  ["it broke two days ago",                 [ecc(t0 - 48 * hour)],                       true,  [],        "watch: ecc, once"],
  ["the fleet accuses it",                  jobs(5),                                     true,  [],        "drain: 5 failures, an equal share is 0.05; by chance under 0.01 %"],
];

test.each(cases)("%s", (_story, entries, isEligible, exclusions, expected) => {
  const { verdict, why } = verdictOf(ledgerOf(entries, 100, t0).standings.get("n1"), isEligible, exclusions, t0);
  expect(`${verdict}: ${why}`).toBe(expected);
});
