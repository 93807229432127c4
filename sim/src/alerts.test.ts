/**
 * Goal    alerts fire in their faults, by what the real parts tell, and not while recovery does its work; a healthy hour is quiet.
 * Method  written worlds, scraped once a minute; promtool judges our rules over those series.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AuditService } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { Lots } from "./chance.ts";
import { obey, type Stage } from "./commands.ts";
import type { DatabaseFaults } from "./database.ts";
import { sound } from "./database.ts";
import { clientOver } from "./rpc.ts";
import { Scrapes } from "./scrape.ts";
import { logPathOf } from "./training.ts";
import { World } from "./world.ts";
import { writtenWorld } from "./write-world.ts";

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const promtool = "/usr/bin/promtool";
const rules = fileURLToPath(new URL("../../packaging/prometheus/reprise-alerts.yaml", import.meta.url));
const scrapeMs = 60_000;

/** A command of a transcript, of which `run 10m` is scraped once a minute; or what is done to the world beside them. */
type Step = string | ((world: World) => void | Promise<void>);

/** @returns Names of the alerts that have fired at any time. */
async function firingAfter(steps: readonly Step[]): Promise<readonly string[]> {
  const world = new World(writtenWorld(steps.filter((step) => typeof step === "string")), new Lots(1n));
  const stage: Stage = { world, say: () => undefined, jobs: new Map(), hasBegun: false };
  const scrapes = new Scrapes(world);
  for (const step of steps) {
    const [, minutes] = typeof step === "string" ? (/^run (\d+)m$/.exec(step) ?? []) : [];
    if (typeof step === "function") await step(world);
    else if (minutes === undefined) await obey(stage, step);
    for (let i = 0; i < Number(minutes ?? 0); i++) {
      await world.run(scrapeMs);
      await scrapes.scrape();
    }
  }
  return await firing(scrapes);
}

/** Promtool says what it got where it is not what was expected: nothing is expected. */
async function firing(scrapes: Scrapes): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const suite = {
    rule_files: [rules],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: scrapes.all(),
        promql_expr_test: [
          {
            expr: 'max_over_time(ALERTS{alertstate="firing"}[1d])',
            eval_time: `${scrapes.count - 1}m`,
            exp_samples: [],
          },
        ],
      },
    ],
  };
  const path = join(folder, "world.test.yaml");
  writeFileSync(path, JSON.stringify(suite));
  const said = await run(promtool, ["test", "rules", path]).then(
    () => "",
    (error: unknown) => {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return stdout + stderr;
    },
  );
  expect(said === "" || said.includes("ALERTS"), said).toBe(true);
  return [...new Set([...said.matchAll(/alertname="(\w+)"/g)].map(([, name = ""]) => name))].sort();
}

const healthy = ["job a nodes=2", "run 5m"];
/** SAC and the watchdog die while they hold a job. */
const heldAndDead = [
  "job a nodes=2",
  "fail a ecc-exit after=1m node=n2",
  "run 61s",
  "pause watcher",
  "run 3s",
  "kill sac",
  "kill watchdog",
  "resume watcher",
];
const usedUp = [
  "job a nodes=2 max_requeue_times=1",
  "fail a silent-exit after=60s",
  "fail a silent-exit after=60s attempt=1",
  "run 20m",
];
/** By mistake, say: it only looks on. */
const watchdogObserves = (world: World) => void Object.assign(world.spec.reprise, { watchdogMode: "observe" });

/** From now on the database fails in these calls, by SQLSTATE. */
const databaseBreaks =
  (broken: DatabaseFaults["broken"]): Step =>
  (world) =>
    void Object.assign(world.spec, { faults: { ...world.spec.faults, database: { ...sound, broken } } });
/** Data that is damaged; data that the database will never take. */
const [damaged, untranslatable] = ["XX001", "22P05"];

/** Its owner takes away the rights to read it, say. */
const logsAreRefused: Step = (world) => {
  for (const attempt of world.attempts.values()) world.logs.refuse(logPathOf(attempt), "permission denied");
};

