/**
 * soak: `make soak MINUTES=n`: as many worlds as the time allows, on all cores.
 *
 * Takes   MINUTES, WORLDS (no more than that many), FROM (the first seed), SIZE=small; CORES. In the environment.
 * Gives   each world that went wrong, in words; then worlds per second, simulated days, faults by kind, steps, violations, and
 *         which kind of fault met which checker how often. Exit code 1 when a world was wrong.
 *         One that is interrupted ends so, too, with the worlds that it has.
 * Bound   `wrongMax` worlds are told in words, the others by their seeds.
 */
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { coverageTable, mergeCounts, mergeTable } from "./coverage.ts";
import { report } from "./report.ts";
import { simulate } from "./simulate.ts";

const wrongMax = 20;
/** A worker tells of what it has done, and goes on. */
const tellEveryMs = 5_000;

interface Told {
  readonly worlds: number;
  readonly simulatedMs: number;
  readonly steps: number;
  readonly faults: Record<string, number>;
  readonly judged: Record<string, Record<string, number>>;
  readonly wrong: readonly { readonly seed: string; readonly text: string }[];
}

const { MINUTES = "1", WORLDS, FROM = "1", SIZE, CORES = String(availableParallelism()), SOAK_WORKER } = process.env;
const size = SIZE === "small" ? "small" : "default";
await (SOAK_WORKER === undefined ? lead(Number(CORES)) : work(Number(SOAK_WORKER), Number(CORES)));

async function work(index: number, workers: number): Promise<void> {
  const seconds = () => Number(process.hrtime.bigint()) / 1e9;
  const end = seconds() + Number(MINUTES) * 60;
  const last = WORLDS === undefined ? undefined : BigInt(FROM) + BigInt(WORLDS);
  const blank = () => ({
    worlds: 0,
    simulatedMs: 0,
    steps: 0,
    faults: {} as Told["faults"],
    judged: {} as Told["judged"],
    wrong: [] as Told["wrong"][number][],
  });
  let told = blank();
  let toldAt = seconds();
  for (
    let seed = BigInt(FROM) + BigInt(index);
    seconds() < end && (last === undefined || seed < last);
    seed += BigInt(workers)
  ) {
    const result = await simulate(seed, size);
    told.worlds++;
    told.simulatedMs += result.simulatedMs;
    told.steps += result.steps;
    mergeCounts(told.faults, Object.fromEntries(result.coverage.faults));
    for (const [kind, by] of result.coverage.judged()) mergeCounts((told.judged[kind] ??= {}), Object.fromEntries(by));
    if (result.world.violation !== undefined) {
      told.wrong.push({ seed: String(seed), text: report(seed, size, result) });
    }
    if ((seconds() - toldAt) * 1000 < tellEveryMs) continue;
    process.send?.(told);
    [told, toldAt] = [blank(), seconds()];
  }
  process.send?.(told);
  process.disconnect();
}

async function lead(workers: number): Promise<void> {
  const sum = { worlds: 0, simulatedMs: 0, steps: 0, wrong: 0 };
  const untold: string[] = [];
  const faults: Record<string, number> = {};
  const judged: Record<string, Record<string, number>> = {};
  const begunAt = process.hrtime.bigint();
  const children = Array.from({ length: workers }, (_, i) => {
    const child = fork(fileURLToPath(import.meta.url), {
      env: { ...process.env, SOAK_WORKER: String(i), CORES: String(workers) },
    });
    child.on("message", (message) => {
      const told = message as Told;
      sum.worlds += told.worlds;
      sum.simulatedMs += told.simulatedMs;
      sum.steps += told.steps;
      mergeCounts(faults, told.faults);
      mergeTable(judged, told.judged);
      for (const { seed, text } of told.wrong) {
        if (sum.wrong++ < wrongMax) console.log(text);
        else untold.push(seed);
      }
      if (process.stderr.isTTY) process.stderr.write(`\r${sum.worlds} worlds, ${sum.wrong} wrong `);
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGTERM"));
    return new Promise<number | null>((resolve) => child.on("exit", resolve));
  });
  const codes = await Promise.all(children);
  const seconds = Number(process.hrtime.bigint() - begunAt) / 1e9;
  console.log(coverageTable(faults, judged));
  if (untold.length > 0) console.log(`wrong as well: ${untold.join(" ")}`);
  console.log(
    `${sum.worlds} worlds (${size}), ${(sum.worlds / seconds).toFixed(1)} a second on ${workers} cores; ` +
      `${(sum.simulatedMs / 86_400_000).toFixed(1)} simulated days; ${sum.steps} commands; ${sum.wrong} violations`,
  );
  if (sum.wrong > 0 || codes.some((code) => code !== 0)) process.exitCode = 1;
}
