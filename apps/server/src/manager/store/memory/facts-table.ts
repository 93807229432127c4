/** facts-table: which attempts have facts that nobody has decided about yet. See `postgres/facts-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { FactsRow, Tables } from "./tables.ts";

function put(t: Tables, uuid: string, row: FactsRow): void {
  t.facts.set(uuid, row);
  if (row.seq > row.decidedSeq || row.reconsiderAt !== undefined) t.undecided.add(uuid);
  else t.undecided.delete(uuid);
}

/** An attempt without a row gets one: everything about it is undecided. */
export function raiseFacts(t: Tables, uuids: Iterable<string>, now: Instant): void {
  for (const uuid of uuids) {
    const known = t.facts.get(uuid) ?? { seq: 0, decidedSeq: 0, claimedUntil: 0 };
    put(t, uuid, { ...known, seq: known.seq + 1, changedAt: now });
  }
}

/** As `raiseFacts`, but what is said about an attempt that nobody published stays without a row. */
export function raiseKnownFacts(t: Tables, uuids: Iterable<string>, now: Instant): void {
  raiseFacts(
    t,
    [...uuids].filter((uuid) => t.facts.has(uuid)),
    now,
  );
}

export function claimUndecided(t: Tables, limit: number, claimMs: number, now: Instant): readonly string[] {
  const waiting: { readonly uuid: string; readonly row: FactsRow }[] = [];
  for (const uuid of t.undecided) {
    const row = t.facts.get(uuid);
    if (row === undefined || row.claimedUntil > now) continue;
    if (row.seq > row.decidedSeq || (row.reconsiderAt ?? Infinity) <= now) waiting.push({ uuid, row });
  }
  const claimed = waiting.sort((a, b) => a.row.changedAt - b.row.changedAt).slice(0, limit);
  for (const { uuid, row } of claimed) put(t, uuid, { ...row, claimedUntil: now + claimMs });
  return claimed.map(({ uuid }) => uuid);
}

export function markDecided(t: Tables, uuid: string, seq: number, reconsiderAt: Instant | undefined): void {
  const row = t.facts.get(uuid);
  if (row === undefined) return;
  const { reconsiderAt: _, ...rest } = row;
  const next = reconsiderAt === undefined ? {} : { reconsiderAt };
  put(t, uuid, { ...rest, ...next, decidedSeq: seq, claimedUntil: 0 });
}

/** More is known than the last decision knew, or it was made while Slurm could not be read. */
export function isUndecided(t: Tables, uuid: string): boolean {
  const { seq, decidedSeq } = t.facts.get(uuid) ?? { seq: 0, decidedSeq: 0 };
  return seq > decidedSeq || t.decisions.get(uuid)?.decision.because === "scheduler-unseen";
}

/** The claim is given back: what was decided came too late. */
export function releaseClaim(t: Tables, uuid: string): void {
  const row = t.facts.get(uuid);
  if (row !== undefined) put(t, uuid, { ...row, claimedUntil: 0 });
}