/** A program of the site tells of what it has done. */
async function tellAudit(world: World): Promise<void> {
  const { link } = world.running.get("watcher") ?? {};
  const routes = world.running.get("server")?.server?.routes;
  if (link === undefined || routes === undefined) throw new Error("no server, or no way to it");
  const event = {
    eventType: "node.reimaged",
    eventProducer: "imager",
    eventLevel: "info",
    idempotencyKey: "n1",
    eventProducedAt: BigInt(world.clock.now()) * 1_000n,
  };
  const answer = await clientOver(AuditService, () => routes.audit, link).createAuditEvents({ items: [event] });
  expect(answer.partialSuccess).toBeUndefined();
}

const faults: readonly (readonly [what: string, steps: readonly Step[], alerts: readonly string[]])[] = [
  ["an hour of a healthy job", ["job a nodes=2", "run 60m"], []],
  ["a job that is brought back", ["job a nodes=2", "fail a ecc-exit after=60s", "run 20m"], []],
  ["a job whose budget is used up is its author's, and calls nobody", usedUp, []],
  ["SAC is dead", [...healthy, "kill sac", "run 20m"], ["RepriseRecoveryNotLiving", "RepriseSacSilent"]],
  ["Slurm does not answer", [...healthy, "slurm down", "run 20m"], ["RepriseSchedulerUnreadable"]],
  ["the watcher is dead", [...healthy, "kill watcher", "run 20m"], ["RepriseLogsUnwatched"]],
  [
    "the server is dead: nobody hears the watcher, and recovery does not live",
    [...healthy, "kill server", "run 20m"],
    ["RepriseRecoveryNotLiving", "RepriseServerAbsent", "RepriseWatcherLags"],
  ],
  ["the watchdog is dead", [...healthy, "kill watchdog", "run 20m"], ["RepriseWatchdogAbsent"]],
  [
    "a job fails while everything is to stop: somebody is called while Slurm still remembers it",
    [...healthy, "stop", "exit a 1", "run 4m"],
    ["RepriseBrakeHolds"],
  ],
  [
    "a job is held, SAC is dead, and the watchdog only observes",
    [...heldAndDead, watchdogObserves, "start watchdog", "run 15m"],
    ["RepriseRecoveryNotLiving", "RepriseSacSilent", "RepriseStrandedHold"],
  ],
  [
    "the same with an acting watchdog: the job goes on, SAC is missed",
    [...heldAndDead, "start watchdog", "run 15m"],
    ["RepriseRecoveryNotLiving", "RepriseSacSilent"],
  ],
  [
    "SAC reports, and cannot get the right to act",
    [...healthy, databaseBreaks({ acquireLease: damaged }), "run 20m"],
    ["RepriseLeaseLost", "RepriseRecoveryNotLiving", "RepriseServerErrors"],
  ],
  [
    "a watcher is started again and may not read what it has read",
    [...healthy, "kill watcher", logsAreRefused, "start watcher", "run 30m"],
    ["RepriseLogsUnreadable"],
  ],
  [
    "and nobody comes: what was decided stays open",
    [...heldAndDead, "start watchdog", "run 80m"],
    ["RepriseAdviceWaits", "RepriseRecoveryNotLiving", "RepriseSacSilent"],
  ],
  [
    "the database refuses an audit event for good",
    [...healthy, databaseBreaks({ recordAuditEvents: untranslatable }), tellAudit, "run 5m"],
    ["RepriseAuditEventsLost"],
  ],
  [
    "a call fails by an error of ours",
    [...healthy, databaseBreaks({ recordMilestone: damaged }), "exit a 1", "run 10m"],
    ["RepriseServerErrors"],
  ],
  [
    "what recoveries there were cannot be found out",
    [...healthy, databaseBreaks({ recoveriesIn: damaged }), "run 5m"],
    ["RepriseMetricsUnknown"],
  ],
];

test("each alert has its fault here", () => {
  const { groups } = parse(readFileSync(rules, "utf8")) as { groups: { rules: { alert: string }[] }[] };
  const named = new Set(faults.flatMap(([, , alerts]) => alerts));
  expect(groups.flatMap((group) => group.rules.map(({ alert }) => alert)).filter((alert) => !named.has(alert))).toEqual(
    [],
  );
});

test.skipIf(!existsSync(promtool)).each(faults)("%s", async (_what, steps, alerts) => {
  expect(await firingAfter(steps)).toEqual(alerts);
});
