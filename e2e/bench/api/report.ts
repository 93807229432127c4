/**
 * report: the figures of the API as a part of `docs/benchmarks.md`.
 *
 * Pure, total
 */
import type { Latencies } from "./latencies.ts";
import type { Passes } from "./passes.ts";
import type { Rate, Rates } from "./rates.ts";
import { reads } from "./reads.ts";

export interface ApiRun {
  readonly date: string;
  readonly machine: {
    readonly cores: number;
    readonly cpu: string;
    readonly node: string;
    readonly loads: readonly number[];
  };
  readonly rates: Rates;
  readonly passes: Passes;
  readonly latencies: readonly Latencies[];
  readonly sizes: readonly [number, number];
}

const heading = "## The API";
const whole = (n: number) => Math.round(n).toLocaleString("en");
const percent = (part: number, of: number) => `${Math.round((part / of) * 100)} %`;

export function part({ date, machine: m, rates: r, passes: p, latencies, sizes }: ApiRun): string {
  const row = (name: string, rate: Rate, loop?: Rate, mark = "") => {
    const ofLoop =
      loop === undefined ? ["", ""] : [percent(rate.perSecond, loop.perSecond), percent(loop.cpuMs, rate.cpuMs)];
    const cells = [
      whole(rate.perSecond),
      percent(rate.perSecond, r.static.perSecond),
      ofLoop[0],
      rate.cpuMs.toFixed(2),
      ofLoop[1],
    ];
    return `| ${name} | ${cells.map((cell, i) => (i === 2 || i === 4 ? `${mark}${cell}${mark}` : cell)).join(" | ")} |`;
  };
  return `${heading}

\`make bench-api\` measures it and writes this part. Measured on ${date}: ${m.cores} cores (${m.cpu}), Node ${m.node}. Callers, server and
PostgreSQL share these cores with whatever else runs there: the load was ${m.loads.map((load) => load.toFixed(0)).join(", ")} (before, after the
rates, after PostgreSQL, at the end). What is compared takes turns within seconds, so that this hits both alike: the ratios say more than the rates.

Rates, 64 callers that read and 16 that write in a process of their own, each with one question open; medians of short slices; PostgreSQL
without fsync, which favours the raw loops:

| | per second | of a static answer | of the raw loop | ms of a processor | the raw loop's of it |
| --- | ---: | ---: | ---: | ---: | ---: |
${row("`GET /v1/jobs/{id}`", r.get, r.queries, "**")}
${row("gRPC `GetJob`", r.grpcGet, r.queries)}
${row("raw loop: `select … where heimdall_job_id = $1` by `pg`, 64 callers", r.queries)}
${row("the same, prepared by name", r.queriesPrepared)}
${row("`POST /v1/jobs`, changing", r.post, r.upserts, "**")}
${row("the same of jobs that opted in", r.postCovered, r.upserts)}
${row("gRPC `CreateOrUpdateJob`, changing", r.grpcUpsert, r.upserts)}
${row("`POST /v1/jobs`, nothing new, all of one attempt", r.repeated, r.upserts)}
${row("raw loop: one single-row upsert after the other", r.upserts)}

A static answer of \`node:http\`: ${whole(r.static.perSecond)} a second. The milliseconds are of the server and PostgreSQL for one answer, or of the raw loop and
PostgreSQL for one of its queries: on a busy machine each hop between processes waits, and the loop has one less; the processor's time is
what it is. Of a processor that is free the last column would be the ratio of the rates.

Changing reports are decided about meanwhile, by the same server.

- Aim: GET at least 60 % of the raw query loop: ${verdict(r.get, r.queries, 0.6)}.
- Aim: upsert at least 50 % of a loop of single-row upserts: ${verdict(r.post, r.upserts, 0.5)}.

SAC's view of ${whole(p.jobs)} live jobs, as one pass: ${whole(p.firstMs)} ms when all are new; ${whole(p.againMs)} ms when nothing has changed
(median of ${p.repeats}), and these wrote **${p.rowsWritten}** rows of \`job\` and \`facts\`.

Latency of one caller, milliseconds, p50 / p99, at ${whole(sizes[0])} and ${whole(sizes[1])} stored attempts, asked in turn; growth is of the p50:

${latencyTable(latencies, sizes)}
`;
}

function verdict(rate: Rate, loop: Rate, aim: number): string {
  const says = (ratio: number) => `${percent(ratio, 1)}, ${ratio >= aim ? "met" : "**missed**"}`;
  return `${says(rate.perSecond / loop.perSecond)}; by the processor's time ${says(loop.cpuMs / rate.cpuMs)}`;
}

function latencyTable(latencies: readonly Latencies[], [small, large]: readonly [number, number]): string {
  const bodies = [...new Set(latencies.map(({ body }) => body))];
  const at = (body: string, attempts: number, read: string) =>
    latencies.find((l) => l.body === body && l.attempts === attempts)?.of.get(read);
  const cells = (body: string, read: string): string[] => {
    const [a, b] = [at(body, small, read), at(body, large, read)];
    if (a === undefined || b === undefined) return ["", "", ""];
    const growth = b.p50 / a.p50;
    const times = `${growth.toFixed(1)}×`;
    const show = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(2)} / ${p99.toFixed(1)}`;
    return [show(a), show(b), growth < 2 ? times : `**${times}**`];
  };
  const head = bodies.flatMap((body) => [`${body}, ${whole(small)}`, whole(large), "growth"]);
  const rows = reads.map(({ name, isOpen }) => [
    `${name}${isOpen ? " *" : ""}`,
    ...bodies.flatMap((body) => cells(body, name)),
  ]);
  const line = (row: readonly string[]) => `| ${row.join(" | ")} |`;
  const rule = ["---", ...head.map(() => "---:")];
  return [
    line(["", ...head]),
    line(rule),
    ...rows.map(line),
    "",
    "\\* A walk over a filter on states reads what lies before its offset: no promise is made about it.",
  ].join("\n");
}
