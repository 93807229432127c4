/**
 * anchor-sets: which signatures may be in a line, from the anchors that were found in it.
 *
 * In the loop   states of the automaton → **AnchorSet** → the few expressions worth trying
 * Gives         `with`: the set that also has what ends in one more state. The same anchors give the same object, whatever their
 *               order: a program prints millions of lines of a dozen kinds, and what follows from a kind is worked out once.
 * Pure          but for what it remembers.
 * Bound         `setsMax` sets are remembered, each with `statesMax` ways on; what comes beyond is worked out anew each time.
 */

const setsMax = 4_096;
const statesMax = 256;

/** A set of literals, and what was worked out for it. */
export class AnchorSet<What> {
  readonly what: What;
  private readonly literals: ReadonlySet<number>;
  private readonly known: Known<What>;
  private readonly next = new Map<number, AnchorSet<What>>();

  private constructor(literals: ReadonlySet<number>, known: Known<What>) {
    this.literals = literals;
    this.known = known;
    this.what = known.of(literals);
  }

  /**
   * @param literalsOf What ends in a state of the automaton.
   * @param of         Called once for each set.
   */
  static empty<What>(
    literalsOf: (state: number) => readonly number[],
    of: (literals: ReadonlySet<number>) => What,
  ): AnchorSet<What> {
    return new AnchorSet<What>(new Set(), { literalsOf, of, sets: new Map() });
  }

  with(state: number): AnchorSet<What> {
    const next = this.next.get(state);
    if (next !== undefined) return next;
    const found = this.found(state);
    if (this.next.size < statesMax) this.next.set(state, found);
    return found;
  }

  private found(state: number): AnchorSet<What> {
    const added = this.known.literalsOf(state).filter((literal) => !this.literals.has(literal));
    if (added.length === 0) return this;
    const literals = new Set([...this.literals, ...added]);
    const key = [...literals].toSorted((a, b) => a - b).join(" ");
    const { sets } = this.known;
    const set = sets.get(key) ?? new AnchorSet(literals, this.known);
    if (sets.size < setsMax) sets.set(key, set);
    return set;
  }
}

interface Known<What> {
  readonly literalsOf: (state: number) => readonly number[];
  readonly of: (literals: ReadonlySet<number>) => What;
  readonly sets: Map<string, AnchorSet<What>>;
}
