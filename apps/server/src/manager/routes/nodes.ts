/**
 * nodes: what is said against nodes, which Advice keeps away from them, and that they were repaired: `ListNodes`, `ClearNode` of
 * `reprise.v1.RecoveryService`.
 *
 *     GET  /reprise/v1/nodes                 viewer, operator, controller
 *     POST /reprise/v1/nodes/{node}/clear    operator
 *
 * Gives   the nodes of one cluster about which there is something to say, or the one that is asked for; of one that was repaired, where it
 *         stands then. Safe to repeat.
 * Fails   `invalid` names the field; `not-found` for a node that neither Slurm nor the evidence knows.
 * Bound   `limits.pageRowsMax` nodes, `statementsMax` statements of each, `excludingMax` Advices.
 */
import { type Clearance, clearedBy, isCleared } from "@reprise/core/evidence/clearance.ts";
import { decayed } from "@reprise/core/evidence/confidence.ts";
import { type Ledger, ledgerOf } from "@reprise/core/evidence/ledger.ts";
import type { LedgerEntry } from "@reprise/core/evidence/node-evidence.ts";
import { verdictOf, verdicts } from "@reprise/core/evidence/verdict.ts";
import { type Advice, type Exclusion, type Instant, isActive } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { limitOf } from "@reprise/protocol/page-token.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { identifier, optionalIdentifier, present } from "@reprise/protocol/wire/check.ts";
import { evidenceToWire } from "@reprise/protocol/wire/evidence.ts";
import { instantToWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import { reasonOf } from "../reason.ts";
import type { NodeRecord } from "../store.ts";
import { clusterOf } from "./cluster-of.ts";

type Routes = Pick<RpcHandlers<typeof RecoveryService, Caller>, "listNodes" | "clearNode">;

const excludingMax = 1_000;
/** Of one node. */
const statementsMax = 20;

export function nodesRoute({ store, clock, site }: Pick<Manager, "store" | "clock" | "site">): Routes {
  const look = async (cluster: string, now: Instant): Promise<Look> => {
    const [records, entries, advice, clearances] = await Promise.all([
      store.listNodes(cluster),
      store.loadEvidence(cluster, now),
      store.listExcluding(cluster, now, excludingMax),
      store.loadClearances(cluster, now),
    ]);
    return {
      table: new Map(records.map((record) => [record.name, record])),
      ledger: ledgerOf(entries, records.length, now, clearedBy(clearances)),
      excluding: byNode(advice, now),
      entries: Map.groupBy(entries, ({ node }) => node),
      clearances: new Map(clearances.map((clearance) => [clearance.node, clearance])),
    };
  };
  return {
    async listNodes(request) {
      const cluster = clusterOf(site, request.cluster);
      const asked = optionalIdentifier("node", request.node);
      const limit = limitOf(request.limit);
      const now = clock.now();
      const seen = await look(cluster, now);
      if (asked !== undefined) requireKnown(seen, asked, cluster);
      const told = (asked === undefined ? spokenOf(seen) : [asked])
        .map((name) => tell(name, seen, now))
        .toSorted(
          (a, b) =>
            verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) ||
            b.confidence - a.confidence ||
            (a.node < b.node ? -1 : 1),
        );
      const nodes = told.slice(0, limit);
      return { nodes, count: nodes.length, leftOut: told.length - nodes.length };
    },

    async clearNode(request, caller) {
      const cluster = clusterOf(site, request.cluster);
      const node = identifier("node", request.node);
      const reason = reasonOf(request.reason);
      const now = clock.now();
      requireKnown(await look(cluster, now), node, cluster);
      const ended = await store.clearNode(cluster, { node, by: caller.name, reason }, now);
      const standing = tell(node, await look(cluster, now), now);
      return { ...present({ cleared: standing.cleared }), standing, ended };
    },
  };
}

/** What is known of the nodes of one cluster. */
interface Look {
  readonly table: ReadonlyMap<string, NodeRecord>;
  readonly ledger: Ledger;
  readonly excluding: ReadonlyMap<string, readonly Excluding[]>;
  /** By node, the newest first, those before a repair among them. */
  readonly entries: ReadonlyMap<string, readonly LedgerEntry[]>;
  readonly clearances: ReadonlyMap<string, Clearance>;
}

interface Excluding {
  readonly advice: Advice;
  readonly exclusion: Exclusion;
}

function byNode(advice: readonly Advice[], now: Instant): ReadonlyMap<string, readonly Excluding[]> {
  const all = advice.flatMap((one) =>
    one.exclusions.filter((e) => e.expiresAt > now).map((exclusion) => ({ advice: one, exclusion })),
  );
  return Map.groupBy(all, ({ exclusion }) => exclusion.node);
}

const spokenOf = ({ ledger, excluding }: Look): readonly string[] => [
  ...new Set([...ledger.standings.keys(), ...excluding.keys()]),
];

function requireKnown({ table, entries, excluding }: Look, node: string, cluster: string): void {
  if (!table.has(node) && !entries.has(node) && !excluding.has(node))
    throw new Refusal("not-found", `node ${node} is not known in cluster ${cluster}`);
}

function tell(node: string, seen: Look, now: Instant) {
  const [record, standing] = [seen.table.get(node), seen.ledger.standings.get(node)];
  const excluding = seen.excluding.get(node) ?? [];
  const cleared = seen.clearances.get(node);
  const isEligible = record?.isEligible ?? false;
  const exclusions = excluding.map(({ exclusion }) => exclusion);
  const entries = standing?.entries ?? [];
  const ends = [...entries, ...exclusions].map(({ expiresAt }) => expiresAt);
  return {
    node,
    state: record?.state ?? "",
    eligible: isEligible,
    partitions: [...(record?.partitions ?? [])],
    ...verdictOf(standing, isEligible, exclusions, now),
    confidence: standing?.confidence ?? 0,
    failures: standing?.failures ?? 0,
    expected: standing?.expected ?? 0,
    chance: standing?.chance ?? 1,
    accused: standing?.isAccused ?? false,
    ...present({ until: optionalInstantToWire(ends.length === 0 ? undefined : Math.max(...ends)) }),
    evidence: (seen.entries.get(node) ?? [])
      .slice(0, statementsMax)
      .map((entry) => statementToWire(entry, isCleared(seen.ledger.cleared, node, entry.at), now)),
    excludedBy: excluding.map((one) => exclusionToWire(one, now)),
    ...present({ cleared: cleared === undefined ? undefined : clearanceToWire(cleared) }),
  };
}

const clearanceToWire = ({ at, by, reason }: Clearance) => ({ at: instantToWire(at), by, reason });

function statementToWire(entry: LedgerEntry, cleared: boolean, now: Instant) {
  const { heimdallJobId, jobId, attemptIndex, cause, causeClass, domain, at, expiresAt, counts, evidence } = entry;
  return {
    heimdallJobId,
    jobId,
    attemptIndex,
    cause,
    causeClass,
    domain,
    at: instantToWire(at),
    expiresAt: instantToWire(expiresAt),
    confidence: cleared ? 0 : decayed(entry, now),
    counts: counts && !cleared,
    cleared,
    evidence: evidenceToWire(evidence),
  };
}

function exclusionToWire({ advice, exclusion }: Excluding, now: Instant) {
  const { heimdallJobId, jobId, attemptIndex, generation } = advice;
  return {
    heimdallJobId,
    jobId,
    attemptIndex,
    generation: BigInt(generation),
    reason: exclusion.reason,
    confidence: exclusion.confidence,
    expiresAt: instantToWire(exclusion.expiresAt),
    active: isActive(advice, now),
  };
}
