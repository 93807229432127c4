/**
 * found: which world, or which transcript, found each planted bug when it was last looked for in all worlds: `found.json`. A later run
 * looks there first.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { root } from "./plant.ts";
import { teeth } from "./teeth.ts";

/** What `bite.ts` prints. Without a place: nothing was found. */
export interface Found {
  /** The seed of a small world, or the name of a transcript. */
  readonly place?: string;
  readonly checker?: string;
  readonly text?: string;
}

const file = `${root}sim/teeth/found.json`;

/** By the name of the tooth: where, and by which checker. */
export const remembered = (): ReadonlyMap<string, readonly [place: string, checker: string]> =>
  new Map(Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, [string, string]>));

/** One line a tooth, in the order of the list, as the formatter has it. What is no tooth any more is forgotten. */
export function remember(places: ReadonlyMap<string, readonly [string, string]>): void {
  const lines = teeth.flatMap(({ name }) => {
    const [place, by] = places.get(name) ?? [];
    return place === undefined ? [] : [`  ${JSON.stringify(name)}: ["${place}", "${by}"]`];
  });
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}

export const isWorld = (place: string): boolean => /^\d+$/.test(place);
