/**
 * sequences: what is told of a recovery by whoever carries it out: operations 9 and 10 of `heimdall.v1.HeimdallService`.
 *
 * Takes   GET /v1/recovery/sequences, POST /v1/recovery/milestones.
 * Keeps   a sequence is made with its Advice and never by being asked for; a milestone authorises nothing.
 * Fails   `not-found` without such a sequence; `invalid` names the field. A refused milestone leaves nothing behind.
 * Source  api.md §1, §2.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { type RecoveryOperation, traceparentOf } from "@reprise/core/sequence/sequence.ts";
import type {
  GetRecoverySequenceRequest,
  HeimdallService,
  RecordRecoveryMilestoneRequest,
} from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import * as check from "@reprise/protocol/wire/check.ts";
import { actionFromWire, actionToWire, operationFromWire, operationToWire } from "@reprise/protocol/wire/enums.ts";
import { instantToWire, optionalInstantFromWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import type { Milestone, RecoverySequence, SequenceName } from "../sequence/recovery-sequence.ts";

type Operations = "getRecoverySequence" | "recordRecoveryMilestone";

export function sequenceRoutes({
  store,
  clock,
}: Manager): Pick<RpcHandlers<typeof HeimdallService, Caller>, Operations> {
  return {
    async getRecoverySequence(request) {
      const name = nameOf(request);
      const sequence = await store.getSequence(name);
      if (sequence === undefined) {
        const { operation, jobId, attemptIndex, cluster } = name;
        throw new Refusal(
          "not-found",
          `recovery sequence: no ${operation} of attempt ${attemptIndex} of job ${jobId} on slurm ${cluster}`,
        );
      }
      return { recoveryContext: contextOf(sequence) };
    },

    async recordRecoveryMilestone(request) {
      const sequenceId = check.uuid("sequenceId", request.sequenceId);
      const operation = required("operation", operationFromWire("operation", request.operation));
      const milestone = await store.recordMilestone(sequenceId, operation, milestoneOf(request, clock.now()));
      return { milestone: milestoneToWire(sequenceId, operation, milestone) };
    },
  };
}

function nameOf(request: GetRecoverySequenceRequest): SequenceName {
  const { schedulerSystem, sourceAttemptIndex } = request;
  const system = check.identifier("schedulerSystem", schedulerSystem);
  const name = {
    cluster: check.identifier("schedulerScope", request.schedulerScope),
    jobId: check.identifier("jobId", request.jobId),
    attemptIndex: check.attemptIndex("sourceAttemptIndex", required("sourceAttemptIndex", sourceAttemptIndex)),
    operation: required("operation", operationFromWire("operation", request.operation)),
  };
  if (system.toLowerCase() === "slurm") return name;
  throw new Refusal("not-found", `recovery sequence: no scheduler system ${check.shown(system)}; there is slurm`);
}

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw check.invalid(field, "is required");
  return value;
}

const outcomeCharsMax = 1_024;

function milestoneOf(request: RecordRecoveryMilestoneRequest, now: Instant): Milestone {
  const { outcome } = request;
  if (outcome !== undefined && outcome.length > outcomeCharsMax) {
    throw check.invalid("outcome", `has ${outcome.length} characters; expected at most ${outcomeCharsMax}`);
  }
  return {
    idempotencyKey: check.identifier("idempotencyKey", request.idempotencyKey),
    action: required("action", actionFromWire("action", request.action)),
    completedAt: optionalInstantFromWire("completedAt", request.completedAt) ?? now,
    ...check.present({ outcome: outcome === undefined ? undefined : check.freeText(outcome) }),
  };
}

function contextOf({ sequenceId, operation, startedAt, milestones }: RecoverySequence) {
  return {
    sequenceId,
    traceparent: traceparentOf(sequenceId),
    tracestate: "",
    operation: operationToWire(operation),
    startedAt: instantToWire(startedAt),
    milestones: milestones.map((milestone) => milestoneToWire(sequenceId, operation, milestone)),
  };
}

function milestoneToWire(
  sequenceId: string,
  operation: RecoveryOperation,
  { idempotencyKey, action, completedAt, outcome }: Milestone,
) {
  return {
    sequenceId,
    idempotencyKey,
    operation: operationToWire(operation),
    action: actionToWire(action),
    completedAt: instantToWire(completedAt),
    ...check.present({ outcome }),
  };
}
