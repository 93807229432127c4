/**
 * draw-world: a world from a seed.
 *
 * Gives   the default distribution: median 219 nodes, 30 jobs, 6 hours of troubles. `docs/simulation.md` has it in words.
 * Keeps   every kind of trouble is off in about half of all worlds, so that each meets the others in every combination.
 */
import type { Lots } from "./chance.ts";
import { drawComponents, drawDependencies } from "./draw-waiting.ts";
import { noFaults } from "./no-faults.ts";
import { sound } from "./database.ts";
import { prompt } from "./logs.ts";
import { perfect } from "./network.ts";
import { operator } from "./people.ts";
import { type FaultPlan, type JobSpec, peopleActs, type Release, type ReprisePlan, type WorldSpec } from "./spec.ts";
import type { SubmitSpec } from "./slurm/sim-slurm.ts";
import { drawOwn, type TrainingPlan } from "./training.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
export const begunAt = Date.UTC(2030, 0, 1);

/** `default`: a cluster's quarter of a day. `small`: an hour of a few nodes, in which as much goes wrong. */
export type Size = "default" | "small";

export function drawWorld(lots: Lots, size: Size = "default"): WorldSpec {
  const of = lots.of("cluster");
  const isLarge = of.yes(0.001);
  const isSmall = size === "small";
  const nodeCount = Math.round(isSmall ? of.spread(4, 40) : isLarge ? of.spread(500, 2_000) : of.spread(60, 800));
  const jobCount = Math.round(isSmall ? of.spread(3, 12) : isLarge ? of.spread(100, 500) : of.spread(12, 75));
  const safetyMs = Math.round((isSmall ? of.spread(0.5, 2) : of.spread(3, 12)) * hour);
  const hasRacks = lots.of("racks").yes(racksShare);
  const nodes = Array.from({ length: nodeCount }, (_, i) => ({
    name: `n${i + 1}`,
    ...(hasRacks ? { features: [`rack${1 + (i % 2)}`] } : {}),
  }));
  const lemons = nodes.filter(() => of.yes(0.01)).map((n) => n.name);
  const isPreempting = of.yes(0.3);
  return {
    begunAt,
    nodes,
    lemons,
    partitions: [
      { name: "gpu", ...(isPreempting ? { priorityTier: 1, preemptMode: "requeue" as const } : {}) },
      { name: "urgent", priorityTier: isPreempting ? 10 : 1 },
      { name: "private" },
    ],
    settings: {
      credExpireSeconds: of.pick([120, 120, 120, 30, 5]),
      killWaitSeconds: of.pick([30, 30, 3]),
      minJobAgeSeconds: of.pick([300, 300, 600, 60]),
      schedDelayMs: of.pick([500, 1_000, 3_000]),
      epilogMs: of.pick([40, 40, 500, 8_000]),
      slurmdTimeoutSeconds: of.pick([300, 60]),
      requeueExit: of.yes(0.2) ? [100, 101] : [],
      operators: [operator],
      release: lots.of("untried").yes(untriedShare) ? "27.05" : lots.of("release").pick(releases),
    },
    jobs: hasRacks
      ? drawRacks(lots.of("whose rack"), drawJobs(lots, jobCount, nodeCount, safetyMs))
      : drawJobs(lots, jobCount, nodeCount, safetyMs),
    reprise: {
      ...drawReprise(lots.of("reprise"), lots.of("node logs").yes(nodeLogsShare)),
      tells: lots.of("tells").yes(tellsShare),
    },
    faults: drawFaults(lots.of("faults"), isSmall ? 1 / 6 : 1),
    safetyMs,
  };
}

/** Those that recovery was tried on, the one that most is known of as often as the others together. Whatever else is drawn stays as it is. */
const releases: readonly Release[] = ["22.05", "22.05", "25.11", "26.05"];
/** So many worlds have one that nobody has tried. */
const untriedShare = 0.03;

/** So many worlds have nodes of two racks, for which jobs may ask. Whatever else is drawn stays as it is. */
const racksShare = 0.25;

const drawRacks = (of: Lots, jobs: readonly JobSpec[]): JobSpec[] =>
  jobs.map((job) =>
    of.yes(0.4) ? { ...job, submit: { ...job.submit, constraint: of.pick(["rack1", "rack2"]) } } : job,
  );

