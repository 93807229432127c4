/**
 * literal-ends: where literals end in a run of bytes, four parts of it walked side by side.
 *
 * In the loop   a chunk of a log → **ends** → the few lines worth looking at
 * Takes         the table of an automaton whose accepting states have the highest numbers.
 * Gives         the same places as one walk would, each once, rising; and the state at each, which says what ends there.
 * Pure          but for the arrays that it lends.
 * Bound         nine bytes of memory for each byte of the longest run.
 * Source        each move of an automaton waits for the one before it; four of them can wait together. Measured: docs/decisions/0036.
 */
export interface Table {
  /** 256 moves a state. */
  readonly moves: Uint16Array;
  readonly firstAccepting: number;
  /** Of the literals, bytes: a walk that begins so much earlier is in the right state. */
  readonly longest: number;
}

/** Below it one walk is as fast as four. */
const fourFromBytes = 4_096;

/** Lent until the next call. */
export interface Ends {
  /** Offsets right behind a literal. */
  readonly places: Uint32Array;
  readonly states: Uint16Array;
}

export function createEndsFinder(table: Table): (bytes: Uint8Array, from: number, to: number) => Ends {
  let lent = { places: new Uint32Array(0), states: new Uint16Array(0) };
  let rows = { at: new Uint32Array(0), states: new Uint16Array(0) };
  return (bytes, from, to) => {
    const part = to - from < fourFromBytes ? 0 : (to - from) >> 2;
    if (lent.places.length < to - from) {
      lent = { places: new Uint32Array(to - from), states: new Uint16Array(to - from) };
      rows = { at: new Uint32Array(part), states: new Uint16Array(part * 4) };
    }
    const { places, states } = lent;
    let count = 0;
    const add = (place: number, state: number) => {
      if (state < table.firstAccepting) return;
      places[count] = place;
      states[count++] = state;
    };
    const found = walkFour(table, bytes, { from, part }, rows);
    for (let which = 0; which < 4; which++)
      for (let row = 0; row < found; row++) add(from + part * which + rows.at[row]! + 1, rows.states[row * 4 + which]!);
    // What four equal parts leave over; or all of a short run.
    const rest = from + part * 4;
    let state = part === 0 ? 0 : stateAt(table, bytes, from, rest);
    for (let i = rest; i < to; i++) {
      state = table.moves[(state << 8) | bytes[i]!]!;
      add(i + 1, state);
    }
    return { places: places.subarray(0, count), states };
  };
}

/** The states of all four walks, wherever a literal ends in one of them. */
interface Rows {
  /** Of the byte, within each part. */
  readonly at: Uint32Array;
  /** Four a row. */
  readonly states: Uint16Array;
}

/** @returns how many rows there are. */
function walkFour(
  table: Table,
  bytes: Uint8Array,
  { from, part }: { readonly from: number; readonly part: number },
  { at, states }: Rows,
): number {
  const { moves, firstAccepting } = table;
  const [from2, from3, from4] = [from + part, from + part * 2, from + part * 3];
  const stateBefore = (place: number) => stateAt(table, bytes, from, place);
  let [a, b, c, d] = [0, stateBefore(from2), stateBefore(from3), stateBefore(from4)];
  let rows = 0;
  for (let i = 0; i < part; i++) {
    a = moves[(a << 8) | bytes[from + i]!]!;
    b = moves[(b << 8) | bytes[from2 + i]!]!;
    c = moves[(c << 8) | bytes[from3 + i]!]!;
    d = moves[(d << 8) | bytes[from4 + i]!]!;
    if (a < firstAccepting && b < firstAccepting && c < firstAccepting && d < firstAccepting) continue;
    at[rows] = i;
    states[rows * 4] = a;
    states[rows * 4 + 1] = b;
    states[rows * 4 + 2] = c;
    states[rows * 4 + 3] = d;
    rows++;
  }
  return rows;
}

/** The state before the byte at `place`: a literal that ends after it begins at most `longest` bytes earlier. */
function stateAt({ moves, longest }: Table, bytes: Uint8Array, from: number, place: number): number {
  let state = 0;
  for (let i = Math.max(from, place - longest); i < place; i++) state = moves[(state << 8) | bytes[i]!]!;
  return state;
}
