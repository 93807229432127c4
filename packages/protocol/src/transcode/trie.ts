/**
 * trie: finds the bindings of a path. A literal segment is preferred to a variable one.
 *
 * Takes   the segments of a path, percent-decoded, and its `:verb`, if any.
 * Gives   what was added for that path, keyed by HTTP method; and the values of its variables, in order.
 */
import type { Template } from "./template.ts";

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  variable?: Node<T>;
  /** `verb` → HTTP method → what was added. */
  readonly ends: Map<string, Map<string, T>>;
}

export interface Hit<T> {
  readonly byMethod: ReadonlyMap<string, T>;
  readonly values: readonly string[];
}

export class Trie<T> {
  private readonly root: Node<T> = emptyNode();

  /** @throws when the same method and path were added before. */
  add(httpMethod: string, { segments, verb }: Template, what: T): void {
    let node = this.root;
    for (const segment of segments) {
      if (segment.kind === "variable") node = node.variable ??= emptyNode();
      else node = getOrAdd(node.literals, segment.text, () => emptyNode<T>());
    }
    const byMethod = getOrAdd(node.ends, verb, () => new Map<string, T>());
    if (byMethod.has(httpMethod))
      throw new Error(`two http rules for ${httpMethod} ${JSON.stringify(segments)}:${verb}`);
    byMethod.set(httpMethod, what);
  }

  /** The best hit first; more than one where a literal and a variable both fit. */
  find(segments: readonly string[], verb: string): readonly Hit<T>[] {
    const hits: Hit<T>[] = [];
    const walk = (node: Node<T>, depth: number, values: readonly string[]): void => {
      const segment = segments[depth];
      if (segment === undefined) {
        const byMethod = node.ends.get(verb);
        if (byMethod !== undefined) hits.push({ byMethod, values });
        return;
      }
      const literal = node.literals.get(segment);
      if (literal !== undefined) walk(literal, depth + 1, values);
      if (node.variable !== undefined && segment !== "") walk(node.variable, depth + 1, [...values, segment]);
    };
    walk(this.root, 0, []);
    return hits;
  }
}

const emptyNode = <T>(): Node<T> => ({ literals: new Map(), ends: new Map() });

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
