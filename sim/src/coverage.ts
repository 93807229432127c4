/** coverage: how often each kind of fault was injected, and how often each checker judged after it. */
import { checkers } from "./checkers/all.ts";
import { faultKinds } from "./fault-kinds.ts";

const reachedMin = 100;

export function mergeCounts(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(from)) into[key] = (into[key] ?? 0) + count;
}

export function mergeTable(
  into: Record<string, Record<string, number>>,
  from: Readonly<Record<string, Readonly<Record<string, number>>>>,
): void {
  for (const [kind, by] of Object.entries(from)) mergeCounts((into[kind] ??= {}), by);
}

/** One line a kind of fault; then every pair that was reached less than `reachedMin` times, also of a kind that never came. */
export function coverageTable(
  faults: Readonly<Record<string, number>>,
  judged: Readonly<Record<string, Readonly<Record<string, number>>>>,
): string {
  const kinds = faultKinds.toSorted();
  const lines = kinds.map((kind) => {
    const counts = checkers.map(({ name }) => judged[kind]?.[name] ?? 0);
    const reached = counts.filter((n) => n >= reachedMin).length;
    return `${kind.padEnd(28)} ${String(faults[kind] ?? 0).padStart(9)} times; ${reached} of ${checkers.length} checkers judged after it ${reachedMin} times or more`;
  });
  const rare = kinds.flatMap((kind) => {
    const few = checkers
      .filter(({ name }) => (judged[kind]?.[name] ?? 0) < reachedMin)
      .map(({ name }) => `${name} (${judged[kind]?.[name] ?? 0})`);
    if (faults[kind] === undefined) return [`  ${kind}: never came`];
    return few.length === 0 ? [] : [`  ${kind}: ${few.join(", ")}`];
  });
  return [...lines, ...(rare.length === 0 ? [] : ["reached less often:", ...rare])].join("\n");
}
