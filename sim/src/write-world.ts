/**
 * write-world: a world and its jobs from the words of a transcript, as `draw-world.ts` makes them from a seed.
 *
 * Takes   words of `commands.ts`: `key=value`.
 * Keeps   nothing goes wrong by itself: no faults, and each job fails only as it is told.
 */
import { limits } from "@reprise/core/limits.ts";
import { begunAt } from "./draw-world.ts";
import { noFaults } from "./no-faults.ts";
import type { JobSpec, WorldSpec } from "./spec.ts";
import type { NodeSpec } from "./slurm/sim-slurm.ts";
import type { FixedFailure, TrainingPlan } from "./training.ts";

export type Words = ReadonlyMap<string, string>;

/** `a=1 b=two` → a Map; words without `=` are left out. */
export function optionsIn(words: readonly string[]): Words {
  return new Map(
    words.filter((w) => w.includes("=")).map((w) => [w.slice(0, w.indexOf("=")), w.slice(w.indexOf("=") + 1)]),
  );
}

/** `90s`, `5m`, `2h`, `250ms` in ms. */
export function durationOf(text: string): number {
  const [, amount = "", unit = ""] = /^([+-]?[\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit];
  if (ms === undefined) throw new Error(`${text}: expected a time such as 90s, 5m or 2h`);
  return Number(amount) * ms;
}

/** What `cluster` and `reprise` say; what they leave out is as `commands.ts` has it. */
export function writtenWorld(commands: readonly string[]): WorldSpec {
  const settingsOf = (name: string) => optionsIn((commands.find((c) => c.startsWith(`${name} `)) ?? "").split(" "));
  const c = settingsOf("cluster");
  const r = settingsOf("reprise");
  const mode = (r.get("mode") ?? "act") as "observe" | "act";
  const partitions = (c.get("partitions") ?? "gpu,private,urgent").split(",");
  const preempts = c.get("preempt") === "yes";
  return {
    begunAt,
    nodes: Array.from({ length: Number(c.get("nodes") ?? 8) }, (_, i) => nodeOf(`n${i + 1}`, c.get("features") ?? "")),
    lemons: [],
    partitions: partitions.map((name) => ({
      name,
      ...(preempts ? { priorityTier: name === "urgent" ? 10 : 1, preemptMode: "requeue" as const } : {}),
    })),
    settings: {
      release: c.get("release") ?? "22.05",
      ...(c.has("requeuedelay") ? { requeueDelaySeconds: Number(c.get("requeuedelay")) } : {}),
      expeditedRequeue: c.get("expedite") === "yes",
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
      failOpenAfterMs: Number(r.get("failopen") ?? 180) * 1000,
      skipRequeueDelay: r.get("skip") !== "no",
      restartsPerMinuteMax: Number(r.get("cap") ?? limits.restartsPerMinuteMax),
      slurmReleases: (r.get("slurms") ?? "").split(","),
      hasSecondSac: r.get("sacs") === "2",
      watchers: Number(r.get("watchers") ?? 1),
      nodeLogs: r.get("nodelogs") === "yes",
      tells: r.get("tells") === "yes",
    },
    faults: noFaults,
    safetyMs: 0,
  };
}

/** @param features  `n1:h100,n2:h100+rack1` */
function nodeOf(name: string, features: string): NodeSpec {
  const own = features.split(",").find((one) => one.startsWith(`${name}:`));
  return own === undefined ? { name } : { name, features: own.slice(name.length + 1).split("+") };
}

/** Of `job`; every other key is one of the policy. */
const jobKeys = new Set([
  "nodes",
  "user",
  "partition",
  "array",
  "timelimit",
  "exclude",
  "nodelist",
  "constraint",
  "log",
  "step",
  "save",
  "trap",
  "policy",
  "hold",
  "norequeue",
  "expedite",
  "batch",
  "load",
  "finish",
  "teardown",
  "comment",
  "dependency",
  "killinvalid",
  "het",
  "named",
  "shared",
  "after",
  "aftername",
  "silence",
  "slowdown",
]);

/**
 * @param fixed Its failures; those that are added later count, too.
 * @param idOf The ID of a job by its name here, or the name itself.
 */
export function writtenJob(
  name: string,
  o: Words,
  fixed: readonly FixedFailure[],
  idOf: (name: string) => string,
): JobSpec {
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
  const comment = o.get("comment") ?? commentOf(o, gatesOf(o, idOf));
  return {
    afterMs: 0,
    plan,
    submit: {
      name: o.get("named") ?? name,
      user: o.get("user") ?? "ada",
      partition: o.get("partition") ?? "gpu",
      nodes: Number(o.get("nodes") ?? 1),
      gpusPerNode: 8,
      exclusive: true,
      ...(comment === undefined ? {} : { comment }),
      requeue: o.get("norequeue") !== "yes",
      expedite: o.get("expedite") === "yes",
      hold: o.get("hold") === "yes",
      batch: o.get("batch") !== "no",
      ...pick(o, "array"),
      ...pick(o, "exclude"),
      ...pick(o, "nodelist"),
      ...pick(o, "constraint"),
      ...(o.has("dependency") ? { dependency: namingIds(o.get("dependency")!, idOf) } : {}),
      ...(o.has("het")
        ? {
            hetComponents: o
              .get("het")!
              .split(",")
              .map((nodes) => ({ nodes: Number(nodes) })),
          }
        : {}),
      ...(o.get("killinvalid") === "yes" ? { killOnInvalidDep: true } : {}),
      timeLimitMinutes: Number(o.get("timelimit") ?? 10_000),
      output: o.get("shared") ?? "/logs/slurm-%j.out",
      workDir: "/work",
    },
  };
}

const pick = (o: Words, key: string) => (o.has(key) ? { [key]: o.get(key)! } : {});

/** `afterok:train`: Slurm knows jobs by their IDs. */
const namingIds = (dependency: string, idOf: (name: string) => string): string =>
  dependency
    .split(/([,:?])/)
    .map(idOf)
    .join("");

/** `a,b:on_failure`: one a dependency. */
function gatesOf(o: Words, idOf: (name: string) => string): readonly object[] {
  const parts = (key: string) => (o.get(key) ?? "").split(",").filter((part) => part !== "");
  const trigger = (word: string | undefined) => (word === undefined ? {} : { trigger: word });
  return [
    ...parts("after").map((part) => {
      const [name = "", word] = part.split(":");
      return { job_id: idOf(name), ...trigger(word) };
    }),
    ...parts("aftername").map((part) => {
      const [name = "", word] = part.split(":");
      return { job_name: name, ...trigger(word) };
    }),
  ];
}

function commentOf(o: Words, gates: readonly object[]): string | undefined {
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
