/**
 * section: the watcher's figures as a section of `docs/benchmarks.md`.
 *
 * Pure, total
 */
const sectionTitle = "## Watching logs";

export interface Figures {
  readonly matching: {
    readonly bytes: number;
    readonly signatures: number;
    readonly literals: number;
    /** MB/s; absent: the program is not installed. */
    readonly perSecond: number;
    readonly ripgrep?: number;
    readonly grep?: number;
    readonly growth: readonly { readonly count: number; readonly perSecond: number }[];
  };
  readonly files: {
    readonly files: number;
    readonly growingMs: number;
    readonly warmMs: number;
    readonly coldMs: number;
    readonly rssMiB: number;
  };
  readonly latency: {
    readonly logs: number;
    readonly seconds: number;
    readonly told: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  };
}

export interface On {
  readonly cores: number;
  readonly node: string;
  readonly load: number;
}

const whole = (value: number) => value.toFixed(0);
const orNone = (value: number | undefined) => (value === undefined ? "not installed" : whole(value));
const met = (is: boolean) => (is ? "met" : "**not met**");

export function section({ matching, files, latency }: Figures, { cores, node, load }: On): string {
  const { perSecond, ripgrep, grep, growth } = matching;
  const [fewest, most] = [growth[0]!.perSecond, growth.at(-1)!.perSecond];
  const rows = [
    `${sectionTitle}\n`,
    `\`make bench-watcher\` measures it. ${cores} shared cores, Node ${node}, load before the start ${load.toFixed(1)}. Speeds are bytes for a`,
    "second of CPU, since the machine is shared; latencies are of the clock, and a busy machine makes them longer.\n",
    `The log is ${whole(matching.bytes / 1e6)} MB poured together from many frameworks; one line in twenty is a step. The watcher's answer is the`,
    `full one, on one core: read, match ${matching.signatures} signatures (${matching.literals} literals), confirm, parse the steps, make signals. The others`,
    "count lines with one of the same literals.\n",
    "| | MB/s |",
    "| --- | ---: |",
    `| the watcher | **${whole(perSecond)}** |`,
    `| \`rg -j1 -c -F\` | ${orNone(ripgrep)} |`,
    `| \`grep -c -E\` | ${orNone(grep)} |`,
    ...growth.map((g) => `| the watcher with ${g.count} signatures | ${whole(g.perSecond)} |`),
    "",
    `- Aim: ≥ 200 MB/s: ${met(perSecond >= 200)}.`,
    ...(ripgrep === undefined
      ? []
      : [`- Aim: ≥ 25 % of ripgrep: ${whole((perSecond / ripgrep) * 100)} %, ${met(perSecond >= ripgrep / 4)}.`]),
    `- Aim: 500 signatures cost less than 1.3 times as much as 50: ${(fewest / most).toFixed(2)}, ${met(fewest / most < 1.3)}.\n`,
    `${files.files} files of one watcher, each an attempt of its own:\n`,
    "| | |",
    "| --- | ---: |",
    `| one pass over all of them, nothing written (CPU, ms) | **${whole(files.warmMs)}** |`,
    `| the same with a look at every name, positions and marks (CPU, ms) | ${whole(files.coldMs)} |`,
    `| one pass in which each has grown by a step (CPU, ms) | ${whole(files.growingMs)} |`,
    `| memory, RSS (MiB) | **${whole(files.rssMiB)}** |`,
    "",
    `- Aim: a sweep of 5,000 idle files ≤ 10 ms of CPU: ${met(files.warmMs <= 10)}.`,
    `- Aim: memory ≤ 300 MB: ${met(files.rssMiB * 1.048_576 <= 300)}.\n`,
    `From a line's being written to its signal's being durable on the server, ${latency.logs} logs growing by a line a second, ${latency.told} of`,
    `${latency.logs} fatal lines within ${latency.seconds} s; server, embedded database, watcher and writer on the same ${cores} cores: p50 **${whole(latency.p50Ms)} ms**, p99`,
    `**${whole(latency.p99Ms)} ms**, longest ${whole(latency.maxMs)} ms.\n`,
    `- Aim: p50 ≤ 300 ms and p99 ≤ 1 s: ${met(latency.p50Ms <= 300 && latency.p99Ms <= 1_000)}.`,
  ];
  return `${rows.join("\n")}\n`;
}
