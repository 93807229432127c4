/**
 * bite: one planted bug, and worlds, or its transcript, until one of them finds it. Runs in a process of its own.
 *
 * Takes   argv: the name of a tooth (or `none`), the first seed, how many.
 * Gives   one line of JSON: the seed that found it, or the transcript, and the checker; or nothing found.
 * Fails   when the text that is to be replaced is not there, once.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { teeth } from "./teeth.ts";

const [name = "none", from = "1", seeds = "500"] = process.argv.slice(2);
const { edits = [], transcript } = teeth.find((t) => t.name === name) ?? {};
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

if (transcript !== undefined) {
  const { play } = await import("../src/scenario.ts");
  const told = readFileSync(fileURLToPath(new URL(`sim/scenarios/${transcript}`, root)), "utf8");
  const { text, violation } = await play(told);
  const checker = violation?.split(":")[0] ?? "the transcript itself";
  console.log(JSON.stringify(text === told && violation === undefined ? {} : { seed: transcript, checker }));
  process.exit(0);
}

const { simulate } = await import("../src/simulate.ts");
for (let seed = BigInt(from); seed < BigInt(from) + BigInt(seeds); seed++) {
  const { world } = await simulate(seed, "small");
  if (world.violation === undefined) continue;
  console.log(JSON.stringify({ seed: String(seed), ...world.violation }));
  process.exit(0);
}
console.log(JSON.stringify({}));
