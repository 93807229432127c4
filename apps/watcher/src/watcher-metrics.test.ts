/**
 * Goal    the watcher tells what it reads and how long it has not had everything read and taken by the server.
 * Method  the watcher's world: a server that is away, and is back.
 */
import { expect, test } from "vitest";
import { createMetrics } from "@reprise/runtime/metrics.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import type { Server, SignalReport } from "./server.ts";
import { addWatcherMetrics, measuredServer } from "./watcher-metrics.ts";
import { eccLine, stepLine, World } from "./world.ts";

test("while the server takes nothing the lag grows; once it does there is none", async () => {
  const world = new World();
  world.log.append("/logs/slurm-128.out", stepLine(1));
  world.target({ heimdallJobId: "a" });
  await world.run(3_000);
  expect(world.standing()).toMatchObject({ targets: 1, files: 1, unsentReports: 0 });
  expect(world.standing()?.lagMs).toBeLessThan(1_000);
  world.log.append("/logs/slurm-128.out", eccLine);
  world.faults.push(...Array.from({ length: 12 }, () => "before" as const));
  await world.run(2_000);
  expect(world.standing()?.unsentReports).toBeGreaterThan(0);
  expect(world.standing()?.lagMs).toBeGreaterThan(1_000);
  world.faults.length = 0;
  await world.run(2_000);
  expect(world.standing()).toMatchObject({ unsentReports: 0 });
  expect(world.standing()?.lagMs).toBeLessThan(1_000);
});

test("only what the server has taken is counted, by kind and without the job", async () => {
  const life = fakeLife();
  const metrics = createMetrics(life.log);
  let isAway = true;
  const server = measuredServer(
    { reportSignals: () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve()) } as unknown as Server,
    metrics,
    life.clock,
  );
  addWatcherMetrics(metrics, () => ({ targets: 3, targetsMax: 5, files: 4, lagMs: 1_250, unsentReports: 1 }));
  const report = { signals: [{ kind: "crash", heimdallJobId: "17" }] } as unknown as SignalReport;
  await expect(server.reportSignals(report)).rejects.toThrow("away");
  isAway = false;
  await server.reportSignals(report);
  const lines = (await metrics.text()).split("\n").filter((line) => /^reprise_watcher\S* [1-9]/.test(line));
  expect(lines.filter((line) => !line.includes("_bucket"))).toEqual([
    'reprise_watcher_server_call_seconds_count{call="reportSignals",outcome="failed"} 1',
    'reprise_watcher_server_call_seconds_count{call="reportSignals",outcome="ok"} 1',
    'reprise_watcher_signals_total{kind="crash"} 1',
    "reprise_watcher_targets 3",
    "reprise_watcher_targets_max 5",
    "reprise_watcher_files 4",
    "reprise_watcher_lag_seconds 1.25",
    "reprise_watcher_unsent_reports 1",
  ]);
});
