/**
 * root-key: when two failures have the same root.
 *
 * In the loop   part of decide
 * Pure, total
 * Keeps         a root is class, message without its numbers, step; and for what a machine does to a program also the node or
 *               rank: the same GPU error on another node is another fault, the same exception on another rank is not.
 * Source        design §6, "a root for counting".
 */
import type { CauseClass, Signal } from "../nouns.ts";
import { isSilence } from "../situation/silence.ts";

/** Whose root is the program, whichever rank speaks first. */
const ofTheProgram: ReadonlySet<CauseClass> = new Set([
  "workload-transient",
  "workload-deterministic",
  "process-killed",
  "storage-shared",
  "never-retry",
]);

export function rootKeyOf(root: Signal, causeClass: CauseClass): string {
  const where = ofTheProgram.has(causeClass) ? "-" : (root.rank ?? root.nodes[0] ?? "-");
  return `${movableKey(root, causeClass)}|${where}`;
}

/** The same wherever it happens: a NaN that moves from rank to rank is still the same NaN. */
export function withoutPlace(rootKey: string): string {
  return rootKey.slice(0, rootKey.lastIndexOf("|"));
}

export function sameRoot(a: Signal, b: Signal): boolean {
  return (
    a.cause === b.cause && movableKey(a, a.causeClass ?? "unexplained") === movableKey(b, b.causeClass ?? "unexplained")
  );
}

function movableKey(root: Signal, causeClass: CauseClass): string {
  const { evidence, cause, kind, step, nodes } = root;
  // Numbers tell nothing apart in a line of metrics: what stands still is only that they are broken.
  const words =
    kind === "numerics" || isSilence(root) ? (cause ?? kind) : normalise(withoutNames(evidence.line, nodes));
  return [causeClass, words, step ?? "-"].join("|");
}

/** The node is in the key where it matters; in the words it would hide that the same happened elsewhere. */
function withoutNames(line: string, nodes: readonly string[]): string {
  if (nodes.length === 0) return line;
  return line.replace(/[\w.-]+/g, (word) => (nodes.includes(word) ? "#" : word));
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** In a path only what no two runs share goes: UUIDs, hashes, days and times. A step or a shard is another file. */
function ofEveryRun(found: string): string {
  return found
    .replace(uuid, "#")
    .replace(/(?<![0-9a-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}(?![0-9a-z])/gi, "#")
    .replace(/(?<!\d)20\d\d([-_.]?)[01]\d\1[0-3]\d(?:[-_T.]?[0-2]\d[-_:.]?[0-5]\d(?:[-_:.]?[0-5]\d)?)?(?!\d)/g, "#");
}

/** Absolute paths; those below are new in every run. */
const path = /(?<![\w.:/])\/(?!(?:tmp|proc|dev|var|run)\/)(?:[\w.+@=-]+\/)+[\w.+@=-]*[\w+@=-]/g;

/**
 * Numbers, addresses and prefixes change from run to run without making another root; another file does. Time stamps and ranks
 * are numbers too.
 */
export function normalise(line: string): string {
  const paths: string[] = [];
  const text = line.replace(path, (found) => `\u0001${String.fromCharCode(0xe000 + paths.push(found) - 1)}`);
  const same = text
    .replace(/0x[0-9a-f]+/gi, "#")
    .replace(uuid, "#")
    .replace(/\d+(\.\d+)*/g, "#");
  return same
    .replace(/\u0001([\ue000-\uf8ff])/g, (_, mark: string) => ofEveryRun(paths[mark.charCodeAt(0) - 0xe000] ?? ""))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 240);
}
