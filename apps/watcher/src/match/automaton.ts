/**
 * automaton: which of many literal texts occur in a run of bytes, in one look at each byte.
 *
 * In the loop   bytes of a line → **scan** → the few signatures worth a regular expression
 * Takes         literals of at least one byte; overlapping ones and repeats are fine.
 * Gives         each place where literals end, once, and the state there, which says which ones: `scan` calls back, for a short run;
 *               `ends` is more than twice as fast.
 * Pure          Aho and Corasick, completed to a table of 256 moves a state: no failure moves at run time.
 * Bound         65,535 states, that is about as many bytes of literals; above it `createAutomaton` throws.
 * Source        Aho, Corasick: Efficient string matching (1975). Measured against the alternatives: docs/decisions/0036.
 */
import { createEndsFinder, type Ends } from "./literal-ends.ts";

export interface Automaton {
  /** Calls `hit(state, end offset)` in the order of the ends. */
  scan(bytes: Uint8Array, from: number, to: number, hit: (state: number, end: number) => void): void;
  /** Where at least one literal ends, each place once, rising. */
  readonly ends: (bytes: Uint8Array, from: number, to: number) => Ends;
  /** What ends in a state: indices of literals. */
  literalsOf(state: number): readonly number[];
}

const statesMax = 65_535;

export function createAutomaton(literals: readonly Uint8Array[]): Automaton {
  const { moves, outputs, firstAccepting } = acceptingLast(complete(buildTrie(literals)));
  return {
    literalsOf: (state) => outputs[state] ?? [],
    ends: createEndsFinder({ moves, firstAccepting, longest: Math.max(0, ...literals.map((l) => l.length)) }),
    scan(bytes, from, to, hit) {
      let state = 0;
      for (let i = from; i < to; i++) {
        state = moves[(state << 8) | bytes[i]!]!;
        if (state >= firstAccepting) hit(state, i + 1);
      }
    },
  };
}

interface Trie {
  readonly children: Map<number, number>[];
  readonly ends: number[][];
}

function buildTrie(literals: readonly Uint8Array[]): Trie {
  const children = [new Map<number, number>()];
  const ends: number[][] = [[]];
  for (const [index, literal] of literals.entries()) {
    if (literal.length === 0) throw new Error(`literal ${index} is empty`);
    let state = 0;
    for (const byte of literal) {
      let next = children[state]!.get(byte);
      if (next === undefined) {
        next = children.length;
        if (next > statesMax) throw new Error(`the literals need more than ${statesMax} states`);
        children.push(new Map());
        ends.push([]);
        children[state]!.set(byte, next);
      }
      state = next;
    }
    ends[state]!.push(index);
  }
  return { children, ends };
}

interface Moves {
  /** 256 a state. */
  readonly moves: Uint16Array;
  /** The literals that end in each state. */
  readonly outputs: readonly (readonly number[])[];
}

/** Breadth first: when a state is reached, the state it falls back to is complete already. */
function complete({ children, ends }: Trie): Moves {
  const moves = new Uint16Array(children.length * 256);
  const fallback = new Uint16Array(children.length);
  const outputs = ends.map((e) => [...e]);
  const queue: number[] = [];
  for (const [byte, child] of children[0]!) {
    moves[byte] = child;
    queue.push(child);
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!;
    const back = fallback[state]!;
    outputs[state]!.push(...outputs[back]!);
    moves.copyWithin(state * 256, back * 256, back * 256 + 256);
    for (const [byte, child] of children[state]!) {
      fallback[child] = moves[back * 256 + byte]!;
      moves[state * 256 + byte] = child;
      queue.push(child);
    }
  }
  return { moves, outputs };
}

/** Numbers the states anew, those in which a literal ends last: one comparison tells them. The first stays the first. */
function acceptingLast({ moves, outputs }: Moves): Moves & { readonly firstAccepting: number } {
  const states = outputs.map((_, state) => state);
  const order = [...states.filter((s) => outputs[s]!.length === 0), ...states.filter((s) => outputs[s]!.length > 0)];
  const numberOf = new Uint16Array(order.length);
  for (const [number, state] of order.entries()) numberOf[state] = number;
  const renumbered = new Uint16Array(moves.length);
  for (const [number, state] of order.entries())
    for (let byte = 0; byte < 256; byte++) renumbered[number * 256 + byte] = numberOf[moves[state * 256 + byte]!]!;
  const firstAccepting = outputs.filter((o) => o.length === 0).length;
  return { moves: renumbered, outputs: order.map((state) => outputs[state]!), firstAccepting };
}
