/**
 * run: `make sim-teeth`: every planted bug must be found within `seedsMax` worlds, or else by its transcript, and the product itself must show
 * nothing on the same worlds.
 *
 * Takes   TOOTH in the environment: only that one.
 * Gives   a line for each, with the seed and the checker that found it; `K of K planted bugs found`, and the checkers that found none. Exit
 *         code 1 when a bug was not found.
 */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkers } from "../src/checkers/all.ts";
import { teeth } from "./teeth.ts";

const seedsMax = 500;
const limitMs = 20 * 60_000;
const run = promisify(execFile);

interface Found {
  readonly seed?: string;
  readonly checker?: string;
  readonly text?: string;
}

async function bite(name: string): Promise<Found> {
  const { stdout } = await run(
    process.execPath,
    [fileURLToPath(new URL("bite.ts", import.meta.url)), name, "1", String(seedsMax)],
    { timeout: limitMs },
  );
  return JSON.parse(stdout) as Found;
}

const { TOOTH } = process.env;
const waiting = TOOTH === undefined || TOOTH === "" ? ["none", ...teeth.map((t) => t.name)] : [TOOTH];
const planted = waiting.filter((name) => name !== "none").length;
let [found, byWorlds, isClean] = [0, 0, true];
const proven = new Set<string>();
const worker = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { seed, checker, text } = await bite(name);
    if (name === "none") {
      isClean = seed === undefined;
      console.log(
        isClean
          ? `nothing planted: nothing found in ${seedsMax} worlds`
          : `nothing planted: world ${seed} violates ${checker}: ${text}`,
      );
      continue;
    }
    if (seed !== undefined) found++;
    if (checker !== undefined) proven.add(checker);
    if (seed !== undefined && /^\d+$/.test(seed)) byWorlds++;
    const bug = teeth.find((t) => t.name === name)?.bug ?? "";
    console.log(
      seed === undefined ? `NOT FOUND  ${name}: ${bug}` : `found      ${name} in ${seed} by ${checker}: ${bug}`,
    );
  }
};
await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, worker));
console.log(`${found} of ${planted} planted bugs found, ${byWorlds} of them by worlds`);
const unproven = checkers.flatMap(({ name }) => (proven.has(name) ? [] : [name]));
if (planted > 1 && unproven.length > 0) console.log(`no planted bug was found by ${unproven.join(", ")}`);
if (found < planted || !isClean) process.exitCode = 1;
