/** section: the parts "A pass of SAC over many jobs" and "Many failures at once" of docs/benchmarks.md. Pure. */
import { limits } from "@reprise/core/limits.ts";
import type { Passes, PassTimes } from "./passes.main.ts";
import type { Wave } from "./wave.main.ts";

export interface Machine {
  readonly says: string;
  readonly date: string;
}
type Loaded<T> = T & { readonly load: number };

/** A tenth of one core, polled every 2 s. */
const passAimMs = 200;
const pollMs = 2_000;
const whole = (n: number) => Math.round(n).toLocaleString("en");
const verdict = (isMet: boolean) => (isMet ? "met" : "**not met**");

export function passSection({ says, date }: Machine, passes: readonly Loaded<Passes>[]): string {
  const timesRow = (jobs: number, kind: string, u: PassTimes) =>
    row([
      whole(jobs),
      kind,
      whole(u.byTheClock),
      whole(u.programs),
      u.read.toFixed(1),
      u.publish.toFixed(1),
      `**${whole(costOf(u))}**`,
    ]);
  const rows = passes.flatMap(({ jobs, unchanged, rest }) => [
    timesRow(jobs, "whole", unchanged),
    timesRow(jobs, "at rest", rest),
  ]);
  const others = passes.map(({ jobs, first, told, textMb, rssMb, load }) =>
    row([whole(jobs), whole(first.byTheClock), String(told), textMb.toFixed(1), whole(rssMb), load.toFixed(0)]),
  );
  const aimed = passes.find(({ jobs }) => jobs === 10_000);
  const ofAimed = aimed === undefined ? undefined : meanCost(aimed);
  return `## A pass of SAC over many jobs

\`make bench-slurm\` measures this part on a real Slurm. ${date}: ${says}.

So many jobs wait, and nothing changes from one pass to the next; milliseconds, the server with its embedded database beside it. *Programs* are Slurm's own squeue, sinfo and scontrol; what is ours is *reading* (parsing and comparing) and *publishing*; all but the clock are time of a processor.
*Whole* asks everything, as right before each command; *at rest*, while no Advice is open, one short listing says that nothing has happened, and every ${limits.wholeLookMs / 1_000} s there is a whole one (docs/decisions/0051).
Up to 10,000 each job has a record of its own and has opted in; at 50,000 they are tasks of arrays, and 10,000 have opted in.

| jobs | pass | clock | programs | reading | publishing | all of it |
| ---: | --- | ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}

| jobs | first pass, clock | told as changed | text, MB | memory, MiB | load |
| ---: | ---: | ---: | ---: | ---: | ---: |
${others.join("\n")}

${ofAimed === undefined ? "" : `- Aim: ≤ 10 % of one core at 10,000 jobs polled every 2 s, which is ${passAimMs} ms a pass: ${whole(ofAimed)} ms at rest, every ${limits.wholeLookMs / pollMs}th pass a whole one, ${verdict(ofAimed <= passAimMs)}.\n`}- Aim: unchanged jobs cost no message: ${passes.reduce((sum, { told }) => sum + told, 0)} told, ${verdict(passes.every(({ told }) => told === 0))}.
`;
}

const costOf = ({ programs, read, publish }: PassTimes) => programs + read + publish;

/** Of one pass, while nothing happens. */
function meanCost({ unchanged, rest }: Passes): number {
  const passes = limits.wholeLookMs / pollMs;
  return (costOf(unchanged) + (passes - 1) * costOf(rest)) / passes;
}

export function waveSection({ says, date }: Machine, wave: Loaded<Wave>, commandsPerSecondMax: number): string {
  const limitSeconds = (wave.commands * wave.callMs) / 1000;
  return `## Many failures at once

\`make bench-slurm\` measures this part on a real Slurm. ${date}: ${says}.

${whole(wave.jobs)} running jobs fail at one instant (each waited at the same pipe), and the real controller brings them back; the server is a
port in memory that advises at once. Seconds since the instant; load ${wave.load.toFixed(0)}:

| the last one is | held | constrained | released |
| --- | ---: | ---: | ---: |
| after | ${wave.lastHeld.toFixed(1)} | ${wave.lastConstrained.toFixed(1)} | **${wave.lastReleased.toFixed(1)}** |

- ${whole(wave.commands)} commands. Of a \`scontrol\` call alone, four at the same time, in the same run: ${wave.callMs.toFixed(1)} ms, so all of them would take
  ${limitSeconds.toFixed(1)} s with nothing else; the bound of ${commandsPerSecondMax} a second would allow ${(wave.commands / commandsPerSecondMax).toFixed(1)} s.
- slurmctld was asked at most ${whole(wave.asksPerSecond)} times a second, its looks included (its own count).
- Jobs whose steps were not held, constrained, released, each once: ${wave.irregular}. Aim: none: ${verdict(wave.irregular === 0)}.
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
