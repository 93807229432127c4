/**
 * Goal    metrics of records say what the records say: the same after a restart and of every replica, bounded, and nothing when the
 *         records cannot be read.
 * Method  a store in memory with a recovery in it; registries over it, as one server after the other has them.
 */
import { expect, test } from "vitest";
import { createMetrics } from "@reprise/runtime/metrics.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { addRecordMetrics } from "./record-metrics.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import {
  converged,
  crash,
  decided,
  failed,
  hour,
  issue,
  noon,
  pass,
  report,
  restart,
  s,
  signals,
  status,
  terminate,
} from "./store/testing/world.ts";

/** A server's registry over these records. `ask` gives the lines of a metric. */
function metricsOver(store: ReturnType<typeof createMemoryStore>, clock: FakeClock) {
  const life = fakeLife(1, clock);
  const metrics = createMetrics(life.log);
  addRecordMetrics(metrics, { store, clock, site: { cluster: "default" } });
  const ask = async (...names: string[]) =>
    (await metrics.text())
      .split("\n")
      .filter((line) => names.some((name) => line.startsWith(name)))
      .filter((line) => !line.includes("_bucket") || line.includes('le="10"'));
  return { ask, life };
}

async function recovered(jobId: string, store: ReturnType<typeof createMemoryStore>) {
  const job = await store.upsertJob(report(jobId, 0, { nodes: ["n1"], ...failed }), noon);
  await store.recordSignals(signals(crash(job)), noon + 61 * s);
  await decided(store, job, restart(["n1"], { issues: [issue] }), noon + 66 * s);
  return job;
}

test("recoveries are told by cause and outcome, with their seconds, alike by every server", async () => {
  const store = createMemoryStore();
  const job = await recovered("1", store);
  await store.observeStatus(job.heimdallJobId, status(1, { ...converged, observedAt: noon + 80 * s }), noon + 80 * s);
  const ended = await store.upsertJob(report("2", 0, { nodes: ["n1"], ...failed }), noon);
  await decided(store, ended, { ...terminate(), issues: [issue] }, noon + 66 * s);
  const clock = new FakeClock(noon + 90 * s);
  const asked = () =>
    metricsOver(store, clock).ask("reprise_recoveries", "reprise_recovery_", "reprise_open_advice_age_seconds_count");
  const told = (await asked()).sort();
  expect(told).toEqual([
    'reprise_open_advice_age_seconds_count{desired="TERMINATED"} 1',
    'reprise_recoveries_last_day{cause_class="hardware-node",outcome="open"} 1',
    'reprise_recoveries_last_day{cause_class="hardware-node",outcome="restarted"} 1',
    'reprise_recovery_last_day_seconds_bucket{le="10",moment="converged"} 0',
    'reprise_recovery_last_day_seconds_bucket{le="10",moment="decide"} 2',
    'reprise_recovery_last_day_seconds_bucket{le="10",moment="detect"} 1',
    'reprise_recovery_last_day_seconds_count{moment="converged"} 1',
    'reprise_recovery_last_day_seconds_count{moment="decide"} 2',
    'reprise_recovery_last_day_seconds_count{moment="detect"} 1',
    'reprise_recovery_last_day_seconds_sum{moment="converged"} 20',
    'reprise_recovery_last_day_seconds_sum{moment="decide"} 12',
    'reprise_recovery_last_day_seconds_sum{moment="detect"} 1',
    'reprise_recovery_stops_last_day{stopped_by="max_requeue_times"} 1',
  ]);
  expect((await asked()).sort()).toEqual(told);
});

test("what was a day ago is in no figure any more", async () => {
  const store = createMemoryStore();
  await recovered("1", store);
  expect(await metricsOver(store, new FakeClock(noon + 30 * hour)).ask("reprise_recover")).toEqual([]);
});

test("jobs, sight and the lease are told; what there is none of is absent", async () => {
  const store = createMemoryStore();
  const clock = new FakeClock(noon + s);
  const { ask } = metricsOver(store, clock);
  expect(await ask("reprise_blind", "reprise_lease", "reprise_sac_")).toEqual([
    'reprise_blind{kind="sac-never-seen"} 1',
    ...["sac-silent", "scheduler-unreadable", "lease-lost", "logs-unwatched", "logs-unreadable"].map(
      (kind) => `reprise_blind{kind="${kind}"} 0`,
    ),
  ]);
  await store.upsertJob(report("1"), noon);
  await store.reportPass(pass(noon, { mode: "act" }), noon);
  await clock.advance(10_000);
  expect(await ask("reprise_jobs", "reprise_sac_", "reprise_blind")).toEqual(
    expect.arrayContaining([
      'reprise_jobs{standing="running"} 1',
      "reprise_jobs_watched 0",
      "reprise_sac_acts 1",
      `reprise_sac_report_timestamp_seconds ${noon / 1_000}`,
      'reprise_blind{kind="sac-never-seen"} 0',
      'reprise_blind{kind="lease-lost"} 1',
      'reprise_blind{kind="logs-unwatched"} 1',
    ]),
  );
});

test("records are read no more often than they need to be, and a database that is away leaves nothing that looks like news", async () => {
  const store = createMemoryStore();
  const clock = new FakeClock(noon);
  let [reads, isAway] = [0, false];
  const counting = {
    ...store,
    recoveriesIn: (...asked: Parameters<typeof store.recoveriesIn>) => {
      reads++;
      return isAway ? Promise.reject(new Error("away")) : store.recoveriesIn(...asked);
    },
  };
  const { ask } = metricsOver(counting, clock);
  const seen = async () => (await ask("reprise_jobs_watched", "reprise_metrics_source_up")).join(" ");
  const well = 'reprise_metrics_source_up{source="records"} 1 reprise_jobs_watched 0';
  expect([await seen(), await seen(), reads]).toEqual([well, well, 1]);
  await clock.advance(10_000);
  isAway = true;
  expect(await seen()).toBe('reprise_metrics_source_up{source="records"} 0');
  isAway = false;
  expect(await seen()).toBe(well);
});
