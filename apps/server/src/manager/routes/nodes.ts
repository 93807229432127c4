/**
 * nodes: what is said against nodes, and which Advice keeps away from them: `ListNodes` of `reprise.v1.RecoveryService`.
 *
 *     GET /reprise/v1/nodes    viewer, operator, controller
 *
 * Gives   the nodes of one cluster about which there is something to say, or the one that is asked for. Read only; safe to repeat.
 * Fails   `invalid` names the field; `not-found` for a node that neither Slurm nor the evidence knows.
 * Bound   `limits.pageRowsMax` nodes, `statementsMax` statements of each, `excludingMax` Advices.
 */
import { decayed } from "@reprise/core/evidence/confidence.ts";
import { type Ledger, ledgerOf, type NodeStanding } from "@reprise/core/evidence/ledger.ts";
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
import type { NodeRecord } from "../store.ts";

const excludingMax = 1_000;
/** Of one node. */
const statementsMax = 20;

export function nodesRoute({
  store,
  clock,
  site,
}: Pick<Manager, "store" | "clock" | "site">): Pick<RpcHandlers<typeof RecoveryService, Caller>, "listNodes"> {
  return {
    async listNodes(request) {
      const cluster = request.cluster === "" ? site.cluster : identifier("cluster", request.cluster);
      const asked = optionalIdentifier("node", request.node);
      const limit = limitOf(request.limit);
      const now = clock.now();
      const [records, entries, advice] = await Promise.all([
        store.listNodes(cluster),
        store.loadEvidence(cluster, now),
        store.listExcluding(cluster, now, excludingMax),
      ]);
      const table = new Map(records.map((record) => [record.name, record]));
      const ledger = ledgerOf(entries, table.size, now);
      const excluding = byNode(advice, now);
      const names = asked === undefined ? spokenOf(ledger, excluding) : [asked];
      if (asked !== undefined && !table.has(asked) && !ledger.standings.has(asked) && !excluding.has(asked))
        throw new Refusal("not-found", `node ${asked} is not known in cluster ${cluster}`);
      const told = names
        .map((name) => tell(name, table.get(name), ledger.standings.get(name), excluding.get(name) ?? [], now))
        .toSorted(
          (a, b) =>
            verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) ||
            b.confidence - a.confidence ||
            (a.node < b.node ? -1 : 1),
        );
      const nodes = told.slice(0, limit);
      return { nodes, count: nodes.length, leftOut: told.length - nodes.length };
    },
  };
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

const spokenOf = (ledger: Ledger, excluding: ReadonlyMap<string, unknown>): readonly string[] => [
  ...new Set([...ledger.standings.keys(), ...excluding.keys()]),
];

function tell(
  node: string,
  record: NodeRecord | undefined,
  standing: NodeStanding | undefined,
  excluding: readonly Excluding[],
  now: Instant,
) {
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
    evidence: entries.slice(0, statementsMax).map((entry) => statementToWire(entry, now)),
    excludedBy: excluding.map((one) => exclusionToWire(one, now)),
  };
}

function statementToWire(entry: LedgerEntry, now: Instant) {
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
    confidence: decayed(entry, now),
    counts,
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
