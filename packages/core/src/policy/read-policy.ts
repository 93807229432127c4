/**
 * read-policy: one JSON object with the author's wishes to a Policy, or to the reason why it is none.
 *
 * In the loop   comment or recoveryConfig → JSON tree → **readPolicy** → Coverage
 * Takes         the object, and how keys are spelled where it comes from.
 * Pure, total
 * Keeps         a broken policy is never replaced by a default one: one wrong value, and the job is not covered (invariant 7).
 * Bound         ranges of design §5, in `core/limits.ts`.
 */
import { expandHostlist } from "../fact/hostlist.ts";
import { limits } from "../limits.ts";
import type { Coverage, DagDependency, Policy } from "../nouns.ts";
import type { JsonNode, ObjectNode } from "./json-reader.ts";
import { Expected, isText, Notes, ObjectReader, type Dialect, type Problem } from "./object-reader.ts";
import { capped } from "./caps.ts";
import type { PolicyDefaults } from "./policy-keys.ts";
import type { SiteRules } from "./site-policy.ts";

export interface PolicyReading {
  readonly coverage: Coverage;
  /** The keys that the author gave; all others have their defaults. */
  readonly given: ReadonlySet<string>;
  /** The keys that the site's caps have lowered. */
  readonly lowered: ReadonlySet<string>;
}

/** Where a policy is read, and by which server. */
export interface Reading {
  /** `recovery`, `APS` or `recoveryConfig`: the first word of every path in a sentence. */
  readonly path: string;
  readonly dialect: Dialect;
  /** The server's environment name. Absent: it has none, and a policy that names one is not for it. */
  readonly environment?: string | undefined;
  /** What the site says about a job like this. */
  readonly site: SiteRules;
  /** Known before the policy is read. */
  readonly warnings?: readonly string[];
}

export const autoResumeModes = ["off", "requeue", "singleton_dependency"] as const;
export const triggers = ["on_success", "on_failure", "on_completion", "on_start"] as const;
export const dagActions = ["terminate_dependents", "keep_held"] as const;
export const charges = ["all", "workload"] as const;

export function readPolicy(node: ObjectNode, reading: Reading): PolicyReading {
  const notes = new Notes();
  const reader = new ObjectReader(node, reading.path, "", reading.dialect, notes);
  const autoResumeMode = reader.choice("auto_resume_mode", autoResumeModes, undefined);
  const wishes = readWishes(reader, reading.site.defaults);
  const unknown = reader.finish();
  const refuse = (because: string, position: number): PolicyReading => ({
    coverage: { kind: "not-covered", because, ...(reading.dialect.hasPositions ? { position } : {}) },
    given: notes.given,
    lowered: new Set(),
  });

  const [first, ...others] = notes.problems.sort((a, b) => a.position - b.position);
  if (first !== undefined) return refuse(sentencesOf(first, others), first.position);
  if (autoResumeMode === undefined) {
    const misspelled = unknown[0];
    const hint = misspelled === undefined ? "" : ` ${reader.describeUnknown(misspelled)}.`;
    const because = `${reader.pathOf("auto_resume_mode")} is missing: without it no job is restarted.${hint}`;
    return refuse(because, misspelled?.at ?? node.at);
  }
  if (wishes.environment !== undefined && wishes.environment !== reading.environment) {
    const here =
      reading.environment === undefined
        ? "this server has no environment name"
        : `this server's is "${reading.environment}"`;
    const because = `${reader.pathOf("environment")} is "${wishes.environment}" and ${here}: the job is observed only.`;
    return refuse(because, reader.positionOf("environment"));
  }
  const {
    policy,
    lowered,
    warnings: ofCaps,
  } = capped({ autoResumeMode, ...wishes }, notes.given, reader, reading.site);
  const warnings = [...(reading.warnings ?? []), ...notes.warnings, ...ofCaps];
  return { coverage: { kind: "covered", policy, warnings }, given: notes.given, lowered };
}

/** Everything but the mode. @param defaults for what is not given. */
export function readWishes(reader: ObjectReader, defaults: PolicyDefaults): PolicyDefaults {
  return {
    maxRequeueTimes: reader.integer(
      "max_requeue_times",
      { min: 0, max: limits.maxRequeueTimesMax },
      defaults.maxRequeueTimes,
    ),
    maxFailuresWithoutProgress: reader.integer(
      "max_failures_without_progress",
      { min: 1, max: limits.maxFailuresWithoutProgressMax },
      defaults.maxFailuresWithoutProgress,
    ),
    charge: reader.choice("charge", charges, defaults.charge),
    requeueOnCompletion: reader.boolean("requeue_on_completion", defaults.requeueOnCompletion),
    anomalyDetection: readDetection(reader.object("anomaly_detection"), defaults.anomalyDetection),
    dagDependencies: readDependencies(reader) ?? defaults.dagDependencies,
    dagAction: reader.choice("dag_action", dagActions, defaults.dagAction),
    ...readNodes(reader, defaults),
    enableNvrx: reader.boolean("enable_nvrx", defaults.enableNvrx),
    ...givenOnly({
      workflowId: reader.text("workflow_id", limits.workflowIdCharsMax),
      workflowName: reader.text("workflow_name", limits.workflowIdCharsMax),
      maxRecoveryHours: reader.positive("max_recovery_hours", defaults.maxRecoveryHours),
      logPaths: readLogPaths(reader) ?? defaults.logPaths,
      logFilePathsSharedAcrossAttempts: reader.boolean(
        "log_file_paths_shared_across_attempts",
        defaults.logFilePathsSharedAcrossAttempts,
      ),
      environment: reader.text("environment", textCharsMax),
    }),
  };
}