/** So many worlds have nodes with logs of their own. Whatever else is drawn stays as it is. */
const nodeLogsShare = 0.3;

/** In so many worlds somebody is to be told by webhook. Whatever else is drawn stays as it is. */
const tellsShare = 0.2;

function drawReprise(of: Lots, nodeLogs: boolean): ReprisePlan {
  const mode = of.yes(0.93) ? "act" : "observe";
  return {
    mode,
    watchdogMode: mode === "act" && of.yes(0.95) ? "act" : "observe",
    partitions: of.yes(0.9) ? ["gpu", "urgent"] : ["gpu"],
    failOpenAfterMs: of.pick([180_000, 180_000, 120_000]),
    skipRequeueDelay: of.yes(0.85),
    hasSecondSac: of.yes(0.15),
    watchers: of.pick([1, 1, 1, 2]),
    nodeLogs,
    idleMaxMs: {
      sac: 24_000,
      watchdog: 24_000,
      claim: 55_000,
      busy: 6_000,
      tail: 24_000,
      decide: 300_000,
      calm: 300_000,
    },
  };
}

/** Some come at any time, most in waves, as people submit them: between them it is quiet. */
function drawJobs(lots: Lots, count: number, nodeCount: number, safetyMs: number): JobSpec[] {
  const ofAll = lots.of("waves");
  const waves = Array.from({ length: ofAll.int(1, 4) }, () => ofAll.number() * 0.85);
  const jobs = Array.from({ length: count }, (_, i) => {
    const of = lots.of(`job ${i}`);
    const plan = drawOutput(lots.of(`output ${i}`), drawPace(lots.of(`pace ${i}`), drawTraining(of, nodeCount)));
    const at = of.yes(0.2) ? of.number() * 0.9 : of.pick(waves) + of.number() * 0.05;
    return {
      afterMs: Math.round(at * safetyMs),
      submit: drawComponents(
        lots.of(`components ${i}`),
        drawDetection(lots.of(`limits ${i}`), drawSubmit(of, i, nodeCount, plan)),
        nodeCount,
      ),
      plan,
    };
  });
  if (lots.of("gates").yes(gatesShare)) return drawGates(lots.of("whose gates"), jobs);
  return lots.of("dependencies").yes(dependenciesShare) ? drawDependencies(lots.of("who waits"), jobs) : jobs;
}

/** So many worlds have jobs that wait for each other; 0: none has. Whatever else is drawn stays as it is. */
const gatesShare = 0.25;
/** Of the others so many have jobs that Slurm itself makes wait (`--dependency`), and chains. */
const dependenciesShare = 0.3;

/** Some wait for one or two others, by name: mostly earlier ones, some for one that comes late, for themselves, or for nobody. */
function drawGates(of: Lots, jobs: readonly JobSpec[]): JobSpec[] {
  return jobs.map((job, i) => {
    const { comment, array, name } = job.submit;
    const policy = array === undefined ? policyIn(comment) : undefined;
    if (policy === undefined) return job;
    const shared = { ...policy, workflow_id: "graph" };
    const written = (recovery: object) => ({ ...job.submit, comment: JSON.stringify({ recovery }) });
    if (!of.yes(0.4)) return { ...job, submit: written(shared) };
    const parents = Array.from({ length: of.pick([1, 1, 2]) }, () =>
      of.yes(0.9) ? `train-${of.int(0, Math.max(0, i - 1))}` : of.pick([`train-${of.int(0, jobs.length)}`, name]),
    );
    const triggers = ["on_success", "on_success", "on_failure", "on_completion", "on_start"];
    const gates = {
      dag_dependencies: parents.map((parent) => ({ job_name: parent, trigger: of.pick(triggers) })),
      ...(of.yes(0.3) ? { dag_action: "keep_held" } : {}),
    };
    return { ...job, submit: { ...written({ ...shared, ...gates }), hold: !of.yes(0.05) } };
  });
}

function policyIn(comment: string | undefined): object | undefined {
  if (comment?.startsWith('{"recovery":{"auto_resume_mode":"requeue"') !== true) return undefined;
  const { recovery } = JSON.parse(comment) as { readonly recovery?: object };
  return recovery !== undefined && !("environment" in recovery) ? recovery : undefined;
}

