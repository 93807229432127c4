/**
 * literal-ends: where literals end in a run of bytes, four parts of it walked side by side.
 *
 * In the loop   a chunk of a log → **ends** → the few lines worth looking at
 * Takes         the table of an automaton whose accepting states have the highest numbers.
 * Gives         the same places as one walk would, each once, rising; and the state at each, which says what ends there.
 * Pure          but for the arrays that it lends.
 * Bound         six bytes of memory for each byte of the longest run.
 * Source        each move of an automaton waits for the one before it; four of them can wait together. Measured: docs/benchmarks.md.
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
  let [places, states] = [new Uint32Array(0), new Uint16Array(0)];
  return (bytes, from, to) => {
    if (places.length < to - from) [places, states] = [new Uint32Array(to - from), new Uint16Array(to - from)];
    const part = to - from < fourFromBytes ? 0 : (to - from) >> 2;
    const [first, second, third, fourth] = walkFour(table, bytes, { from, part }, { places, states });
    let count = first;
    for (const [begin, many] of [
      [part, second],
      [part * 2, third],
      [part * 3, fourth],
    ] as const) {
      places.copyWithin(count, begin, begin + many);
      states.copyWithin(count, begin, begin + many);
      count += many;
    }
    // What four equal parts leave over; or all of a short run.
    const rest = from + part * 4;
    let state = part === 0 ? 0 : stateAt(table, bytes, from, rest);
    for (let i = rest; i < to; i++) {
      state = table.moves[(state << 8) | bytes[i]!]!;
      if (state < table.firstAccepting) continue;
      places[count] = i + 1;
      states[count++] = state;
    }
    return { places: places.subarray(0, count), states };
  };
}

/** @returns how many ends each part has; they stand in both arrays from 0, `part`, 2 × `part` and 3 × `part` on. */
function walkFour(
  table: Table,
  bytes: Uint8Array,
  { from, part }: { readonly from: number; readonly part: number },
  { places, states }: Ends,
) {
  const { moves, firstAccepting } = table;
  const [from2, from3, from4] = [from + part, from + part * 2, from + part * 3];
  const stateBefore = (place: number) => stateAt(table, bytes, from, place);
  let [a, b, c, d] = [0, stateBefore(from2), stateBefore(from3), stateBefore(from4)];
  let [ends1, ends2, ends3, ends4] = [0, part, part * 2, part * 3];
  for (let i = 0; i < part; i++) {
    a = moves[(a << 8) | bytes[from + i]!]!;
    b = moves[(b << 8) | bytes[from2 + i]!]!;
    c = moves[(c << 8) | bytes[from3 + i]!]!;
    d = moves[(d << 8) | bytes[from4 + i]!]!;
    if (a >= firstAccepting) {
      states[ends1] = a;
      places[ends1++] = from + i + 1;
    }
    if (b >= firstAccepting) {
      states[ends2] = b;
      places[ends2++] = from2 + i + 1;
    }
    if (c >= firstAccepting) {
      states[ends3] = c;
      places[ends3++] = from3 + i + 1;
    }
    if (d >= firstAccepting) {
      states[ends4] = d;
      places[ends4++] = from4 + i + 1;
    }
  }
  return [ends1, ends2 - part, ends3 - part * 2, ends4 - part * 3] as const;
}

/** The state before the byte at `place`: a literal that ends after it begins at most `longest` bytes earlier. */
function stateAt({ moves, longest }: Table, bytes: Uint8Array, from: number, place: number): number {
  let state = 0;
  for (let i = Math.max(from, place - longest); i < place; i++) state = moves[(state << 8) | bytes[i]!]!;
  return state;
}
