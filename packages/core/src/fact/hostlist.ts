/**
 * hostlist: Slurm's short form of many node names, `n[1-3,7],gpu[01-04]`, to names and back.
 *
 * Takes        `a[1-2]b[01-03]-ib,c`: names between commas; in brackets numbers and ranges between commas, a range keeping
 *              the width of its first number; several brackets in a name give every combination.
 * Gives        the names, each once, in the order written; undefined for what is not such a list or has more than
 *              `limits.nodesMax` names. An empty text is an empty list.
 * Pure, total  `expandHostlist(compressHostlist(names))` is the set of the names.
 * Source       man squeue, "NODELIST"; scontrol show hostnames.
 */
import { limits } from "../limits.ts";

export function expandHostlist(text: string): string[] | undefined {
  if (text === "") return [];
  const names = new Set<string>();
  for (const entry of splitEntries(text)) {
    const expanded = expandEntry(entry);
    if (expanded === undefined) return undefined;
    for (const name of expanded) names.add(name);
    if (names.size > limits.nodesMax) return undefined;
  }
  return [...names];
}

export function compressHostlist(names: readonly string[]): string {
  const numbersOf = new Map<string, string[]>();
  const entries: string[] = [];
  for (const name of new Set(names)) {
    // The last fifteen digits at most: no digit is lost in arithmetic.
    const [, prefix = name, digits = ""] = /^(.*?)(\d{1,15})$/s.exec(name) ?? [];
    if (digits === "") entries.push(name);
    else numbersOf.set(prefix, [...(numbersOf.get(prefix) ?? []), digits]);
  }
  for (const [prefix, numbers] of numbersOf) entries.push(prefix + bracket(numbers));
  return entries.join(",");
}

/** Whether Slurm could have a node of this name: 1–255 printable characters, none with a meaning in a list. */
export function isNodeName(name: string): boolean {
  return /^[^\p{C}\s,[\]]+$/u.test(name) && [...name].length <= limits.nodeNameCharsMax;
}

/** At the commas outside brackets. */
function splitEntries(text: string): string[] {
  return text.split(/,(?![^[\]]*\])/);
}

function expandEntry(entry: string): string[] | undefined {
  let names = [""];
  for (const [part] of entry.matchAll(/\[[^[\]]*\]|[^[]+|\[/g)) {
    const endings = part.startsWith("[") ? expandBracket(part) : [part];
    if (endings === undefined || names.length * endings.length > limits.nodesMax) return undefined;
    names = names.flatMap((name) => endings.map((ending) => name + ending));
  }
  return names.every(isNodeName) ? names : undefined;
}

/** `[1-3,07]` → 1 2 3 07. */
function expandBracket(bracketed: string): string[] | undefined {
  const numbers: string[] = [];
  for (const range of bracketed.slice(1, -1).split(",")) {
    const [, low, high = low] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(range) ?? [];
    if (low === undefined || high === undefined) return undefined;
    const count = Number(high) - Number(low) + 1;
    if (count < 1 || numbers.length + count > limits.nodesMax) return undefined;
    for (let i = 0; i < count; i++) numbers.push(String(Number(low) + i).padStart(low.length, "0"));
  }
  return numbers;
}

/** A range goes on while the next number looks as expanding it from its first one would write it. */
function bracket(numbers: readonly string[]): string {
  const sorted = [...numbers].sort((a, b) => a.length - b.length || Number(a) - Number(b));
  const runs: { low: string; high: string }[] = [];
  for (const number of sorted) {
    const run = runs.at(-1);
    const expected = run && String(Number(run.high) + 1).padStart(run.low.length, "0");
    if (run !== undefined && number === expected) run.high = number;
    else runs.push({ low: number, high: number });
  }
  if (numbers.length === 1) return numbers.join();
  return `[${runs.map(({ low, high }) => (low === high ? low : `${low}-${high}`)).join(",")}]`;
}
