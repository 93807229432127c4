/**
 * bite: one planted bug, and worlds until one of them finds it; where none does, its transcript. Runs in a process of its own.
 *
 * Takes   argv: the name of a tooth (or `none`), the first seed, how many.
 * Gives   one line of JSON: the seed that found it, or the transcript, and the checker; or nothing found.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { plantedBy, root } from "./plant.ts";
import { teeth } from "./teeth.ts";

const [name = "none", from = "1", seeds = "500"] = process.argv.slice(2);
const { transcript } = teeth.find((t) => t.name === name) ?? {};
const planted = plantedBy(name);
registerHooks({
  load(url, context, next) {
    const text = url.startsWith("file:") ? planted.get(fileURLToPath(url)) : undefined;
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

if (transcript === undefined) console.log(JSON.stringify({}));
else {
  const { play } = await import("../src/scenario.ts");
  const told = readFileSync(`${root}sim/scenarios/${transcript}`, "utf8");
  const { text, violation } = await play(told);
  const checker = violation?.split(":")[0] ?? "the transcript itself";
  console.log(JSON.stringify(text === told && violation === undefined ? {} : { seed: transcript, checker }));
}
