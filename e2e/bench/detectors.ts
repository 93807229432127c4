/**
 * bench/detectors: how often the detectors of silence and lost throughput are wrong about healthy trainings, and how soon they are right.
 *
 * Gives   the section "Hang and slowdown" of docs/benchmarks.md on stdout. No clock and no cluster: traces are made from seeds, so
 *         the figures are the same on every machine.
 * Bound   `trainings` of each shape, `lines` step lines each.
 */
import { quantileOfSorted } from "@reprise/core/figures/quantile.ts";
import { lotsFrom } from "@reprise/watcher/detect/chance.example.ts";
import { healthy, shapes } from "@reprise/watcher/detect/healthy.example.ts";
import { type Event, hear, lastsMs, steps, watched } from "@reprise/watcher/detect/trace.example.ts";
import { Vitals } from "@reprise/watcher/detect/vitals.ts";

const trainings = 100;
const lines = 2_000;
const dayMs = 24 * 3_600_000;
const minute = 60_000;

const spanOf = (events: readonly Event[]) => events.at(-1)!.at - events[0]!.at;

function healthyRow({ name, ...shape }: (typeof shapes)[number]): {
  row: string;
  days: number;
  hangs: number;
  losses: number;
} {
  let [days, hangs, losses, gains] = [0, 0, 0, 0];
  for (let seed = 1; seed <= trainings; seed++) {
    const events = healthy({ name, ...shape }, seed, lines);
    days += spanOf(events) / dayMs;
    for (const { kind, cause } of hear(new Vitals(watched()), events)) {
      if (kind === "hang") hangs++;
      else if (cause === "throughput-lost") losses++;
      else gains++;
    }
  }
  return { row: `| ${name} | ${Math.round(days)} | ${hangs} | ${losses} | ${gains} |`, days, hangs, losses };
}

/** A loss in the middle of an otherwise even training. */
function lossRow(share: number, noise: number, stepMs: number): string {
  const before = Math.ceil((5 * lastsMs) / stepMs);
  const delays: number[] = [];
  for (let seed = 1; seed <= trainings; seed++) {
    const lots = lotsFrom(seed);
    const times = Array.from(
      { length: 2 * before },
      (_, n) => stepMs * (n < before ? 1 : 1 + share) * (1 + noise * lots.normal()),
    );
    const events = steps(times);
    const vitals = new Vitals(watched({ silence: undefined }));
    const found = events.find((event) => hear(vitals, [event]).some(({ cause }) => cause === "throughput-lost"));
    if (found !== undefined && found.step > before) delays.push(found.at - events[before]!.at);
  }
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (q: number) => (sorted.length === 0 ? "–" : `${Math.round(quantileOfSorted(sorted, q)! / minute)} min`);
  const percent = (part: number) => `${Math.round(part * 1000) / 10} %`;
  return `| ${percent(share)} | ${percent(noise)} | ${stepMs / 1000} s | ${percent(delays.length / trainings)} | ${at(0.5)} | ${at(0.95)} |`;
}

const rows = shapes.map(healthyRow);
const sum = (key: "days" | "hangs" | "losses") => rows.reduce((all, row) => all + row[key], 0);
const losses = [
  [0.03, 0.005, 10_000],
  [0.06, 0.005, 10_000],
  [0.06, 0.005, 105_000],
  [0.06, 0.02, 10_000],
  [0.1, 0.02, 2_000],
  [0.1, 0.05, 30_000],
  [0.3, 0.05, 30_000],
  [1, 0.15, 30_000],
  [1, 0.15, 120_000],
] as const;

process.stdout.write(`## Hang and slowdown

\`node e2e/bench/detectors.ts\` prints this part. Made-up trainings, ${trainings} of each shape, ${lines.toLocaleString("en")} step lines each: a step takes 0.5 s to
2 min, with noise of 0.2 % to 13 %. Limits as by default: 30 min in the loop, a loss must last 30 min. Alarms about these
healthy trainings, all of them false ("gained" is recorded only, and causes nothing):

| healthy training | days | hang | slowdown | gained |
| --- | ---: | ---: | ---: | ---: |
${rows.map(({ row }) => row).join("\n")}

${sum("hangs")} false hangs and ${sum("losses")} false slowdowns in ${Math.round(sum("days")).toLocaleString("en")} days of training.

How soon a loss is told that begins in the middle and stays, ${trainings} trainings each; less than 5 % is not told by intent:

| loss | noise of a step | step | told | after, median | after, 95 % |
| ---: | ---: | ---: | ---: | ---: | ---: |
${losses.map(([share, noise, stepMs]) => lossRow(share, noise, stepMs)).join("\n")}

A silence is told at the first look after its limit: a quarter of a second, a second for a file that has long been silent.
`);
