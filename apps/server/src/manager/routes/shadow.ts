/**
 * shadow: what would have been done to jobs that were only observed, and what really happened to them: `Shadow` of
 * `reprise.v1.RecoveryService`.
 *
 *     GET /reprise/v1/shadow    viewer, operator, controller
 *
 * Gives   counts, hours and stories, computed here from records. Canaries are in it only when their workflow is asked for. Read only; safe to repeat.
 * Fails   `invalid` names the field; also for a window that holds more than `limits.figuresRowsMax` attempts.
 * Bound   `limits.shadowStoriesMax` stories; all of them are counted.
 * Source  docs/figures.md.
 */
import {
  canaryWorkflow,
  type ShadowRecord,
  type ShadowStory,
  shadowFiguresOf,
  shadowStoryOf,
} from "@reprise/core/figures/shadow.ts";
import { limits } from "@reprise/core/limits.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import { manualOf, minuteMs, requireWhole, windowOf } from "./figures-request.ts";

/** From the Advice to the next start, where nothing waits: about ten seconds were measured on an idle Slurm; a cluster's queue adds. */
const ownRestartMs = minuteMs;
const hourMs = 60 * minuteMs;

export function shadowRoute({
  store,
  clock,
}: Pick<Manager, "store" | "clock">): Pick<RpcHandlers<typeof RecoveryService, Caller>, "shadow"> {
  return {
    async shadow(request) {
      const window = windowOf(request, clock.now());
      const manualMinutes = manualOf(request.manualRestartMinutes);
      const records = await store.shadowIn(window, limits.figuresRowsMax + 1);
      requireWhole("attempts", records.length);
      const assumed = { manualRestartMs: manualMinutes * minuteMs, ownRestartMs };
      const isMeant = ({ workflowId }: ShadowRecord) =>
        workflowId !== canaryWorkflow || window.workflowId === canaryWorkflow;
      const stories = records.filter(isMeant).map((record) => shadowStoryOf(record, assumed));
      const { counts, saved } = shadowFiguresOf(stories);
      const told = stories
        .toSorted((a, b) => b.record.decidedAt - a.record.decidedAt)
        .slice(0, limits.shadowStoriesMax)
        .map(storyToWire);
      return {
        from: instantToWire(window.from),
        to: instantToWire(window.to),
        counts: [...counts],
        saved: { manualRestartMinutes: manualMinutes, ...saved },
        ownRestartSeconds: ownRestartMs / 1000,
        stories: told,
        leftOut: stories.length - told.length,
      };
    },
  };
}

function storyToWire({ record, verdict, fate, savedMs }: ShadowStory) {
  const { heimdallJobId, cluster, jobId, attemptIndex, jobName = "", desired, because, decidedAt } = record;
  return {
    heimdallJobId,
    cluster,
    jobId,
    attemptIndex,
    jobName,
    desired,
    because,
    decidedAt: instantToWire(decidedAt),
    verdict,
    fate,
    resubmittedAs: fate === "resubmitted" ? (record.resubmittedAs ?? "") : "",
    ...(savedMs === undefined ? {} : { savedHours: savedMs / hourMs }),
  };
}
