/**
 * plant: the files of the product with the bug of one tooth in them, or of several. Nothing is written.
 *
 * Gives   the text of each edited file, by its path. An unknown name: nothing is planted.
 * Fails   when the text that is to be replaced is not there, once; also because another bug has replaced it.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { teeth } from "./teeth.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export function plantedBy(...names: readonly string[]): ReadonlyMap<string, string> {
  const planted = new Map<string, string>();
  const edits = teeth.flatMap(({ name, edits: of }) => (names.includes(name) ? of.map((e) => ({ name, ...e })) : []));
  for (const { name, file, find, put } of edits) {
    const text = planted.get(root + file) ?? readFileSync(root + file, "utf8");
    const count = text.split(find).length - 1;
    if (count !== 1) throw new Error(`${name}: ${file} has ${count} times, expected once: ${find}`);
    planted.set(
      root + file,
      text.replace(find, () => put),
    );
  }
  return planted;
}