function drawSubmit(of: Lots, i: number, nodeCount: number, plan: TrainingPlan): SubmitSpec {
  const nodes = Math.max(1, Math.min(Math.round(of.spread(1, 64)), Math.floor(nodeCount / 4)));
  const comment = drawComment(of, plan);
  const isShared = plan.logMode === "append";
  return {
    name: `train-${i}`,
    user: of.pick(["ada", "bo", "chi"]),
    partition: of.weighted([
      ["gpu", 80],
      ["urgent", 8],
      ["gpu,urgent", 4],
      ["private", 4],
      ["gpu,private", 4],
    ]),
    nodes,
    gpusPerNode: 8,
    exclusive: true,
    ...(comment === undefined ? {} : { comment }),
    requeue: !of.yes(0.05),
    ...(of.yes(0.03) ? { batch: false } : {}),
    ...(of.yes(0.06) ? { array: of.pick(["0-1", "0-3", "1,3,7", "0-5%2"]) } : {}),
    ...(of.yes(0.1) ? { exclude: `n${of.int(1, nodeCount)}` } : {}),
    ...(of.yes(0.04) ? { nodelist: `n${of.int(1, nodeCount)}` } : {}),
    ...(of.yes(0.05) ? { hold: true } : {}),
    timeLimitMinutes: of.yes(0.1) ? of.int(5, 60) : 1_440,
    output: isShared ? `/logs/train-${i}-%a.out` : "/logs/slurm-%j.out",
    workDir: "/work",
  };
}

function drawTraining(of: Lots, nodeCount: number): TrainingPlan {
  const runMs = of.spread(3 * minute, 1.25 * hour);
  const lineMs = Math.max(10 * second, runMs / of.spread(4, 16));
  const lineEvery = of.pick([1, 10, 100]);
  const stepMs = Math.round(lineMs / lineEvery);
  const steps = Math.max(1, Math.round(runMs / stepMs));
  const saveEvery = Math.max(lineEvery, Math.round(steps * of.spread(0.08, 0.5)));
  const isFrail = of.yes(0.5);
  return {
    steps,
    stepMs,
    lineEvery,
    saveEvery,
    saveMs: Math.round(of.spread(1, 60) * second),
    evaluateEvery: of.yes(0.5) ? saveEvery * 2 : 0,
    evaluateMs: Math.round(of.spread(10, 300) * second),
    loadMs: Math.round(of.spread(5, 180) * second),
    logMode: of.yes(0.75) ? "truncate" : "append",
    hardwareMtbfMs: isFrail ? runMs * of.spread(0.2, 2) : Math.max(runMs * 20, (nodeCount > 500 ? 100 : 200) * hour),
    ...(of.yes(0.25) ? { own: drawOwn(of, steps) } : {}),
    trapMs: of.yes(0.7) ? of.int(0, 2_000) : of.int(5_000, 40_000),
    failsInTeardown: of.yes(0.1),
    rotates: of.yes(0.05),
  };
}

/** One training in ten becomes slow, and stays so. */
function drawPace(of: Lots, plan: TrainingPlan): TrainingPlan {
  const [isSlow, share] = [of.yes(0.1), of.spread(0.1, 0.9)];
  return isSlow ? { ...plan, slowsAfterMs: Math.round(plan.loadMs + share * plan.steps * plan.stepMs) } : plan;
}

/** Half of the authors forget that standard output to a file is buffered. */
function drawOutput(of: Lots, plan: TrainingPlan): TrainingPlan {
  const [isBuffered, burstLines] = [of.yes(0.5), of.int(2, 8)];
  return isBuffered ? { ...plan, burstLines } : plan;
}

/** Limits shorter than the default, as an author sets them who knows his program. */
function drawDetection(of: Lots, submit: SubmitSpec): SubmitSpec {
  const [isOwn, silence, slowdown] = [of.yes(0.4), of.pick([300, 600, 1_200]), of.yes(0.5)];
  const policy = submit.array === undefined ? policyIn(submit.comment) : undefined;
  if (!isOwn || policy === undefined) return submit;
  const { anomaly_detection: known, ...rest } = policy as { readonly anomaly_detection?: object };
  const detection = { ...known, log_based_timeout_trainingloop: silence, ...(slowdown ? { slowdown } : {}) };
  return { ...submit, comment: JSON.stringify({ recovery: { ...rest, anomaly_detection: detection } }) };
}

