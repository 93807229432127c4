/**
 * bench/decide: how fast deciding is, whether it answers everything, and how soon a cluster that changed at once is decided.
 *
 * Takes   `--quick`: a hundredth of everything.
 * Gives   the section "Deciding" of docs/benchmarks.md, which it writes there, but for `--quick`; and on stdout. Exit code 1 where an
 *         answer was missing or differed.
 * Keeps   what the processor did is measured by its own time: another program beside it does not count.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "@reprise/core/figures/quantile.ts";
import { gatesOf } from "@reprise/core/dag/gates.ts";
import { attempt as ended, waiting } from "@reprise/core/dag/dag.example.ts";
import { type AnySituation, anySituations } from "@reprise/core/decide/any-situation.example.ts";
import { decide } from "@reprise/core/decide/decide.ts";
import { fold } from "@reprise/core/situation/situation.ts";
import { systemChance } from "@reprise/runtime/chance.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import { withPart } from "./parts.ts";
import { drain, type Taken } from "./decide/drain.ts";

const { values: flags } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const share = flags.quick ? 100 : 1;
const rateAim = 100_000;
const drainAimMs = 10_000;
const gatesAimMs = 10;

const whole = (n: number) => Math.round(n).toLocaleString("en");
const verdict = (isMet: boolean) => (isMet ? "met" : "**missed**");
/** Of this process, in seconds. */
const cpuSeconds = () => process.cpuUsage().user / 1e6;

const answer = ({ facts, coverage, now }: AnySituation) => decide(fold(facts, now), coverage, now);

function rate(): number {
  const situations = anySituations(7);
  const some = Array.from({ length: 5_000 }, () => situations.next().value);
  const rounds = 200 / Math.min(share, 20);
  for (const situation of some) answer(situation); // Until the compiler knows it.
  const begun = cpuSeconds();
  for (let round = 0; round < rounds; round++) for (const situation of some) answer(situation);
  return (rounds * some.length) / (cpuSeconds() - begun);
}

/** @returns How many had no answer, or two. */
function unanswered(asked: number): number {
  const situations = anySituations(1);
  let wrong = 0;
  for (let n = 0; n < asked; n++) {
    const situation = situations.next().value;
    try {
      if (JSON.stringify(answer(situation)) !== JSON.stringify(answer(situation))) wrong++;
    } catch (error) {
      process.stderr.write(`situation ${n}: ${String(error)}\n`);
      wrong++;
    }
  }
  return wrong;
}

/** Each of a thousand jobs waits for the one before it and for ten others. @returns Milliseconds of one evaluation. */
function gates(): number {
  const jobs = Array.from({ length: 1_000 }, (_, n) =>
    n === 0
      ? ended("0", { status: "RUNNING" })
      : waiting(String(n), ...[...new Set([n - 1, ...tenBefore(n)])].map(String)),
  );
  for (let i = 0; i < 100; i++) gatesOf(jobs); // Until the compiler knows it.
  const times = Array.from({ length: 20 }, () => {
    const begun = cpuSeconds();
    gatesOf(jobs);
    return (cpuSeconds() - begun) * 1000;
  });
  return median(times)!;
}

const tenBefore = (n: number) => Array.from({ length: 10 }, (_, k) => Math.floor((n * k) / 10));

const quiet = () => {};
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: (fields, text) => console.error(text, fields) };
const life = { clock: systemClock, chance: systemChance, log, signal: new AbortController().signal };

const asked = 1_000_000 / share;
const loadBefore = loadavg()[0] ?? 0;
const perSecond = rate();
const wrong = unanswered(asked);
const gatesMs = gates();
const drained = await drain(mkdtempSync(join(tmpdir(), "reprise-bench-decide-")), 10_000 / share, life);
const { attempts, running, failed } = drained;
const isDrained = failed.byTheClock * (10_000 / attempts) < drainAimMs;
const took = ({ byTheClock, ofProcessors }: Taken) =>
  `${whole(byTheClock)} ms by the clock, ${whole(ofProcessors)} ms of processors`;
const load = (n: number) => n.toFixed(1);

const section = `## Deciding

\`make bench-decide\` measures this part. ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${cpus()[0]?.model ?? "?"}), shared, Node ${process.versions.node};
load ${load(loadBefore)} before, ${load(loadavg()[0] ?? 0)} after.

- ${whole(perSecond)} decisions a second on one core, from random facts, folding included. Aim: at least ${whole(rateAim)}: ${verdict(perSecond >= rateAim)}.
- ${whole(asked)} random situations: ${wrong} without an answer, or with two. Aim: none: ${verdict(wrong === 0)}.
- The gates of a graph of 1,000 jobs: ${gatesMs.toFixed(1)} ms of a processor. Aim: under ${gatesAimMs} ms: ${verdict(gatesMs < gatesAimMs)}.
- ${whole(attempts)} attempts that changed at once, embedded store: ${took(running)} while all run; ${took(failed)} when all
  have failed and each becomes Advice. Aim: under ${whole(drainAimMs)} ms for 10,000: ${verdict(isDrained)}.
`;
process.stdout.write(section);
if (!flags.quick) {
  const page = new URL("../../docs/benchmarks.md", import.meta.url);
  writeFileSync(page, withPart(readFileSync(page, "utf8"), section));
}
process.exitCode = wrong === 0 ? 0 : 1;
