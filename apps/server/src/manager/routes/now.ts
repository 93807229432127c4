/**
 * now: what a person asks first: `WhoAmI`, `Now` and `ListJobs` of `reprise.v1.RecoveryService`.
 *
 *     GET /reprise/v1/me      viewer, operator, controller, watcher
 *     GET /reprise/v1/now     viewer, operator, controller
 *     GET /reprise/v1/jobs    viewer, operator, controller
 *
 * Gives   who calls; what cannot be seen, and how many jobs stand how; the jobs themselves. Read only; safe to repeat.
 * Fails   `invalid` names the field.
 * Bound   `limits.pageRowsMax` jobs a page; what has ended is counted for `endedCountedMs`; the own cluster is counted once in `sameCountMs`.
 */
import { endingOf } from "@reprise/core/explain/ending.ts";
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import { blindnessOf } from "@reprise/core/now/blindness.ts";
import { jobStandings } from "@reprise/core/now/job-standing.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { limitOf, opaqueToken, readOpaqueToken } from "@reprise/protocol/page-token.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire } from "@reprise/protocol/wire/advice.ts";
import { invalid, oneOf, optionalIdentifier, present } from "@reprise/protocol/wire/check.ts";
import { jobStatusToWire } from "@reprise/protocol/wire/enums.ts";
import { instantToWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import { endedCountedMs, type JobCounts, type StandingFilter, type StandingRecord } from "../now-store.ts";
import { clusterOf } from "./cluster-of.ts";

/** Many pages are open at once, and each asks every few seconds: what was counted just now is told to all of them. */
const sameCountMs = 2_000;

type Routes = Pick<RpcHandlers<typeof RecoveryService, Caller>, "whoAmI" | "now" | "listJobs">;

export function nowRoutes({ store, clock, site }: Pick<Manager, "store" | "clock" | "site">): Routes {
  let counted: { readonly at: Instant; readonly jobs: Promise<JobCounts> } | undefined;
  const count = (cluster: string, now: Instant): Promise<JobCounts> => {
    if (cluster !== site.cluster) return store.countJobs(cluster, now - endedCountedMs, now);
    if (counted === undefined || now - counted.at >= sameCountMs || now < counted.at) {
      const jobs = store.countJobs(cluster, now - endedCountedMs, now);
      counted = { at: now, jobs };
      jobs.catch(() => (counted = undefined)); // Who asks next tries again.
    }
    return counted.jobs;
  };
  return {
    async whoAmI(_request, { name, rights = new Set<string>() }) {
      return { name, roles: [...rights].sort(), mayOrder: rights.has("owner") || rights.has("operator") };
    },

    async now(request) {
      const cluster = clusterOf(site, request.cluster);
      const now = clock.now();
      const [pass, lease, jobs] = await Promise.all([
        store.passState(cluster),
        store.leaseOf(cluster),
        count(cluster, now),
      ]);
      const blind = blindnessOf({ ...jobs, ...present({ pass, lease }) }, now);
      return {
        cluster,
        at: instantToWire(now),
        ...present({
          scheduler: pass && {
            lookedAt: instantToWire(pass.heardAt),
            unavailable: pass.unavailable ?? "",
            ...present({ completeAt: optionalInstantToWire(pass.completeHeardAt) }),
            mode: pass.mode,
            partitions: [...pass.partitions],
          },
          lease: lease && {
            holder: lease.holder,
            term: BigInt(lease.term),
            expiresAt: instantToWire(lease.expiresAt),
            held: lease.expiresAt > now,
          },
        }),
        blind: blind.map(({ since, ...words }) => ({
          ...words,
          ...present({ since: optionalInstantToWire(since) }),
        })),
        jobs,
      };
    },

    async listJobs(request) {
      const filter = {
        cluster: clusterOf(site, request.cluster),
        ...present({
          standing: request.standing === "" ? undefined : oneOf("standing", request.standing, jobStandings),
          workflowId: optionalIdentifier("workflowId", request.workflowId),
          search: optionalIdentifier("search", request.search),
        }),
      };
      const walk = { limit: limitOf(request.limit), ...present({ before: beforeOf(request.pageToken, filter) }) };
      const now = clock.now();
      const { rows, hasMore } = await store.listStandings(filter, walk, now);
      const last = rows.at(-1);
      return {
        jobs: rows.map((row) => jobToWire(row, now)),
        count: rows.length,
        nextPageToken: hasMore && last !== undefined ? opaqueToken(filter, [last.createdSeq]) : "",
      };
    },
  };
}

function beforeOf(token: string, filter: StandingFilter): number | undefined {
  if (token === "") return undefined;
  const [before] = readOpaqueToken("pageToken", token, filter, ["number"]);
  if (!Number.isSafeInteger(before)) throw invalid("pageToken", "not a token of this listing");
  return before as number;
}

function jobToWire({ attempt, standing, lastStep, decision, advice }: StandingRecord, now: Instant) {
  const own = advice?.attemptIndex === attempt.attemptIndex ? advice : undefined;
  const { began, ended } = lifeOf(attempt);
  const isOver = standing === "stopped" || standing === "not-covered";
  const ending = isOver ? endingOf(attempt.coverage, decision?.decision, own, attempt.jobId) : undefined;
  return {
    heimdallJobId: attempt.heimdallJobId,
    jobId: attempt.jobId,
    attemptIndex: attempt.attemptIndex,
    workflowId: attempt.workflowId,
    jobName: attempt.jobName ?? "",
    state: jobStatusToWire(attempt.status),
    standing,
    nodeCount: attempt.nodes.length,
    createdAt: instantToWire(attempt.createdAt),
    ...present({
      startedAt: optionalInstantToWire(began),
      endedAt: optionalInstantToWire(ended),
      lastStep: lastStep.lastStep === undefined ? undefined : BigInt(lastStep.lastStep),
      lastStepAt: optionalInstantToWire(lastStep.lastStepAt),
      advice: advice === undefined ? undefined : adviceToWire(advice, now),
    }),
    stoppedBy: ending?.stoppedBy ?? "",
    whatToDo: ending?.whatToDo ?? "",
  };
}

/** Slurm's own times where it shows them: a job that ran for hours before it was first seen did not begin just now. */
function lifeOf({ startedAt, endedAt, schedulerMetadata }: StandingRecord["attempt"]) {
  const slurm = schedulerMetadata["slurm"] as { readonly startTime?: unknown; readonly endTime?: unknown } | undefined;
  return {
    began: startedAt && (slurmInstant(slurm?.startTime) ?? startedAt),
    ended: endedAt && (slurmInstant(slurm?.endTime) ?? endedAt),
  };
}
