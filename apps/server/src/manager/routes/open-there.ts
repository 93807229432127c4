/**
 * open-there: for which jobs Advice is open where SAC may act by an order: what is carried out as soon as it is given.
 *
 * Gives   a sentence for a person; empty where SAC only observes.
 * Bound   `namedMax` jobs by their IDs; all of them counted.
 */
import { slurmFactsOf } from "@reprise/core/fact/slurm-facts.ts";
import { type ClusterOrders, modeInForce } from "@reprise/core/mode/cluster-orders.ts";
import { type Instant, isActive } from "@reprise/core/nouns.ts";
import type { Store, WorkRecord } from "../store.ts";

const namedMax = 8;

/** @param orders As they stand, or would stand, with the order. */
export async function openThere(
  store: Pick<Store, "passState" | "listWork">,
  cluster: string,
  orders: ClusterOrders,
  now: Instant,
): Promise<string> {
  const allowed = (await store.passState(cluster))?.sac?.allowed;
  if (allowed === undefined) return "";
  const { mode, partitions } = modeInForce(allowed, orders);
  if (mode !== "act") return "";
  const isThere = (work: WorkRecord) => partitionsOf(work).every((name) => partitions.includes(name));
  const open = (await store.listWork(cluster, now)).filter((work) => isActive(work.advice, now) && isThere(work));
  const jobs = [...new Set(open.map(({ source }) => source.jobId))].sort(
    (a, b) => a.length - b.length || (a < b ? -1 : 1),
  );
  if (jobs.length === 0) return " None is open there now.";
  const more = jobs.length > namedMax ? ` and ${jobs.length - namedMax} more` : "";
  const named = jobs.slice(0, namedMax).join(", ");
  return ` Open there now: ${jobs.length === 1 ? "1 job" : `${jobs.length} jobs`} (${named}${more}).`;
}

/** As SAC's gate reads them: it takes no step on a job of which one partition is not allowed. */
function partitionsOf({ source }: WorkRecord): readonly string[] {
  const { partition } = slurmFactsOf(source);
  return typeof partition === "string" ? partition.split(",").filter((name) => name !== "") : [];
}
