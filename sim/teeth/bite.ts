/**
 * bite: one planted bug, and worlds until one of them finds it. Runs in a process of its own.
 *
 * Takes   argv: the name of a tooth (or `none`), the first seed, how many.
 * Gives   one line of JSON: the seed that found it and the checker, or nothing found.
 * Fails   when the text that is to be replaced is not there, once.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { teeth } from "./teeth.ts";

const [name = "none", from = "1", seeds = "500"] = process.argv.slice(2);
const edits = teeth.find((t) => t.name === name)?.edits ?? [];
const root = new URL("../../", import.meta.url);
const planted = new Map<string, string>();
for (const { file, find, put } of edits) {
  const url = new URL(file, root).href;
  const text = planted.get(url) ?? readFileSync(fileURLToPath(url), "utf8");
  const count = text.split(find).length - 1;
  if (count !== 1) throw new Error(`${name}: ${file} has ${count} times, expected once: ${find}`);
  planted.set(
    url,
    text.replace(find, () => put),
  );
}
registerHooks({
  load(url, context, next) {
    const text = planted.get(url);
    const loaded = next(url, context);
    return text === undefined ? loaded : { ...loaded, source: text };
  },
});

const { simulate } = await import("../src/simulate.ts");
for (let seed = BigInt(from); seed < BigInt(from) + BigInt(seeds); seed++) {
  const { world } = await simulate(seed, "small");
  if (world.violation === undefined) continue;
  console.log(JSON.stringify({ seed: String(seed), ...world.violation }));
  process.exit(0);
}
console.log(JSON.stringify({}));
