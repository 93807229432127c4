/**
 * commands: what a transcript may say.
 *
 *   cluster nodes=8 cred=120 killwait=30 minjobage=300          once, first; all have these defaults; exclusions=refused
 *   reprise mode=act partitions=gpu watchdog=act failopen=180 sacs=1 environment=…
 *   job NAME nodes=2 user=ada partition=gpu … and any key of the policy; policy=none|broken|off
 *   job NAME hold=yes after=OTHER,OTHER:on_failure aftername=NAME:on_start     its gates: by ID (of a job above, or any), by name
 *   job NAME silence=5m slowdown=yes         its detectors: the limit in the training loop, and whether a loss is told
 *   fail NAME KIND after=60s attempt=0       KIND as in failures.ts
 *   print NAME TEXT…    exit NAME CODE       now, in the attempt that runs
 *   run 5m              settle               heals the world and waits until nothing is open
 *   kill|start|pause|resume PART             server, sac, sac-b, watchdog, watcher; `kill|pause sac at 7`: at its 7th boundary from now
 *   as USER scontrol|scancel …
 *   order NAME never|restart|clear|withdraw      what an operator orders of the server
 *   slurm crash 3s|down|up|pause|resume|slow 5s|cut|clear · slurm garble NAME unreadable|WORD · slurm lose applied|not-applied
 *   node lost|silent|back|prolog NODE · network cut|mend PART · disk full|free · killswitch on|off · clock PART +5m
 *   show NAME           the job in Slurm, and what the server says of each attempt
 */
import type { OverrideAction } from "@reprise/core/override/override.ts";
import { begunAt } from "./draw-world.ts";
import { type Failure, hardware, own, slow } from "./failures.ts";
import { order } from "./orders.ts";
import { noFaults } from "./no-faults.ts";
import { cluster } from "./roles.ts";
import type { JobSpec, WorldSpec } from "./spec.ts";
import { logPathOf, type FixedFailure, type TrainingPlan } from "./training.ts";
import { unsettled } from "./checkers/settled.ts";
import { heal } from "./troubles.ts";
import type { World } from "./world.ts";

export interface Stage {
  readonly world: World;
  readonly say: (line: string) => void;
  readonly jobs: Map<string, { readonly jobId: string; readonly fixed: FixedFailure[] }>;
  hasBegun: boolean;
}

/** `a=1 b=two` → a Map; words without `=` are left out. */
function optionsIn(words: readonly string[]): Map<string, string> {
  return new Map(
    words.filter((w) => w.includes("=")).map((w) => [w.slice(0, w.indexOf("=")), w.slice(w.indexOf("=") + 1)]),
  );
}

