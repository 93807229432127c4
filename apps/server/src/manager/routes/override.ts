/**
 * override: what people order about restarts: `SetOverride` and `WithdrawAdvice` of `reprise.v1.RecoveryService`.
 *
 *     POST /reprise/v1/jobs/{job_id}/override               operator
 *     POST /reprise/v1/advice/{heimdall_job_id}:withdraw    operator
 *
 * In the loop   a person → **order** → store → facts → decide
 * Keeps         every order has a reason and the name of who gave it. With `preview` nothing is ordered: the answer is that of the order.
 * Fails         `invalid` names the field; `not-found`; `precondition` for an order that nothing could follow from. Nothing is left behind.
 *               Repeated, an order is given twice: the last word counts, so nothing changes but the audit trail.
 * Bound         `limits.overrideReasonCharsMax` characters a reason, `limits.overridesMax` orders a job.
 */
import type { Override, OverrideAction } from "@reprise/core/override/override.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire } from "@reprise/protocol/wire/advice.ts";
import { identifier, oneOf, present, uuid, wholeNumber } from "@reprise/protocol/wire/check.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import { reasonOf } from "../reason.ts";
import { clusterOf } from "./cluster-of.ts";

type Routes = Pick<RpcHandlers<typeof RecoveryService, Caller>, "setOverride" | "withdrawAdvice">;

export function overrideRoutes({ store, clock, site }: Manager): Routes {
  return {
    async setOverride(request, caller) {
      const target = {
        jobId: identifier("jobId", request.jobId),
        cluster: clusterOf(site, request.cluster),
      };
      const order = {
        action: oneOf("action", request.action, actions),
        reason: reasonOf(request.reason),
        by: caller.name,
      };
      const give = request.preview ? store.previewOverride : store.setOverride;
      const { attempt, override, effect } = await give(target, order, clock.now());
      return { heimdallJobId: attempt.heimdallJobId, override: overrideToWire(override), effect };
    },

    async withdrawAdvice(request, caller) {
      const heimdallJobId = uuid("heimdallJobId", request.heimdallJobId);
      const generation = request.generation === undefined ? undefined : wholeNumber("generation", request.generation);
      const order = {
        action: "withdraw" as const,
        reason: reasonOf(request.reason),
        by: caller.name,
        ...present({ generation }),
      };
      const now = clock.now();
      const give = request.preview ? store.previewOverride : store.setOverride;
      const { override, effect } = await give({ heimdallJobId }, order, now);
      const advice = await store.getAdvice(heimdallJobId);
      return {
        ...(advice === undefined ? {} : { advice: adviceToWire(advice, now) }),
        override: overrideToWire(override),
        effect,
      };
    },
  };
}

/** `withdraw` is about Advice and has its own call. */
const actions: readonly OverrideAction[] = ["never", "restart", "clear"];

export const overrideToWire = ({ action, attemptIndex, reason, by, at, generation }: Override) => ({
  action,
  attemptIndex,
  reason,
  by,
  at: instantToWire(at),
  ...present({ generation: generation === undefined ? undefined : BigInt(generation) }),
});
