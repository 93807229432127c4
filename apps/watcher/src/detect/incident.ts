/**
 * incident: which error lines belong together, which of them is the root, and how many are told.
 *
 * Keeps   a program that went on for `wentOnSteps` steps has survived: what comes later is another incident, with a root of
 *         its own.
 * Bound   of a signature `perSignatureMax` an incident, each new rank, and `perAttemptMax` in all, the earliest kept.
 */
import type { Signature } from "../match/signature.ts";

const perSignatureMax = 5;
const perAttemptMax = 100;
const ranksMax = 64;
const wentOnSteps = 3;

interface Told {
  inIncident: number;
  inAll: number;
  readonly ranks: Set<number>;
}

export class Incident {
  /** A fatal line was read, and no further steps since. */
  isFatal = false;
  private hasRoot = false;
  private readonly explained = new Set<string>();
  /** Further steps since the last root-class line; undefined while there is none to watch. */
  private stepsSinceRoot: number | undefined;
  private readonly told = new Map<string, Told>();

  /** A line that may be a root was read, and fewer than `wentOnSteps` further steps since. */
  get isOpen(): boolean {
    return this.stepsSinceRoot !== undefined;
  }

  stepped(): void {
    if (this.stepsSinceRoot !== undefined && ++this.stepsSinceRoot >= wentOnSteps) this.restart();
  }

  /** The workers begin anew from a checkpoint. */
  restart(): void {
    this.stepsSinceRoot = undefined;
    this.isFatal = false;
    this.hasRoot = false;
    this.explained.clear();
    for (const told of this.told.values()) told.inIncident = 0;
  }

  /** @returns whether this line may be the root. */
  hear(signature: Signature, hasSucceeded: boolean): boolean {
    const root =
      !this.explained.has(signature.id) &&
      (signature.standing === "root" ||
        (signature.standing === "root-if-first" && !this.hasRoot) ||
        (signature.standing === "root-after-success" && hasSucceeded));
    if (root) {
      for (const id of signature.explains) this.explained.add(id);
      this.hasRoot = true;
      this.stepsSinceRoot = 0;
      this.isFatal ||= signature.exitIndependent;
    }
    return root;
  }

  mayTell(cause: string, rank: number | undefined): boolean {
    const told = this.told.get(cause) ?? { inIncident: 0, inAll: 0, ranks: new Set<number>() };
    this.told.set(cause, told);
    const isNewRank = rank !== undefined && !told.ranks.has(rank) && told.ranks.size < ranksMax;
    if (told.inAll >= perAttemptMax || (told.inIncident >= perSignatureMax && !isNewRank)) return false;
    if (rank !== undefined && isNewRank) told.ranks.add(rank);
    told.inIncident++;
    told.inAll++;
    return true;
  }
}