/** `90s`, `5m`, `2h`, `250ms` in ms. */
function durationOf(text: string): number {
  const [, amount = "", unit = ""] = /^([+-]?[\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit];
  if (ms === undefined) throw new Error(`${text}: expected a time such as 90s, 5m or 2h`);
  return Number(amount) * ms;
}

export function specOf(commands: readonly string[]): WorldSpec {
  const settingsOf = (name: string) => optionsIn((commands.find((c) => c.startsWith(`${name} `)) ?? "").split(" "));
  const c = settingsOf("cluster");
  const r = settingsOf("reprise");
  const mode = (r.get("mode") ?? "act") as "observe" | "act";
  const partitions = (c.get("partitions") ?? "gpu,private,urgent").split(",");
  const preempts = c.get("preempt") === "yes";
  return {
    begunAt,
    nodes: Array.from({ length: Number(c.get("nodes") ?? 8) }, (_, i) => ({ name: `n${i + 1}` })),
    lemons: [],
    partitions: partitions.map((name) => ({
      name,
      ...(preempts ? { priorityTier: name === "urgent" ? 10 : 1, preemptMode: "requeue" as const } : {}),
    })),
    settings: {
      credExpireSeconds: Number(c.get("cred") ?? 120),
      killWaitSeconds: Number(c.get("killwait") ?? 30),
      minJobAgeSeconds: Number(c.get("minjobage") ?? 300),
      epilogMs: Number(c.get("epilog") ?? 40),
      requeueExit: c.has("requeueexit") ? [Number(c.get("requeueexit"))] : [],
      operators: ["op"],
      refusesExclusions: c.get("exclusions") === "refused",
    },
    jobs: [],
    reprise: {
      mode,
      watchdogMode: (r.get("watchdog") ?? mode) as "observe" | "act",
      partitions: (r.get("partitions") ?? "gpu").split(","),
      pollMs: 2_000,
      failOpenAfterMs: Number(r.get("failopen") ?? 180) * 1000,
      serverGraceMs: 600_000,
      skipRequeueDelay: r.get("skip") !== "no",
      hasSecondSac: r.get("sacs") === "2",
      watchers: 1,
    },
    faults: noFaults,
    safetyMs: 0,
  };
}

export async function obey(stage: Stage, command: string): Promise<void> {
  const { world } = stage;
  const [verb = "", what = "", ...rest] = command.split(" ");
  if (verb === "cluster" || verb === "reprise") return;
  if (!stage.hasBegun) world.startAll();
  stage.hasBegun = true;
  const { troubles, site } = world.slurm;
  switch (verb) {
    case "job":
      return submit(stage, what, optionsIn(rest));
    case "fail":
      return fail(stage, what, rest);
    case "print":
      for (const o of world.observers) o.failed?.(attemptOf(stage, what), "told", attemptOf(stage, what).nodes[0]!);
      for (const o of world.observers) o.printed?.(attemptOf(stage, what), [rest.join(" ")], "root");
      return world.logs.print(logPathOf(attemptOf(stage, what)), rest.join(" "));
    case "exit":
      return attemptOf(stage, what).exit({ exitCode: Number(rest[0]) });
    case "run":
      return world.run(durationOf(what));
    case "settle":
      return settle(stage);
    case "kill":
      if (rest[0] === "at") return world.running.get(what)?.process.killAt(Number(rest[1]));
      return world.kill(what);
    case "start":
      return world.start(what);
    case "pause": {
      const process = world.running.get(what)?.process;
      return rest[0] === "at" ? process?.at(Number(rest[1]), () => process.pause()) : process?.pause();
    }
    case "resume":
      return world.running.get(what)?.process.resume();
    case "as": {
      const [program, ...args] = rest;
      const named = args.map(
        (arg) =>
          stage.jobs.get(arg)?.jobId ??
          arg.replace(/^JobId=(.*)$/, (_, n: string) => `JobId=${stage.jobs.get(n)?.jobId ?? n}`),
      );
      const answer = world.slurm.type(what, program as "scontrol" | "scancel", ...named);
      if (answer.rc !== 0) stage.say(`      ${what.padEnd(8)} is refused: ${answer.stderr.trim()}`);
      return;
    }
    case "slurm":
      return slurm(stage, what, rest);
    case "node":
      if (what === "lost" || what === "silent") return site.nodeLost(rest[0]!, { silent: what === "silent" });
      if (what === "prolog") return site.failProlog(rest[0]!, Number(rest[1] ?? 1));
      site.nodeBack(rest[0]!);
      world.slurm.type("root", "scontrol", "update", `NodeName=${rest[0]}`, "State=RESUME");
      return;
    case "network": {
      const link = world.running.get(rest[0]!)?.link;
      if (link !== undefined) link.isCut = what === "cut";
      return;
    }
    case "disk":
      world.hosts[0]!.disk.isFull = what === "full";
      return;
    case "killswitch":
      world.hosts[0]!.disk.isKillSwitchOn = what === "on";
      return;
    case "clock":
      (what === "server" ? world.serverHost : what === "watcher" ? world.watcherHost : world.hosts[0]!.clock).aheadMs =
        durationOf(rest[0]!);
      return;
    case "order":
      stage.say(`      op       ${await order(world, stage.jobs.get(what)?.jobId ?? what, rest[0] as OverrideAction)}`);
      return;
    case "show":
      return show(stage, what);
    case "truncate":
      return world.logs.truncate(logPathOf(attemptOf(stage, what)));
    case "rotate":
      return world.logs.rotate(logPathOf(attemptOf(stage, what)), `${logPathOf(attemptOf(stage, what))}.1`);
  }
  troubles.clear();
  throw new Error(`${command}: no such command`);
}

const jobKeys = new Set([
  "nodes",
  "user",
  "partition",
  "array",
  "timelimit",
  "exclude",
  "nodelist",
  "log",
  "step",
  "save",
  "trap",
  "policy",
  "hold",
  "norequeue",
  "batch",
  "load",
  "finish",
  "teardown",
  "comment",
  "dependency",
  "shared",
  "after",
  "aftername",
  "silence",
  "slowdown",
]);

function submit(stage: Stage, name: string, o: Map<string, string>): void {
  const fixed: FixedFailure[] = [];
  const plan: TrainingPlan = {
    steps: o.has("finish") ? Number(o.get("finish")) : 1_000_000,
    stepMs: durationOf(o.get("step") ?? "10s"),
    lineEvery: 1,
    saveEvery: Number(o.get("save") ?? 10),
    saveMs: 1_000,
    evaluateEvery: 0,
    evaluateMs: 0,
    loadMs: durationOf(o.get("load") ?? "20s"),
    logMode: o.get("log") === "append" ? "append" : "truncate",
    hardwareMtbfMs: 1e12,
    fixed,
    trapMs: durationOf(o.get("trap") ?? "0s"),
    failsInTeardown: o.get("teardown") === "fails",
    rotates: false,
  };
  const comment = o.get("comment") ?? commentOf(o, gatesOf(o, stage));
  const job: JobSpec = {
    afterMs: 0,
    plan,
    submit: {
      name,
      user: o.get("user") ?? "ada",
      partition: o.get("partition") ?? "gpu",
      nodes: Number(o.get("nodes") ?? 1),
      gpusPerNode: 8,
      exclusive: true,
      ...(comment === undefined ? {} : { comment }),
      requeue: o.get("norequeue") !== "yes",
      hold: o.get("hold") === "yes",
      batch: o.get("batch") !== "no",
      ...pick(o, "array"),
      ...pick(o, "exclude"),
      ...pick(o, "nodelist"),
      ...pick(o, "dependency"),
      timeLimitMinutes: Number(o.get("timelimit") ?? 10_000),
      output: o.get("shared") ?? "/logs/slurm-%j.out",
      workDir: "/work",
    },
  };
  stage.jobs.set(name, { jobId: stage.world.submit(job), fixed });
}

const pick = (o: Map<string, string>, key: string) => (o.has(key) ? { [key]: o.get(key)! } : {});

/** `a,b:on_failure`: one a dependency. */
function gatesOf(o: Map<string, string>, { jobs }: Stage): readonly object[] {
  const parts = (key: string) => (o.get(key) ?? "").split(",").filter((part) => part !== "");
  const trigger = (word: string | undefined) => (word === undefined ? {} : { trigger: word });
  return [
    ...parts("after").map((part) => {
      const [name = "", word] = part.split(":");
      return { job_id: jobs.get(name)?.jobId ?? name, ...trigger(word) };
    }),
    ...parts("aftername").map((part) => {
      const [name = "", word] = part.split(":");
      return { job_name: name, ...trigger(word) };
    }),
  ];
}

function commentOf(o: Map<string, string>, gates: readonly object[]): string | undefined {
  if (o.get("policy") === "none") return undefined;
  if (o.get("policy") === "broken") return '{"recovery": {"auto_resume_mode": "requeue", "max_requeue_times": "many"}}';
  const policy: Record<string, unknown> = { auto_resume_mode: o.get("policy") ?? "requeue" };
  const detection = {
    ...(o.has("silence") ? { log_based_timeout_trainingloop: durationOf(o.get("silence")!) / 1_000 } : {}),
    ...(o.has("slowdown") ? { slowdown: o.get("slowdown") === "yes" } : {}),
  };
  if (Object.keys(detection).length > 0) policy["anomaly_detection"] = detection;
  if (gates.length > 0) policy["dag_dependencies"] = gates;
  for (const [key, value] of o) {
    if (jobKeys.has(key)) continue;
    policy[key] = /^(true|false|-?[\d.]+)$/.test(value)
      ? (JSON.parse(value) as unknown)
      : key.endsWith("nodes")
        ? value.split(",")
        : value;
  }
  return JSON.stringify({ recovery: policy });
}

function fail(stage: Stage, name: string, words: readonly string[]): void {
  const [kind = ""] = words;
  const o = optionsIn(words);
  const failure: Failure | undefined = [...hardware, ...own, slow].find((f) => f.kind === kind);
  if (failure === undefined) throw new Error(`${kind}: no such failure`);
  const job = stage.jobs.get(name);
  if (job === undefined) throw new Error(`${name}: no such job`);
  const attempts = (o.get("attempt") ?? "0").split(",");
  for (const attempt of attempts)
    job.fixed.push({
      attempt: Number(attempt),
      afterMs: durationOf(o.get("after") ?? "60s"),
      failure,
      ...(o.has("node") ? { node: o.get("node")! } : {}),
    });
}

function attemptOf(stage: Stage, name: string) {
  const attempt = stage.world.attempts.get(stage.jobs.get(name)?.jobId ?? name);
  if (attempt === undefined) throw new Error(`${name}: has not started`);
  return attempt;
}

function slurm({ world, jobs }: Stage, what: string, [first = "", second = ""]: readonly string[]): void {
  const { troubles } = world.slurm;
  switch (what) {
    case "crash":
      return troubles.crash(first === "" ? undefined : durationOf(first));
    case "down":
    case "up":
    case "pause":
    case "resume":
    case "clear":
      return troubles[what]();
    case "slow":
      return troubles.slow(durationOf(first));
    case "cut":
      return troubles.cutListings();
    case "lose":
      return troubles.loseNextAnswer(first as "applied" | "not-applied");
    case "garble":
      return troubles.garble(
        jobs.get(first)?.jobId ?? first,
        second === "unreadable" ? { kind: "unreadable" } : { kind: "state", word: second },
      );
    default:
      throw new Error(`slurm ${what}: no such trouble`);
  }
}

async function settle(stage: Stage): Promise<void> {
  const { world } = stage;
  heal(world);
  let why: readonly string[] = [];
  for (let i = 0; i < 30; i++) {
    await world.run(60_000);
    why = await unsettled(world);
    if (why.length === 0) return;
  }
  for (const one of why) stage.say(`      not settled: ${one}`);
}

async function show({ world, say, jobs }: Stage, name: string): Promise<void> {
  const jobId = jobs.get(name)?.jobId ?? name;
  const job = world.slurm.job(jobId);
  say(
    job === undefined
      ? `      slurm    knows no job ${jobId}`
      : `      slurm    ${jobId}#${job.restartCount} ${job.state}${job.priority === 0 ? `, held (${job.hold ?? "?"})` : ""}${job.excludedNodes.length > 0 ? `, without ${job.excludedNodes.join(" ")}` : ""}${job.nodes.length > 0 ? `, on ${job.nodes.join(" ")}` : ""}`,
  );
  for (const { attempt, advice, decision } of await world.memory.story(cluster, jobId)) {
    const last = advice.at(-1);
    const coverage = attempt.coverage.kind === "covered" ? "" : `, not covered: ${attempt.coverage.because}`;
    say(`      server   ${jobId}#${attempt.attemptIndex} ${attempt.status} ${attempt.jmState}${coverage}`);
    if (decision !== undefined)
      say(`      because  ${decision.decision.because}: ${decision.decision.sentence.slice(0, 150)}`);
    if (last !== undefined)
      say(
        `      advice   g${last.generation} ${last.desired}, ${last.status.disposition} ${last.status.reason}${last.withdrawnAt === undefined ? "" : ", withdrawn"}`,
      );
  }
}
