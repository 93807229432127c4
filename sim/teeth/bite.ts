/**
 * bite: one planted bug, and worlds until one of them finds it; where none does, its transcript. Runs in a process of its own.
 *
 * Takes   argv: the name of a tooth (or `none`), and the worlds: `1-500`, or `5,77`; nothing: its transcript alone. A world that does not
 *         draw what the tooth needs is passed over.
 * Gives   one line of JSON (`Found`): the seed that found it, or the transcript, and the checker; or nothing found.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Found } from "./found.ts";
import { plantedBy, root } from "./plant.ts";
import { teeth } from "./teeth.ts";

const [name = "none", worlds = ""] = process.argv.slice(2);
const { transcript, needs } = teeth.find((t) => t.name === name) ?? {};
const planted = plantedBy(name);
registerHooks({
  load(url, context, next) {
    const text = url.startsWith("file:") ? planted.get(fileURLToPath(url)) : undefined;
    const loaded = next(url, context);
    return text === undefined ? loaded : { ...loaded, source: text };
  },
});

// What is planted must be there before anything of the product is loaded.
const { Lots } = await import("../src/chance.ts");
const { drawWorld } = await import("../src/draw-world.ts");
const { simulate } = await import("../src/simulate.ts");

async function inWorlds(): Promise<Found> {
  for (const seed of seedsOf(worlds)) {
    if (needs?.(drawWorld(new Lots(seed), "small")) === false) continue;
    const { violation } = (await simulate(seed, "small")).world;
    if (violation !== undefined) return { place: String(seed), ...violation };
  }
  return {};
}

async function inTranscript(): Promise<Found> {
  if (transcript === undefined) return {};
  const { play } = await import("../src/scenario.ts");
  const told = readFileSync(`${root}sim/scenarios/${transcript}`, "utf8");
  const { text, violation } = await play(told);
  if (text === told && violation === undefined) return {};
  return { place: transcript, checker: violation?.split(":")[0] ?? "the transcript itself" };
}

function seedsOf(text: string): readonly bigint[] {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return text === "" ? [] : text.split(",").map(BigInt);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => BigInt(first) + BigInt(i));
}

const found = await inWorlds();
console.log(JSON.stringify(found.place === undefined ? await inTranscript() : found));
process.exit(0);