const textCharsMax = 256;
const pathCharsMax = 4096;

function readDetection(
  reader: ObjectReader | undefined,
  fallback: Policy["anomalyDetection"],
): Policy["anomalyDetection"] {
  if (reader === undefined) return fallback;
  const detection = {
    logBasedCrash: reader.boolean("log_based_crash", fallback.logBasedCrash),
    logBasedTimeout: reader.boolean("log_based_timeout", fallback.logBasedTimeout),
    pretrainingTimeoutSeconds: reader.positive("log_based_timeout_pretraining", fallback.pretrainingTimeoutSeconds),
    trainingLoopTimeoutSeconds: reader.positive("log_based_timeout_trainingloop", fallback.trainingLoopTimeoutSeconds),
    slowdown: reader.boolean("slowdown", fallback.slowdown),
  };
  reader.finish();
  return detection;
}

/** An empty list would switch log reading off unseen; there are keys for that. */
function readLogPaths(reader: ObjectReader): readonly string[] | undefined {
  const paths = reader.list("log_paths", "a list of paths", (node, path) => {
    if (node.kind !== "string" || !isText(node.value, pathCharsMax) || node.value.includes("\0"))
      return new Expected("a path");
    const strange = node.value.replaceAll("%%", "").match(/%(?![jxAatnN])./s)?.[0];
    if (strange !== undefined) reader.warn(`${path} has ${strange}, which is not one of %j %x %A %a %t %n %N %%.`);
    return node.value;
  });
  if (paths?.length === 0) reader.reject("log_paths", "at least one path");
  return paths;
}

function readNodes(reader: ObjectReader, defaults: PolicyDefaults): Pick<Policy, "excludeNodes" | "includeNodes"> {
  const excludeNodes = readNodeList(reader, "exclude_nodes") ?? defaults.excludeNodes;
  const includeNodes = readNodeList(reader, "include_nodes") ?? defaults.includeNodes;
  const excluded = new Set(excludeNodes);
  const both = includeNodes.filter((name) => excluded.has(name));
  if (both.length > 0)
    reader.warn(`${reader.pathOf("include_nodes")} and exclude_nodes both name ${both.slice(0, 5).join(", ")}.`);
  return { excludeNodes, includeNodes };
}

/** Each element is a name or a host list of Slurm: `n[1-3,7]`. */
function readNodeList(reader: ObjectReader, key: string): readonly string[] | undefined {
  const lists = reader.list(key, 'a list of node names such as ["n1", "n[3-5]"]', (node) => {
    const names = node.kind === "string" && node.value !== "" ? expandHostlist(node.value) : undefined;
    return names ?? new Expected(`a node name or a list such as "n[3-5]", of at most ${limits.nodesMax} nodes`);
  });
  if (lists === undefined) return undefined;
  const names = [...new Set(lists.flat())];
  if (names.length > limits.nodesMax) reader.reject(key, `at most ${limits.nodesMax} nodes`);
  return names;
}

function readDependencies(reader: ObjectReader): readonly DagDependency[] | undefined {
  const expected = `a list of dependencies such as [{"${reader.spell("job_id")}": "12345"}]`;
  return reader.list("dag_dependencies", expected, (node, path) => readDependency(reader, node, path));
}

function readDependency(reader: ObjectReader, node: JsonNode, path: string): DagDependency | Expected {
  const expected = new Expected(`an object with "${reader.spell("job_id")}" or "${reader.spell("job_name")}"`);
  if (node.kind !== "object") return expected;
  const parent = reader.nested(withTextIds(node), path, `${path}.`);
  const jobId = parent.text("job_id", textCharsMax);
  const jobName = parent.text("job_name", textCharsMax);
  const trigger = parent.choice("trigger", triggers, "on_success" as const);
  parent.finish();
  if (!parent.has("job_id") && !parent.has("job_name")) return expected;
  if (jobId === undefined) return { trigger, ...givenOnly({ jobName }) };
  if (jobName !== undefined) reader.warn(`${parent.pathOf("job_name")} is ignored, because the job ID is given too.`);
  return { jobId, trigger };
}

/** Authors write the ID that sbatch printed as the number it looks like. */
function withTextIds(node: ObjectNode): ObjectNode {
  const members = node.members.map((member) => {
    const { value } = member;
    const isId = value.kind === "number" && Number.isSafeInteger(value.value) && value.value > 0;
    return isId ? { ...member, value: { kind: "string" as const, at: value.at, value: String(value.value) } } : member;
  });
  return { ...node, members };
}

/** The author mends all of them at once; the place that is shown beside is the first one's. */
function sentencesOf(first: Problem, others: readonly Problem[]): string {
  const more = others.length > problemsShownMax ? ` And ${others.length - problemsShownMax} more.` : "";
  return [first, ...others.slice(0, problemsShownMax)].map(({ sentence }) => sentence).join(" ") + more;
}
const problemsShownMax = 4;

/** Drops what is undefined, so that an absent wish is an absent field. */
function givenOnly<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
