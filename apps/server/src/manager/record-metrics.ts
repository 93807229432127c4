/**
 * record-metrics: what the records say of recoveries, jobs, sight and the lease, told as metrics.
 *
 * In the loop   records → **metrics** → Prometheus
 * Keeps         counted from what is stored, so that every replica says the same and a restart forgets nothing; what could not be read
 *               is absent.
 * Bound         the records are read at most every `readEveryMs`, however often somebody asks; `limits.figuresRowsMax` recoveries.
 * Source        docs/decisions/0042.
 */
import { causeClasses } from "@reprise/core/decide/cause-class.ts";
import { boundOf, namedStops } from "@reprise/core/explain/ending.ts";
import {
  isTimed,
  momentNames,
  outcomeOf,
  outcomes,
  recoveryFiguresOf,
  type RecoveryRecord,
  secondsOf,
} from "@reprise/core/figures/recovery.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { blindnessKinds, blindnessOf } from "@reprise/core/now/blindness.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { Metrics } from "@reprise/runtime/metrics.ts";
import type { Manager } from "./context.ts";
import { endedCountedMs, type JobCounts, type LeaseRecord } from "./now-store.ts";
import type { PassState } from "./pass-state.ts";

const readEveryMs = 10_000;
const dayMs = 24 * 60 * 60_000;
/** Advice lives for a day at most; a generation that was renewed is as old as its first one. */
const openSinceMs = 2 * dayMs;

type Deps = Pick<Manager, "store" | "clock" | "site">;

interface Records {
  readonly now: Instant;
  readonly recoveries: readonly RecoveryRecord[];
  readonly jobs: JobCounts;
  readonly pass: PassState | undefined;
  readonly lease: LeaseRecord | undefined;
}

export function addRecordMetrics(metrics: Metrics, deps: Deps): void {
  const { clock } = deps;
  const told = [recoveryMetrics(metrics), sightMetrics(metrics)];
  let readAfter = Number.NEGATIVE_INFINITY;
  const all = told.flatMap(({ of }) => of);
  metrics.source("records", all, async () => {
    if (clock.elapsed() - readAfter < readEveryMs) return;
    readAfter = Number.NEGATIVE_INFINITY; // If it fails, the next one asks.
    const records = await read(deps);
    for (const one of all) one.clear();
    for (const { tell } of told) tell(records);
    readAfter = clock.elapsed();
  });
}

async function read({ store, clock, site: { cluster } }: Deps): Promise<Records> {
  const now = clock.now();
  const [recoveries, jobs, pass, lease] = await Promise.all([
    store.recoveriesIn({ cluster, from: now - openSinceMs, to: now + 1 }, limits.figuresRowsMax),
    store.countJobs(cluster, now - endedCountedMs, now),
    store.passState(cluster),
    store.leaseOf(cluster),
  ]);
  return { now, recoveries, jobs, pass, lease };
}

interface Told {
  readonly of: readonly { clear(): void }[];
  readonly tell: (records: Records) => void;
}

function recoveryMetrics(metrics: Metrics): Told {
  const byOutcome = metrics.level({
    name: "reprise_recoveries_last_day",
    help: "Recoveries that were first advised in the last 24 hours, by cause and by how they stand now.",
    labels: { cause_class: Object.keys(causeClasses), outcome: outcomes },
  });
  const stops = metrics.level({
    name: "reprise_recovery_stops_last_day",
    help: "Recoveries of the last 24 hours that a bound, a class of cause or a refusal stopped, by its name.",
    labels: { stopped_by: namedStops },
  });
  const seconds = metrics.spread({
    name: "reprise_recovery_last_day_seconds",
    help: "Of the recoveries of the last 24 hours: from the root to each moment. A window, not a counter: ask without rate().",
    labels: { moment: momentNames },
    buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400],
  });
  const openAge = metrics.spread({
    name: "reprise_open_advice_age_seconds",
    help: "Advice that is being carried out now, by its age. A picture of now, not a counter.",
    labels: { desired: ["RESTARTED", "TERMINATED"] },
    buckets: [30, 60, 300, 900, 3_600, 14_400, 86_400],
  });
  const tell = ({ now, recoveries }: Records) => {
    const ofDay = recoveries.filter(({ decidedAt }) => decidedAt >= now - dayMs);
    const { byCause, stoppedBy } = recoveryFiguresOf(ofDay, 0, now);
    for (const { causeClass: cause_class, outcome, count } of byCause) byOutcome.raise({ cause_class, outcome }, count);
    for (const { bound, count } of stoppedBy) stops.raise({ stopped_by: boundOf(bound) }, count);
    for (const record of ofDay.filter(isTimed))
      for (const moment of momentNames) {
        const passed = secondsOf(record)[moment];
        if (passed !== undefined) seconds.observe({ moment }, passed);
      }
    for (const record of recoveries)
      if (outcomeOf(record, now) === "open")
        openAge.observe({ desired: record.desired }, (now - record.decidedAt) / 1_000);
  };
  return { of: [byOutcome, stops, seconds, openAge], tell };
}

const standings: readonly (readonly [word: string, key: keyof JobCounts])[] = [
  ["running", "running"],
  ["waiting", "waiting"],
  ["recovering", "recovering"],
  ["deciding", "deciding"],
  ["stopped", "stopped"],
  ["not-covered", "notCovered"],
];

function sightMetrics(metrics: Metrics): Told {
  const level = (name: string, help: string) => metrics.level({ name, help, labels: {} });
  const jobs = metrics.level({
    name: "reprise_jobs",
    help: "Scheduler jobs by how they stand; of those that ended, the last seven days'. Running: only covered ones.",
    labels: { standing: standings.map(([word]) => word) },
  });
  const watched = level("reprise_jobs_watched", "Of the covered jobs that run: a watcher holds their logs.");
  const unreadable = level("reprise_jobs_unreadable", "Of the covered jobs that run: a log cannot be read whole.");
  const blind = metrics.level({
    name: "reprise_blind",
    help: "1: recovery relies on this and nobody sees it now.",
    labels: { kind: blindnessKinds },
  });
  const reported = level("reprise_sac_report_timestamp_seconds", "When SAC last looked at Slurm, by its report.");
  const complete = level("reprise_scheduler_seen_timestamp_seconds", "When Slurm was last seen whole.");
  const acts = level("reprise_sac_acts", "1: SAC said last that it may act; 0: it observes.");
  const term = level("reprise_lease_term", "Term of the right to act: grows when another SAC takes it.");
  const expires = level("reprise_lease_expires_timestamp_seconds", "Until when the right to act is held.");
  const tell = ({ now, jobs: counts, pass, lease }: Records) => {
    for (const [standing, key] of standings) jobs.set({ standing }, counts[key]);
    watched.set({}, counts.watched);
    unreadable.set({}, counts.unreadable);
    const kinds = new Set(blindnessOf({ ...counts, ...present({ pass, lease }) }, now).map(({ kind }) => kind));
    for (const kind of blindnessKinds) blind.set({ kind }, kinds.has(kind) ? 1 : 0);
    if (pass !== undefined) {
      reported.set({}, pass.heardAt / 1_000);
      acts.set({}, pass.mode === "act" ? 1 : 0);
      if (pass.completeHeardAt !== undefined) complete.set({}, pass.completeHeardAt / 1_000);
    }
    if (lease === undefined) return;
    term.set({}, lease.term);
    expires.set({}, lease.expiresAt / 1_000);
  };
  return { of: [jobs, watched, unreadable, blind, reported, complete, acts, term, expires], tell };
}
