/**
 * parse-event: one audit event as another program sends it, and as it is given out.
 *
 * Takes   `heimdall.v1.ProducerAuditEvent`.
 * Fails   `Refusal` invalid, which names the field: that item is rejected, the others of its batch are not.
 * Keeps   nobody else speaks as `job-manager`. Without a time it is dated by the server; without a level it is `info`.
 * Source  api.md §1, operation 12; §2.
 */
import { fromJson, type JsonValue as WireJson, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { limits } from "@reprise/core/limits.ts";
import type { Instant, JsonValue } from "@reprise/core/nouns.ts";
import type { ProducerAuditEvent, ProducerAuditEventSchema } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import * as check from "@reprise/protocol/wire/check.ts";
import type { AuditEvent } from "./audit-trail.ts";

export function auditEventFromWire(field: string, wire: ProducerAuditEvent, now: Instant): AuditEvent {
  const producer = check.identifier(`${field}.eventProducer`, wire.eventProducer);
  if (producer === "job-manager") {
    throw check.invalid(`${field}.eventProducer`, '"job-manager" is the server itself; expected another name');
  }
  const { heimdallJobId, attemptIndex } = wire;
  const jobId = check.optionalIdentifier(`${field}.jobId`, wire.jobId);
  if (attemptIndex !== undefined && jobId === undefined) throw check.invalid(`${field}.attemptIndex`, "needs a jobId");
  return {
    producer,
    type: check.identifier(`${field}.eventType`, wire.eventType),
    level: check.optionalIdentifier(`${field}.eventLevel`, wire.eventLevel) ?? "info",
    payload: payloadFromWire(`${field}.payload`, wire.payload),
    producedAtUs:
      wire.eventProducedAt === undefined
        ? now * 1000
        : check.wholeNumber(`${field}.eventProducedAt`, wire.eventProducedAt),
    ...check.present({
      heimdallJobId:
        heimdallJobId === undefined || heimdallJobId === ""
          ? undefined
          : check.uuid(`${field}.heimdallJobId`, heimdallJobId),
      jobId,
      attemptIndex: attemptIndex === undefined ? undefined : check.attemptIndex(`${field}.attemptIndex`, attemptIndex),
      idempotencyKey: check.optionalIdentifier(`${field}.idempotencyKey`, wire.idempotencyKey),
    }),
  };
}

function payloadFromWire(field: string, value: Value | undefined): JsonValue {
  if (value === undefined || value.kind.case === undefined) return null;
  const payload = asJson(field, value);
  const chars = JSON.stringify(payload).length;
  if (chars > limits.auditPayloadCharsMax) {
    throw check.invalid(field, `has ${chars} characters as JSON; expected at most ${limits.auditPayloadCharsMax}`);
  }
  return check.metadata(field, { payload })["payload"] ?? null;
}

/** gRPC can send a number that JSON cannot say. */
function asJson(field: string, value: Value): JsonValue {
  try {
    return toJson(ValueSchema, value) as JsonValue;
  } catch {
    throw check.invalid(field, "is not JSON: it holds a number that is not finite");
  }
}

export function auditEventToWire(event: AuditEvent): MessageInitShape<typeof ProducerAuditEventSchema> {
  const { heimdallJobId, jobId, attemptIndex, payload } = event;
  return {
    eventProducer: event.producer,
    eventType: event.type,
    eventLevel: event.level,
    idempotencyKey: event.idempotencyKey ?? "",
    eventProducedAt: BigInt(event.producedAtUs),
    ...check.present({ heimdallJobId, jobId, attemptIndex }),
    ...(payload === null ? {} : { payload: fromJson(ValueSchema, payload as WireJson) }),
  };
}
