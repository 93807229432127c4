/**
 * site-policy: what a site says beside the author, partition by partition: defaults for what the author left open, and caps.
 *
 * In the loop   configuration → SitePolicy; with a job's partition → **siteRules** → readPolicy
 * Takes         for defaults and caps objects by partition, `*` for all, with the comment's keys and values. What a partition says
 *               for itself replaces what `*` says.
 * Pure, total
 * Keeps         a site opts nobody in: the mode, and what identifies a job or names others, only its author gives.
 *               Of several partitions in which a job may start, the first one's defaults count, and the strictest caps.
 * Source        design §5.
 */
import { limits } from "../limits.ts";
import type { JsonObject, JsonValue } from "../nouns.ts";
import { nodeOf, type ObjectNode } from "./json-reader.ts";
import { Notes, ObjectReader, type Dialect } from "./object-reader.ts";
import { policyDefaults, type PolicyDefaults } from "./policy-keys.ts";
import { readWishes } from "./read-policy.ts";

/** Partition → values. */
export type ByPartition = Readonly<Record<string, JsonObject>>;

export interface SitePolicy {
  readonly defaults: ByPartition;
  readonly caps: ByPartition;
}

/** A key such as `max_requeue_times` or `anomaly_detection.log_based_timeout_trainingloop`, and the most that it may be. */
export type Caps = ReadonlyMap<string, number>;

/** What a site says about one job. */
export interface SiteRules {
  readonly defaults: PolicyDefaults;
  /** The keys whose default is the site's. */
  readonly given: ReadonlySet<string>;
  readonly caps: Caps;
  /** Ends a sentence: ` in partition gpu`; empty where no partition is known. */
  readonly where: string;
}

export const noSiteRules: SiteRules = { defaults: policyDefaults, given: new Set(), caps: new Map(), where: "" };

/** Only the author may say these. */
const authorsOwn = [
  "auto_resume_mode",
  "workflow_id",
  "workflow_name",
  "dag_dependencies",
  "environment",
  "include_nodes",
] as const;
const everywhere = "*";

/** @param partition As Slurm shows it: one, or several between commas. Undefined: not known, and only `*` counts. */
export function siteRules(site: SitePolicy | undefined, partition: string | undefined): SiteRules {
  if (site === undefined) return noSiteRules;
  const partitions = partition === undefined || partition === "" ? [] : partition.split(",");
  const merged = [everywhere, ...partitions.toReversed()].reduce<JsonObject>(
    (under, name) => merge(under, ownOf(site.defaults, name)),
    {},
  );
  const { defaults, given } = readDefaults(merged, "policy_defaults");
  return { defaults, given, caps: strictest(site.caps, partitions), where: whereOf(partitions) };
}

/** @returns One sentence for everything that a site may not say; empty: it is sound. */
export function siteProblems({ defaults, caps }: SitePolicy): readonly string[] {
  const ofDefaults = Object.entries(defaults).flatMap(
    ([partition, values]) => readDefaults(values, `policy_defaults.${partition}`).problems,
  );
  const ofCaps = Object.entries(caps).flatMap(
    ([partition, values]) => readCaps(values, `policy_caps.${partition}`).problems,
  );
  return [...ofDefaults, ...ofCaps];
}

interface ReadDefaults {
  readonly defaults: PolicyDefaults;
  readonly given: ReadonlySet<string>;
  readonly problems: readonly string[];
}

function readDefaults(values: JsonObject, path: string): ReadDefaults {
  const notes = new Notes();
  const reader = new ObjectReader(nodeOf(values) as ObjectNode, path, "", siteDialect, notes);
  const wishes = readWishes(reader, policyDefaults);
  reader.finish();
  const own = authorsOwn
    .filter((key) => Object.hasOwn(values, key))
    .map((key) => `${path}.${key}: only the author of a job says this.`);
  const strange = notes.warnings.filter(
    (sentence) => !authorsOwn.some((key) => sentence.startsWith(`${path}.${key} `)),
  );
  const { workflowId: _id, workflowName: _name, environment: _environment, ...defaults } = wishes;
  return {
    defaults: { ...defaults, dagDependencies: [], includeNodes: [] },
    given: notes.given,
    problems: [...notes.problems.map(({ sentence }) => sentence), ...own, ...strange.map(asProblem)],
  };
}

function readCaps(values: JsonObject, path: string): { readonly caps: Caps; readonly problems: readonly string[] } {
  const notes = new Notes();
  const reader = new ObjectReader(nodeOf(values) as ObjectNode, path, "", siteDialect, notes);
  const { maxRequeueTimesMax, maxFailuresWithoutProgressMax } = limits;
  const none = Number.POSITIVE_INFINITY;
  const found = new Map([
    ["max_requeue_times", reader.integer("max_requeue_times", { min: 0, max: maxRequeueTimesMax }, none)],
    [
      "max_failures_without_progress",
      reader.integer("max_failures_without_progress", { min: 1, max: maxFailuresWithoutProgressMax }, none),
    ],
    ["max_recovery_hours", reader.positive("max_recovery_hours", none)],
  ]);
  const detection = reader.object("anomaly_detection");
  for (const key of ["log_based_timeout_pretraining", "log_based_timeout_trainingloop"]) {
    if (detection !== undefined) found.set(`anomaly_detection.${key}`, detection.positive(key, none));
  }
  detection?.finish();
  reader.finish();
  return {
    caps: new Map([...found].filter(([, most]) => most !== none)),
    problems: [...notes.problems.map(({ sentence }) => sentence), ...notes.warnings.map(asProblem)],
  };
}

/** What is a warning to an author is a mistake of a site, which checks its configuration before it starts. */
const asProblem = (warning: string): string => warning.replace(/, and is ignored\.$/, ".");

function strictest(caps: ByPartition, partitions: readonly string[]): Caps {
  const all = ownOf(caps, everywhere);
  const readings = (partitions.length === 0 ? [everywhere] : partitions).map(
    (name) => readCaps(merge(all, ownOf(caps, name)), "policy_caps").caps,
  );
  const least = new Map<string, number>();
  for (const reading of readings)
    for (const [key, most] of reading) least.set(key, Math.min(most, least.get(key) ?? Number.POSITIVE_INFINITY));
  return least;
}

/** `anomaly_detection` is merged key by key, as if its keys stood beside the others. */
function merge(under: JsonObject, over: JsonObject): JsonObject {
  const [a, b] = [under["anomaly_detection"], over["anomaly_detection"]];
  const both = { ...under, ...over };
  return isObject(a) && isObject(b) ? { ...both, anomaly_detection: { ...a, ...b } } : both;
}

const ownOf = (byPartition: ByPartition, name: string): JsonObject =>
  Object.hasOwn(byPartition, name) ? (byPartition[name] ?? {}) : {};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function whereOf(partitions: readonly string[]): string {
  if (partitions.length === 0) return "";
  return partitions.length === 1
    ? ` in partition ${partitions[0]}`
    : ` in one of the partitions ${partitions.join(", ")}`;
}

/** The comment's names, without their aliases: one place, one spelling. */
const siteDialect: Dialect = {
  spellings: (key) => [key],
  spellChoice: (_key, choice) => choice,
  isUnset: () => false,
  hasPositions: false,
};
