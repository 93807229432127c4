/**
 * exclusion: which nodes the successor must keep away from, and never so many that the job cannot run.
 *
 * In the loop   Situation, Cause, ledger → **exclusions** → decide
 * Pure, total   gives the exclusions, the strongest first; and the ones that were dropped, each with why.
 * Keeps         invariant 11: each has a reason, evidence, a confidence and an expiry; enough nodes remain; each is a node that Slurm knows.
 * Source        design §6, §7; docs/decisions/0023.
 */
import { isAnswered } from "../evidence/clearance.ts";
import { confidenceOf, decayed, together } from "../evidence/confidence.ts";
import { eligibleFor, inReach, requiredBy, type Room } from "../evidence/eligible.ts";
import { othersAgainst } from "../evidence/ledger.ts";
import { limits } from "../limits.ts";
import type { Exclusion, Instant, Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { causeClasses } from "./cause-class.ts";
import type { Cause } from "./cause.ts";
import type { Dropped } from "./decision.ts";
import { instantRepeat } from "./suspects.ts";

/** The reason of an exclusion for what a node did to other jobs. */
export const failsOthers = "fails-different-jobs";

export interface Exclusions {
  readonly keep: readonly Exclusion[];
  /** Left out, the weakest first. */
  readonly dropped: readonly Dropped[];
  /** What is left for the successor. Absent: nothing was to be excluded, or there is no node table to count in. */
  readonly room?: Room;
}

export function exclusionsOf(s: Situation, cause: Cause, policy: Policy, now: Instant): Exclusions {
  const wanted = new Map<string, Exclusion>();
  for (const e of accused(s, now)) wanted.set(e.node, e);
  for (const e of s.earlier.flatMap((before) => before.advice?.exclusions ?? []))
    if (e.expiresAt > now) wanted.set(e.node, e);
  for (const e of fresh(s, cause, now)) wanted.set(e.node, e);
  return fit(
    [...wanted.values()].filter((e) => !isAnswered(s.ledger.cleared, e)),
    s,
    policy,
  );
}

/** Lines of other jobs that stand with an exclusion. */
const othersToldMax = 3;

/** Nodes of a `repeated` class are in the cause only once they were repeated (`suspects.ts`). */
function fresh(s: Situation, cause: Cause, now: Instant): readonly Exclusion[] {
  const rule = causeClasses[cause.causeClass].exclude;
  const expiresAt = now + limits.exclusionLifeMs;
  const of = (node: string, reason: string, own: number): Exclusion => {
    const others = othersAgainst(s.ledger, node, s.attempt);
    const confidence = together([own, ...others.map((e) => decayed(e, now))]);
    const evidence = [...cause.evidence, ...others.slice(0, othersToldMax).map((e) => e.evidence)];
    return { node, reason, evidence, confidence, expiresAt };
  };
  if (rule === "named" || rule === "repeated") {
    const own =
      rule === "repeated"
        ? confidenceOf.repeated
        : cause.causeClass === "hang"
          ? confidenceOf.inferred
          : s.root?.exitIndependent === true
            ? confidenceOf.fatal
            : confidenceOf.named;
    return cause.nodes.map((node) => of(node, cause.name, own));
  }
  const node = rule === "instant-repeat" ? instantRepeat(s) : undefined;
  return node === undefined ? [] : [of(node, "instant-repeat", confidenceOf.inferred)];
}

/** Nodes that the job could be given, and that the fleet itself accuses, whatever failed this job; the surest, and not without bound. */
function accused(s: Situation, now: Instant): readonly Exclusion[] {
  const standings = [...s.ledger.standings.values()].filter((standing) => standing.isAccused);
  if (standings.length === 0) return [];
  const reach = new Set(inReach(s).map((n) => n.name));
  return standings
    .filter((standing) => reach.has(standing.node))
    .toSorted((a, b) => a.chance - b.chance || (a.node < b.node ? -1 : 1))
    .slice(0, limits.accusedPerAdviceMax)
    .map(({ node, entries, confidence }) => ({
      node,
      reason: failsOthers,
      evidence: entries.slice(0, othersToldMax).map((e) => e.evidence),
      confidence,
      expiresAt: now + limits.exclusionLifeMs,
    }));
}

/** Of equally sure ones the newest counts most, then the one for which more lines speak. The name only makes every replica say the same. */
function strongestFirst(a: Exclusion, b: Exclusion): number {
  const newestOf = ({ evidence }: Exclusion) => Math.max(0, ...evidence.map(({ at }) => at));
  return (
    b.confidence - a.confidence ||
    newestOf(b) - newestOf(a) ||
    b.evidence.length - a.evidence.length ||
    (a.node < b.node ? -1 : 1)
  );
}

/** Drops what cannot be excluded, and then the weakest until enough nodes remain. Without a node table nothing can be counted. */
function fit(wanted: readonly Exclusion[], s: Situation, policy: Policy): Exclusions {
  if (wanted.length === 0) return { keep: [], dropped: [] };
  const known = new Set(s.nodes.map((n) => n.name));
  const required = requiredBy(s, policy);
  const keep: Exclusion[] = [];
  const dropped: Dropped[] = [];
  for (const e of wanted.toSorted(strongestFirst)) {
    if (known.size > 0 && !known.has(e.node)) dropped.push({ ...e, why: "not-a-node" });
    else if (required.has(e.node)) dropped.push({ ...e, why: "required" });
    else keep.push(e);
  }
  const eligible = eligibleFor(s, policy);
  if (eligible === undefined) return { keep, dropped };
  const away = new Set(keep.map((e) => e.node));
  let room = eligible.without(away);
  while (room.remaining < room.needed) {
    // Also one that could not be given to the job now: it may be the one that comes back.
    const weakest = keep.pop();
    if (weakest === undefined) break;
    away.delete(weakest.node);
    dropped.push({ ...weakest, why: "too-few-nodes", remaining: room.remaining, needed: room.needed });
    room = eligible.without(away);
  }
  return { keep, dropped, room };
}
