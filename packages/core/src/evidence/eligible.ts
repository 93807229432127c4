/**
 * eligible: how many nodes the successor could be given, and how many it needs.
 *
 * In the loop   Situation, Policy → **count** → exclusions
 * Pure, total   undefined without a node table: then nothing can be counted.
 * Keeps         a node counts only if Slurm may give it to the job now or when another one ends: in its partition, neither down nor drained,
 *               of its reservation or of none, with the features, CPUs, memory and GPUs that it asks for, and kept away from by nobody.
 *               What cannot be known is said, and then there are at most so many.
 * Source        design §6; docs/decisions/0037, 0050.
 */
import { slurmFactsOf } from "../fact/slurm-facts.ts";
import type { Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { type Features, readConstraint, type Way } from "./constraint.ts";
import { type HardwareDemand, hardwareDemandOf, lackOf } from "./hardware-demand.ts";

type Node = Situation["nodes"][number];

/** What was counted before nodes were excluded. */
export interface Room {
  /** So many nodes could be given to the job… */
  readonly remaining: number;
  /** …and it needs so many. Of several demands the one that is nearest to its end. */
  readonly needed: number;
  /** Nodes of its partitions, in whatever state. */
  readonly of: number;
  /** Why the others do not count, each once, for the first reason that holds. */
  readonly uncounted: readonly { readonly why: string; readonly nodes: number }[];
  /** What could not be counted: there may be fewer. Absent: everything was. */
  readonly unknown?: readonly string[];
}

/** One sentence for a person. */
export function roomInWords({ remaining, needed, of, uncounted, unknown }: Room): string {
  const others = uncounted.map(({ why, nodes }) => `${nodes} ${why}`).join(", ");
  const why = others === "" ? "" : ` (not counted: ${others})`;
  const doubt = unknown === undefined ? "" : `; it may be fewer: ${unknown.join("; ")}`;
  return `${unknown === undefined ? "" : "At most "}${remaining} of ${of} nodes are left for the ${needed} that the job needs${why}${doubt}.`;
}

export interface Eligible {
  /** The nodes that count at all. */
  readonly names: ReadonlySet<string>;
  /** How it would be without these. The job can run when `remaining` is at least `needed`. */
  without(away: ReadonlySet<string>): Room;
}

export function eligibleFor(s: Situation, policy: Policy): Eligible | undefined {
  if (s.nodes.length === 0) return undefined;
  const asked = askedBy(s, policy);
  const uncounted = new Map<string, number>();
  const reach = inReach(s);
  const counted = reach.filter((node) => {
    const why = whyNot(node, asked);
    if (why !== undefined) uncounted.set(why, (uncounted.get(why) ?? 0) + 1);
    return why === undefined;
  });
  const placements = placementsOf(counted, asked);
  const told = {
    of: reach.length,
    uncounted: [...uncounted].map(([why, nodes]) => ({ why, nodes })),
    ...(asked.unknown.length === 0 ? {} : { unknown: asked.unknown }),
  };
  return {
    get names() {
      return new Set(placements.flatMap((parts) => parts.flatMap(({ names }) => [...names])));
    },
    without: (away) => ({
      ...best(
        placements.map((parts) => tightest(parts, away)),
        asked.needed,
      ),
      ...told,
    }),
  };
}

/** Nodes of the job's partitions, in whatever state they are. */
export function inReach(s: Situation): Situation["nodes"] {
  const partitions = partitionsOf(s);
  return partitions.length === 0 ? s.nodes : s.nodes.filter((n) => n.partitions.some((p) => partitions.includes(p)));
}

/** A required node that is excluded is BadConstraints. */
export const requiredBy = (s: Situation, policy: Policy): ReadonlySet<string> =>
  new Set([...policy.includeNodes, ...s.attempt.nodeConstraints.inclusions]);

interface Asked {
  readonly needed: number;
  /** All of its nodes are of one of these. Empty: any. */
  readonly partitions: readonly string[];
  /** All of its nodes are of one of these. `none`: only those of none. `unknown`: which nodes it has is not known. */
  readonly reservations: readonly string[] | "none" | "unknown";
  readonly ways: readonly Way[];
  readonly constraint: string;
  readonly hardware: HardwareDemand;
  readonly away: ReadonlySet<string>;
  readonly unknown: readonly string[];
}

const noDemand: readonly Way[] = [[{ isMetBy: () => true }]];

function askedBy(s: Situation, policy: Policy): Asked {
  const { constraint = "", reservation = "", hetComponents } = slurmOf(s);
  const isHeterogeneous = hetComponents !== undefined;
  const hardware = hardwareDemandOf(isHeterogeneous ? {} : slurmFactsOf(s.attempt), s.nodes); // Each component asks for its own.
  const unknown: string[] = [...hardware.unknown];
  const readable = constraint === "" ? noDemand : readConstraint(constraint);
  const hasFeatures = s.nodes.some(({ features }) => features !== undefined);
  if (readable === undefined) unknown.push(`its constraint ${constraint} is of no form that is counted`);
  else if (constraint !== "" && !hasFeatures)
    unknown.push(`it asks for ${constraint}, and no node's features are known`);
  const names = reservation === "" ? [] : reservation.split(",");
  const isShown = s.nodes.some((node) => names.some((name) => node.reservations?.includes(name)));
  if (names.length > 0 && !isShown) unknown.push(`which nodes its reservation ${reservation} has is not known`);
  if (isHeterogeneous) unknown.push("its components are counted as one job");
  return {
    needed: neededBy(s),
    partitions: isHeterogeneous ? [] : partitionsOf(s),
    reservations: names.length === 0 ? "none" : isShown ? names : "unknown",
    ways: readable === undefined || !hasFeatures ? noDemand : readable,
    constraint,
    hardware,
    away: new Set([...policy.excludeNodes, ...keptAwayByOthers(s)]),
    unknown,
  };
}

/** What recovery added goes again when it is wanted no more (docs/decisions/0047). What an attempt had before its Advice is the author's. */
function keptAwayByOthers({ attempt, earlier }: Situation): readonly string[] {
  const added = earlier.flatMap(({ attempt: { nodeConstraints }, advice }) =>
    (advice?.exclusions ?? []).map(({ node }) => node).filter((node) => !nodeConstraints.exclusions.includes(node)),
  );
  return attempt.nodeConstraints.exclusions.filter((node) => !added.includes(node));
}

/** One that waits shows no nodes: as many as the job was given last. */
function neededBy({ attempt, earlier }: Situation): number {
  const given = [...earlier.map((before) => before.attempt), attempt].findLast(({ nodes }) => nodes.length > 0);
  return given?.nodes.length ?? 1;
}

const none: Features = new Set();

function whyNot(node: Node, { reservations, ways, constraint, hardware, away }: Asked): string | undefined {
  // Until its jobs are there a reserved node is no other's; to a job of the reservation it is as good as idle.
  const isOwn = reservations !== "none" && node.state === "reserved";
  if (!node.isEligible && !isOwn) return stateOf(node);
  if (away.has(node.name)) return "excluded before";
  if (reservations === "none" && (node.reservations?.length ?? 0) > 0) return "reserved";
  if (typeof reservations !== "string" && !reservations.some((name) => node.reservations?.includes(name) === true))
    return "not of its reservation";
  const lack = lackOf(node.hardware, hardware);
  if (lack !== undefined) return lack;
  if (ways === noDemand) return undefined;
  const features = node.features === undefined ? none : new Set(node.features);
  const isAsked = ways.some((way) => way.some(({ isMetBy, count }) => isMetBy(features) || count !== undefined));
  return isAsked ? undefined : `without ${constraint}`;
}

/** Slurm's word, without what it adds to it: `drained*`. */
const stateOf = ({ state = "" }: Node): string => state.replace(/\W+$/, "") || "out of use";

/** A number of nodes that must be of these. */
interface Part {
  readonly names: ReadonlySet<string>;
  readonly needed: number;
}

/** Each way in which the job could be placed: all of its parts must hold. */
function placementsOf(counted: readonly Node[], asked: Asked): readonly (readonly Part[])[] {
  const partitions = asked.partitions.length === 0 ? [undefined] : asked.partitions;
  const reservations = typeof asked.reservations === "string" ? [undefined] : asked.reservations;
  return partitions.flatMap((partition) =>
    reservations.flatMap((reservation) => {
      const pool = counted.filter(
        (node) =>
          (partition === undefined || node.partitions.includes(partition)) &&
          (reservation === undefined || node.reservations?.includes(reservation) === true),
      );
      return asked.ways.map((way) => partsOf(way, pool, asked.needed));
    }),
  );
}

/** Demands of which no node counts twice can all be met if each set of them finds as many nodes as it asks for (Hall). */
function partsOf(way: Way, pool: readonly Node[], needed: number): readonly Part[] {
  if (way === noDemand[0]) return [{ names: new Set(pool.map(({ name }) => name)), needed }];
  const met = way.map(({ isMetBy, count }) => ({
    names: pool.filter(({ features }) => isMetBy(new Set(features))).map(({ name }) => name),
    count,
  }));
  const ofAll = met.filter(({ count }) => count === undefined).map(({ names }) => ({ names: new Set(names), needed }));
  if (ofAll.length > 0) return ofAll;
  const sets = met.reduce<readonly Part[]>(
    (parts, { names, count = 0 }) => [
      ...parts,
      ...parts.map((part) => ({ names: new Set([...part.names, ...names]), needed: part.needed + count })),
    ],
    [{ names: new Set(), needed: 0 }],
  );
  return [{ names: new Set(pool.map(({ name }) => name)), needed }, ...sets.filter((part) => part.needed > 0)];
}

type Left = Pick<Room, "remaining" | "needed">;
const spare = ({ remaining, needed }: Left) => remaining - needed;

function tightest(parts: readonly Part[], away: ReadonlySet<string>): Left {
  const left = parts.map(({ names, needed }) => ({ remaining: countWithout(names, away), needed }));
  return left.reduce((least, part) => (spare(part) < spare(least) ? part : least));
}

function countWithout(names: ReadonlySet<string>, away: ReadonlySet<string>): number {
  let count = names.size;
  for (const name of away) if (names.has(name)) count--;
  return count;
}

const best = (placements: readonly Left[], needed: number): Left =>
  placements.reduce((most, one) => (spare(one) > spare(most) ? one : most), placements[0] ?? { remaining: 0, needed });

function partitionsOf(s: Situation): readonly string[] {
  const { partition } = slurmOf(s);
  return partition === undefined || partition === "" ? [] : partition.split(",");
}

interface SlurmAsk {
  readonly partition?: string;
  readonly reservation?: string;
  readonly constraint?: string;
  readonly hetComponents?: unknown;
}

/** Anybody may publish an attempt: what is not a text says nothing. */
function slurmOf({ attempt }: Situation): SlurmAsk {
  const slurm = slurmFactsOf(attempt);
  const texts = ["partition", "reservation", "constraint"].filter((key) => typeof slurm[key] === "string");
  const of = Object.fromEntries(texts.map((key) => [key, slurm[key]])) as SlurmAsk;
  return slurm["hetComponents"] === undefined ? of : { ...of, hetComponents: slurm["hetComponents"] };
}