/** The policies of design §5 in all combinations; and those that cannot be read. */
function drawComment(of: Lots, plan: TrainingPlan): string | undefined {
  const kind = of.weighted([
    ["policy", 80],
    ["none", 8],
    ["off", 4],
    ["broken", 4],
    ["foreign", 4],
  ] as const);
  if (kind === "none") return undefined;
  if (kind === "foreign") return '{"jr": {"attempt": 1}}';
  if (kind === "broken")
    return of.pick([
      '{"recovery": {"auto_resume_mode": "reque"}}',
      '{"recovery": {"auto_resume_mode": "requeue"',
      '{"recovery": {"auto_resume_mode": "requeue", "max_requeue_times": -1}}',
    ]);
  const policy: Record<string, unknown> = { auto_resume_mode: kind === "off" ? "off" : "requeue" };
  if (of.yes(0.6)) policy["max_requeue_times"] = of.int(0, 6);
  if (of.yes(0.3)) policy["max_failures_without_progress"] = of.int(1, 5);
  if (of.yes(0.2)) policy["charge"] = "workload";
  if (of.yes(0.1)) policy["max_recovery_hours"] = of.pick([0.5, 2, 12]);
  if (of.yes(0.05)) policy["requeue_on_completion"] = true;
  if (of.yes(0.1)) policy["anomaly_detection"] = { log_based_crash: of.yes(0.5) };
  if (of.yes(0.3)) policy["log_file_paths_shared_across_attempts"] = plan.logMode === "append";
  if (of.yes(0.1)) policy["exclude_nodes"] = [`n${of.int(1, 8)}`];
  if (of.yes(0.05)) policy["environment"] = "elsewhere";
  if (of.yes(0.05)) policy["enable_nvrx"] = true;
  return JSON.stringify({ recovery: policy, ...(of.yes(0.2) ? { other: { tool: 1 } } : {}) });
}

function drawFaults(of: Lots, density: number): FaultPlan {
  const every = (meanHours: number) => (of.yes(0.5) ? meanHours * density * hour * of.spread(0.3, 3) : 0);
  const rate = (max: number) => (of.yes(0.5) ? of.spread(max / 100, max) : 0);
  if (of.yes(0.05)) return noFaults;
  return {
    network: of.yes(0.4)
      ? perfect
      : {
          dropRequest: rate(0.1),
          loseAnswer: rate(0.12),
          delay: rate(0.2),
          delayMaxMs: of.pick([500, 8_000, 60_000]),
          repeat: rate(0.06),
          loseHint: rate(0.5),
        },
    database: of.yes(0.5)
      ? sound
      : { refuse: rate(0.05), slow: rate(0.1), slowMaxMs: of.pick([500, 20_000]), failAfterCommit: rate(0.05) },
    logs: of.yes(0.5) ? prompt : { late: rate(0.1), lateMaxMs: of.pick([1_000, 5_000]), half: rate(0.1) },
    partitionEveryMs: every(2),
    killEveryMs: { server: every(1), sac: every(1), watchdog: every(2), watcher: every(1) },
    pauseEveryMs: every(2),
    killUnderWay: rate(0.5),
    hostCrashEveryMs: every(4),
    diskFullEveryMs: every(4),
    clockStepEveryMs: every(1),
    clockStepMaxMs: of.pick([2 * second, 30 * second, 5 * minute]),
    slurmCrashEveryMs: every(2),
    slurmDownEveryMs: every(2),
    slurmPauseEveryMs: every(2),
    slurmSlowEveryMs: every(2),
    slurmGarbleEveryMs: every(2),
    slurmCutEveryMs: every(2),
    loseCommandAnswer: rate(0.2),
    loseWake: of.yes(0.5) ? 0 : of.pick([0.3, 1]),
    peopleEveryMs: every(0.5),
    peopleAtOnce: rate(0.5),
    people: peopleActs.filter(() => of.yes(0.5)),
    prologEveryMs: every(2),
    logTruncatedEveryMs: every(4),
    clusterLossEveryMs: every(6),
  };
}
