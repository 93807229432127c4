/**
 * run: `make sim SEED=…` and `make sim SEEDS=200`: worlds, one after the other; the first `wrongMax` that are wrong are told in words.
 *
 * Takes   SEED (one world, its whole diary), or SEEDS (that many, from FROM on); SIZE=small for small ones. In the environment.
 * Gives   exit code 1 when a world was wrong.
 */
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";

const wrongMax = 3;
const { SEED, SEEDS = "200", FROM = "1", SIZE } = process.env;
const size = SIZE === "small" ? "small" : "default";
if (SEED !== undefined && SEED !== "") {
  const result = await simulate(BigInt(SEED), size);
  console.log(result.world.diary.lines.join("\n"));
  console.log(report(BigInt(SEED), size, result));
  process.exitCode = result.world.violation === undefined ? 0 : 1;
} else {
  const begunAt = process.hrtime.bigint();
  let [wrong, days] = [0, 0];
  for (let seed = BigInt(FROM); seed < BigInt(FROM) + BigInt(SEEDS); seed++) {
    const result = await simulate(seed, size);
    days += result.simulatedMs / 86_400_000;
    if (result.world.violation === undefined) continue;
    console.log(report(seed, size, result));
    wrong++;
    if (wrong >= wrongMax) break;
  }
  const seconds = Number(process.hrtime.bigint() - begunAt) / 1e9;
  console.log(`${SEEDS} worlds, ${days.toFixed(1)} simulated days, ${seconds.toFixed(1)} s: ${wrong} wrong`);
  if (wrong > 0) process.exitCode = 1;
}
