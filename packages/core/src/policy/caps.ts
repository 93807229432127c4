/**
 * caps: a policy lowered to what its site allows.
 *
 * In the loop   part of readPolicy
 * Pure, total
 * Keeps         a cap lowers and never refuses: the job stays covered, and a warning says what holds where the author asked for more.
 *               A bound that the author left open is closed by its cap.
 */
import type { Policy } from "../nouns.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { SiteRules } from "./site-policy.ts";

interface Capped {
  readonly policy: Policy;
  readonly lowered: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** @param reader Of the author's object: knows how a key is spelled there. */
export function capped(policy: Policy, given: ReadonlySet<string>, reader: ObjectReader, site: SiteRules): Capped {
  let lowest = policy;
  const lowered = new Set<string>();
  const warnings: string[] = [];
  for (const [key, most] of site.caps) {
    const way = ways.get(key);
    const value = way?.get(lowest) ?? Number.POSITIVE_INFINITY;
    if (way === undefined || value <= most) continue;
    lowest = way.set(lowest, most);
    lowered.add(key);
    if (given.has(key))
      warnings.push(
        `${spelled(reader, key)} is ${value}, and this site allows at most ${most}${site.where}: ${most} holds.`,
      );
  }
  return { policy: lowest, lowered, warnings };
}

const spelled = (reader: ObjectReader, key: string) =>
  reader.pathOf(
    key
      .split(".")
      .map((part) => reader.spell(part))
      .join("."),
  );

/** How each key that may have a cap is read and replaced. */
const ways: ReadonlyMap<
  string,
  { readonly get: (policy: Policy) => number | undefined; readonly set: (policy: Policy, most: number) => Policy }
> = new Map([
  ["max_requeue_times", { get: (p) => p.maxRequeueTimes, set: (p, most) => ({ ...p, maxRequeueTimes: most }) }],
  [
    "max_failures_without_progress",
    { get: (p) => p.maxFailuresWithoutProgress, set: (p, most) => ({ ...p, maxFailuresWithoutProgress: most }) },
  ],
  ["max_recovery_hours", { get: (p) => p.maxRecoveryHours, set: (p, most) => ({ ...p, maxRecoveryHours: most }) }],
  [
    "anomaly_detection.log_based_timeout_pretraining",
    {
      get: (p) => p.anomalyDetection.pretrainingTimeoutSeconds,
      set: (p, most) => ({ ...p, anomalyDetection: { ...p.anomalyDetection, pretrainingTimeoutSeconds: most } }),
    },
  ],
  [
    "anomaly_detection.log_based_timeout_trainingloop",
    {
      get: (p) => p.anomalyDetection.trainingLoopTimeoutSeconds,
      set: (p, most) => ({ ...p, anomalyDetection: { ...p.anomalyDetection, trainingLoopTimeoutSeconds: most } }),
    },
  ],
]);
