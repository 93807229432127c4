/**
 * bench/gates: how long it takes to judge the gates of a thousand jobs that wait for each other.
 *
 * Gives   the section "Jobs that wait for others" of docs/benchmarks.md on stdout.
 * Keeps   the product's own evaluation, and its own reading of the graph from the embedded store.
 * Bound   `rounds` evaluations of each shape, after `warmUp` that do not count.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { quantileOfSorted } from "@reprise/core/figures/quantile.ts";
import { attempt, waiting } from "@reprise/core/dag/dag.example.ts";
import { gatesOf } from "@reprise/core/dag/gates.ts";
import type { GraphAttempt } from "@reprise/core/dag/graph.ts";
import { stillLife } from "@reprise/server/manager/store/testing/life.ts";
import { openStore } from "@reprise/server/manager/store/open-store.ts";

const jobs = 1_000;
const [rounds, warmUp] = [200, 100];

const each = (parentsOf: (i: number) => readonly string[]): GraphAttempt[] =>
  Array.from({ length: jobs }, (_, i) =>
    parentsOf(i).length === 0 ? attempt(String(i)) : { ...waiting(String(i), ...parentsOf(i)), jobName: `job-${i}` },
  );
const upTo = (i: number, parents: number) => Array.from({ length: Math.min(i, parents) }, (_, k) => String(i - 1 - k));

const shapes: readonly (readonly [name: string, graph: readonly GraphAttempt[]])[] = [
  ["a chain", each((i) => upTo(i, 1))],
  ["one parent, 999 children", each((i) => (i === 0 ? [] : ["0"]))],
  ["999 parents, one child", each((i) => (i === jobs - 1 ? upTo(i, jobs) : []))],
  ["ten parents each, one of them by name", each((i) => [...upTo(i, 9), ...(i > 20 ? [`name:job-${i - 20}`] : [])])],
  ["one ring of all", each((i) => [String((i + 1) % jobs)])],
  ["500 rings of two", each((i) => [String(i ^ 1)])],
];

const ms = (since: bigint) => Number(process.hrtime.bigint() - since) / 1e6;
const at = (sorted: readonly number[], share: number) => (quantileOfSorted(sorted, share) ?? 0).toFixed(2);

function timesOf(graph: readonly GraphAttempt[]): readonly number[] {
  for (let i = 0; i < warmUp; i++) gatesOf(graph);
  return Array.from({ length: rounds }, () => {
    const since = process.cpuUsage();
    gatesOf(graph);
    return process.cpuUsage(since).user / 1e3;
  }).toSorted((a, b) => a - b);
}

/** Of the shape with the most dependencies. */
async function readingTimes(): Promise<readonly number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "reprise-bench-gates-"));
  const store = await openStore({ dataDir }, stillLife());
  try {
    const graph = shapes[3]?.[1] ?? [];
    const now = Date.now();
    const changed = graph.map(({ jobId, coverage, jobName = "job-0" }) => ({
      cluster: "default",
      jobId,
      attemptIndex: 0,
      workflowId: "w",
      jobName,
      coverage,
      status: "PENDING" as const,
      jmState: "PENDING" as const,
    }));
    const pass = {
      leaseTerm: 0,
      takenAt: now,
      complete: true,
      seen: [],
      nodes: [],
      steps: [],
      mode: "act",
      partitions: [],
    };
    await store.reportPass({ cluster: "default", ...pass, changed }, now);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const since = process.hrtime.bigint();
      if ((await store.loadGraph()).length !== jobs)
        throw new Error("the graph that was read is not the one that was written");
      times.push(ms(since));
    }
    return times.toSorted((a, b) => a - b);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const rows = shapes.map(([name, graph]) => {
  const times = timesOf(graph);
  return `| ${name} | ${at(times, 0.5)} | ${at(times, 0.99)} |`;
});
const reading = await readingTimes();
console.log(`## Jobs that wait for others

\`node e2e/bench/gates.ts\` measures this part. ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${cpus()[0]?.model ?? "?"}), Node ${process.versions.node}; load ${(loadavg()[0] ?? 0).toFixed(1)}.

Judging all gates of ${jobs} jobs that wait for each other, as the server does once a second (ms of processor time); aim under 10 ms:

| graph | median | 99 % |
| --- | ---: | ---: |
${rows.join("\n")}

Reading such a graph with ten parents each from the embedded store: median ${at(reading, 0.5)} ms, longest ${at(reading, 1)} ms (by the clock).`);
