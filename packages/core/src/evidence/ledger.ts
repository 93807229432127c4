/**
 * ledger: all evidence against nodes, weighed: how far each node is suspected, and whom the fleet itself accuses.
 *
 * In the loop   entries of all attempts → **ledger** → decide, `reprise nodes`
 * Pure, total
 * Keeps         one job counts once against a node, and one incident once, however many jobs it broke. Evidence decays and expires.
 * Source        design §6; docs/decisions/0023.
 *
 * The test. Were all nodes equal, a failure would hit any of the n nodes at risk with chance 1/n; so a node's share of the fleet's
 * failures is the sum of 1/n over them (the Nelson-Aalen estimate of the fleet's rate, for one node over the window). A node is
 * accused when as many failures as it had have, by an exact Poisson tail about that share, a chance of at most
 * `limits.falseAccusationMax`, divided by the number of nodes (Bonferroni). Given all failures, a node's count is a sum of such draws,
 * whose upper tail the Poisson one is never below: the bound holds for every fleet and every use of it.
 */
import { limits } from "../limits.ts";
import type { Instant } from "../nouns.ts";
import { type Cleared, isCleared } from "./clearance.ts";
import { decayed, together } from "./confidence.ts";
import type { LedgerEntry } from "./node-evidence.ts";
import { poissonTail } from "./poisson.ts";

/** Where one node stands. */
export interface NodeStanding {
  readonly node: string;
  /** Newest first. */
  readonly entries: readonly LedgerEntry[];
  /** 0 to 1: what of the evidence has not decayed, of all jobs together. */
  readonly confidence: number;
  /** Different jobs that it failed, each in an incident of its own. */
  readonly failures: number;
  /** As many as its share of the fleet's failures is. */
  readonly expected: number;
  /** That any node of an equal fleet has so many by chance, 0 to 1. */
  readonly chance: number;
  /** The fleet accuses it: chance alone does not explain its failures. */
  readonly isAccused: boolean;
}

export interface Ledger {
  readonly standings: ReadonlyMap<string, NodeStanding>;
  /** Nodes that were repaired, and when. */
  readonly cleared: Cleared;
}

export const emptyLedger: Ledger = { standings: new Map(), cleared: new Map() };

/**
 * @param entries    Of one cluster.
 * @param nodeCount  Of the node table; 0 where there is none: then as many as were at risk.
 * @param cleared    What a node did before its repair is not held against it. It stays one of the fleet's failures: otherwise the share of
 *                   every other node would fall because somebody chose which failures to forget.
 */
export function ledgerOf(
  entries: readonly LedgerEntry[],
  nodeCount: number,
  now: Instant,
  cleared: Cleared = emptyLedger.cleared,
): Ledger {
  const unexpired = entries.filter((e) => e.expiresAt > now);
  const live = unexpired.filter((e) => !isCleared(cleared, e.node, e.at));
  if (live.length === 0) return cleared.size === 0 ? emptyLedger : { standings: emptyLedger.standings, cleared };
  const byNode = Map.groupBy(live, ({ node }) => node);
  const failures = new Map([...byNode].map(([node, of]) => [node, failuresIn(of)]));
  const answered = Map.groupBy(
    unexpired.filter((e) => isCleared(cleared, e.node, e.at)),
    ({ node }) => node,
  );
  const all = [...failures.values(), ...[...answered.values()].map(failuresIn)].flat();
  const fleet = {
    expected: all.reduce((sum, e) => sum + 1 / Math.max(1, e.nodesAtRisk), 0),
    nodes: all.reduce((most, e) => Math.max(most, e.nodesAtRisk), Math.max(1, nodeCount)),
  };
  const standings = [...byNode].map(([node, of]): [string, NodeStanding] => [
    node,
    { node, ...weigh(of, now), ...judge(failures.get(node)?.length ?? 0, fleet) },
  ]);
  return { standings: new Map(standings), cleared };
}

/** Each job once, and each incident once; oldest first. */
function failuresIn(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const jobs = new Set<string>();
  const failures: LedgerEntry[] = [];
  for (const entry of entries.filter((e) => e.counts).toSorted((a, b) => a.at - b.at)) {
    const last = failures.at(-1);
    const isSame = last !== undefined && entry.at - last.at < limits.nodeIncidentMs;
    if (isSame || jobs.has(jobOf(entry))) continue;
    jobs.add(jobOf(entry));
    failures.push(entry);
  }
  return failures;
}

function judge(failures: number, { expected, nodes }: { readonly expected: number; readonly nodes: number }) {
  // The Poisson tail bounds the true one from a count of one more than its mean on; a single failure accuses nobody.
  const isUnusual = failures >= 2 && failures >= expected + 1;
  const chance = isUnusual ? Math.min(1, poissonTail(failures, expected) * nodes) : 1;
  return { failures, expected, chance, isAccused: chance <= limits.falseAccusationMax };
}

function weigh(entries: readonly LedgerEntry[], now: Instant): Pick<NodeStanding, "entries" | "confidence"> {
  const strongest = new Map<string, number>();
  for (const entry of entries) {
    const job = jobOf(entry);
    strongest.set(job, Math.max(strongest.get(job) ?? 0, decayed(entry, now)));
  }
  return {
    entries: entries.toSorted((a, b) => b.at - a.at || (a.heimdallJobId < b.heimdallJobId ? -1 : 1)),
    confidence: together([...strongest.values()]),
  };
}

/** Which job an entry is of; a reissued ID is another job. */
export const jobOf = ({
  jobId,
  incarnation,
  heimdallJobId,
}: Pick<LedgerEntry, "jobId" | "incarnation" | "heimdallJobId">) =>
  jobId === "" ? heimdallJobId : `${jobId}@${incarnation}`;

/** Entries of other jobs against this node that count here. */
export function othersAgainst(
  { standings }: Ledger,
  node: string,
  job: Pick<LedgerEntry, "jobId" | "incarnation" | "heimdallJobId">,
): readonly LedgerEntry[] {
  return standings.get(node)?.entries.filter((e) => e.counts && jobOf(e) !== jobOf(job)) ?? [];
}
