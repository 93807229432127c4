/**
 * run: `make sim-teeth`: every planted bug must be found within `seedsMax` worlds, or else by its transcript, and the product itself must show
 * nothing on the same worlds.
 *
 * Takes   TOOTH in the environment: only that one. FROM: the whole search, from that world on; its places are remembered (`found.json`).
 *         Without FROM each is looked for where it was found last, and in all worlds only where it is not found there any more.
 * Gives   a line for each, with the seed and the checker that found it; `K of K planted bugs found`, and the checkers that found none. Exit
 *         code 1 when a bug was not found.
 * Bound   without FROM some two seconds of CPU a bug; with it half a minute on the average. A search that takes longer than `limitMs` ends, and says
 *         so: then the transcript counts.
 */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkers } from "../src/checkers/all.ts";
import { type Found, isWorld, remember, remembered } from "./found.ts";
import { teeth } from "./teeth.ts";
import type { Tooth } from "./tooth.ts";

const seedsMax = 500;
const limitMs = 20 * 60_000;
const run = promisify(execFile);

async function bite(name: string, worlds: string): Promise<Found> {
  const args = [fileURLToPath(new URL("bite.ts", import.meta.url)), name, worlds];
  try {
    const { stdout } = await run(process.execPath, args, { timeout: limitMs });
    return JSON.parse(stdout) as Found;
  } catch (error) {
    const isTooSlow = (error as { readonly killed?: boolean }).killed === true;
    if (!isTooSlow || worlds === "" || name === "none") throw error;
    console.log(`too slow   ${name} was not looked for in all of ${worlds}: ${limitMs / 60_000} minutes are over`);
    return bite(name, "");
  }
}

const { TOOTH = "", FROM = "" } = process.env;
const isWhole = FROM !== "";
const [from, before] = [Number(FROM || "1"), remembered()];
const all = `${from}-${from + seedsMax - 1}`;
/** What is remembered when this run ends here: what was not looked for stays as it was. */
const known = new Map(before);

function note(name: string, { place, checker = "" }: Found): void {
  if (!isWhole) return;
  if (place === undefined) known.delete(name);
  else known.set(name, [place, checker]);
  remember(known);
}

/** Where it was found last; else, and in the whole search, in all worlds. Its own transcript is played first: that takes a second. */
async function look({ name, transcript }: Tooth): Promise<Found> {
  const [last] = before.get(name) ?? [];
  if (isWhole) {
    const told = transcript === undefined ? {} : await bite(name, "");
    if (told.place !== undefined) note(name, told);
    const found = await bite(name, all);
    return found.place === undefined ? told : found;
  }
  if (last === undefined) return bite(name, all);
  const found = await bite(name, isWorld(last) ? last : "");
  return found.place === last ? found : bite(name, all);
}

/** What only worlds can find comes first: who ends this run early knows the most. */
const wanted = teeth
  .filter(({ name }) => TOOTH === "" || name === TOOTH)
  .toSorted((a, b) => Number(a.transcript !== undefined) - Number(b.transcript !== undefined));
if (wanted.length === 0) throw new Error(`TOOTH is ${TOOTH}, expected one of ${teeth.map((t) => t.name).join(", ")}`);
const waiting = [...wanted];
const places = new Map<string, readonly [string, string]>();
const worker = async () => {
  for (let tooth = waiting.shift(); tooth !== undefined; tooth = waiting.shift()) {
    const { name, bug } = tooth;
    const found = await look(tooth);
    const { place, checker = "" } = found;
    if (place !== undefined) places.set(name, [place, checker]);
    note(name, found);
    const last = before.get(name)?.[0];
    const moved = isWhole || place === last ? "" : ` (not in ${last ?? "any"} any more: FROM=1 remembers it)`;
    console.log(
      place === undefined
        ? `NOT FOUND  ${name}: ${bug}`
        : `found      ${name} in ${place} by ${checker}${moved}: ${bug}`,
    );
  }
};
await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, worker));

const seeds = [...new Set([...places.values()].flatMap(([place]) => (isWorld(place) ? [place] : [])))];
const worlds = isWhole ? all : seeds.join(",");
const { place: wrong, checker, text } = worlds === "" ? {} : await bite("none", worlds);
const many = isWhole ? seedsMax : seeds.length;
console.log(
  wrong === undefined
    ? `nothing planted: nothing found in ${many} worlds`
    : `nothing planted: world ${wrong} violates ${checker}: ${text}`,
);
const byWorlds = [...places.values()].filter(([place]) => isWorld(place)).length;
console.log(`${places.size} of ${wanted.length} planted bugs found, ${byWorlds} of them by worlds`);
const proven = new Set([...places.values()].map(([, by]) => by));
const unproven = checkers.flatMap(({ name }) => (proven.has(name) ? [] : [name]));
if (TOOTH === "" && unproven.length > 0) console.log(`no planted bug was found by ${unproven.join(", ")}`);
if (places.size < wanted.length || wrong !== undefined) process.exitCode = 1;
