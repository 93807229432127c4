/**
 * audit: the routes of `heimdall.v1.AuditService`.
 *
 * Takes   GET and POST /v1/audit/events. A batch is taken as far as its items are valid; the rest is counted, with reasons.
 * Gives   events by the time at which they were produced, with cursors both ways, each bound to its query.
 * Fails   `invalid` names the field; `busy` when the queue has no room for the batch: then nothing of it was accepted.
 * Bound   `limits.auditEventsPerCallMax` events a call, `limits.auditPageRowsMax` a page.
 * Source  api.md §1, operations 11 and 12.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type {
  AuditService,
  CreateAuditEventsRequest,
  GetAuditEventsRequest,
} from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { limitOf, opaqueToken, readOpaqueToken } from "@reprise/protocol/page-token.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import * as check from "@reprise/protocol/wire/check.ts";
import type { AuditQueue } from "../audit/audit-queue.ts";
import type { AuditEvent, AuditFilter, AuditPosition, AuditWalk } from "../audit/audit-trail.ts";
import { auditEventFromWire, auditEventToWire } from "../audit/parse-event.ts";
import type { Caller, Manager } from "../context.ts";

export function auditRoutes({ store, clock }: Manager, queue: AuditQueue): RpcHandlers<typeof AuditService, Caller> {
  return {
    async getAuditEvents(request) {
      const filter = filterOf(request);
      const sort = sortOf(request.sortBy);
      const query = { list: "audit", filter, sort };
      const from =
        request.cursor === undefined || request.cursor === "" ? undefined : readCursor(request.cursor, query);
      const order = from?.way === "back" ? opposite[sort] : sort;
      const limit = limitOf(request.limit, limits.auditPageRowsMax);
      const { rows, hasMore } = await store.listAuditEvents(filter, { order, limit, ...from?.walk });
      const items = from?.way === "back" ? rows.toReversed() : rows;
      const [hasNext, hasPrevious] = from?.way === "back" ? [true, hasMore] : [hasMore, from !== undefined];
      const [first, last] = [items[0], items.at(-1)];
      return {
        items: items.map(auditEventToWire),
        cursor: {
          ...(hasNext && last !== undefined ? { next: cursor(query, "on", last) } : {}),
          ...(hasPrevious && first !== undefined ? { previous: cursor(query, "back", first) } : {}),
        },
      };
    },

    async createAuditEvents(request) {
      const { events, reasons } = readItems(request, clock.now());
      if (!queue.offer(events)) {
        throw new Refusal("busy", "the audit queue is full: nothing was accepted; send the same batch again later");
      }
      if (reasons.length === 0) return {};
      return { partialSuccess: { rejectedCount: reasons.length, errorMessage: summaryOf(reasons) } };
    },
  };
}

/** Further along the order that was asked for, or back. */
type Way = "on" | "back";
const opposite = { asc: "desc", desc: "asc" } as const;

const cursor = (query: object, way: Way, { producedAtUs, id }: AuditPosition): string =>
  opaqueToken(query, [way, producedAtUs, id]);

function readCursor(
  token: string,
  query: object,
): { readonly way: Way; readonly walk: { readonly after: AuditPosition } } {
  const [way, producedAtUs, id] = readOpaqueToken("cursor", token, query, ["string", "number", "number"]);
  if (![producedAtUs, id].every(Number.isSafeInteger)) throw check.invalid("cursor", "not a token of this listing");
  return {
    way: way === "back" ? "back" : "on",
    walk: { after: { producedAtUs: Number(producedAtUs), id: Number(id) } },
  };
}

function sortOf(sortBy = ""): AuditWalk["order"] {
  if (sortBy === "" || sortBy === "event_produced_at:desc") return "desc";
  if (sortBy === "event_produced_at:asc") return "asc";
  throw check.invalid("sortBy", `${check.shown(sortBy)}; expected event_produced_at:asc or event_produced_at:desc`);
}

function filterOf(request: GetAuditEventsRequest): AuditFilter {
  const { attemptIndex, minEventProducedAt, maxEventProducedAt } = request;
  const jobId = check.optionalIdentifier("jobId", request.jobId);
  const hasUuid = request.heimdallJobId !== undefined && request.heimdallJobId !== "";
  if (hasUuid && jobId !== undefined) {
    throw new Refusal("invalid", "heimdallJobId and jobId exclude one another; give one of them");
  }
  if (attemptIndex !== undefined && jobId === undefined) throw check.invalid("attemptIndex", "needs a jobId");
  return check.present({
    heimdallJobId: hasUuid ? check.uuid("heimdallJobId", request.heimdallJobId) : undefined,
    jobId,
    attemptIndex: attemptIndex === undefined ? undefined : check.attemptIndex("attemptIndex", attemptIndex),
    type: check.optionalIdentifier("eventType", request.eventType),
    level: check.optionalIdentifier("eventLevel", request.eventLevel),
    producer: check.optionalIdentifier("eventProducer", request.eventProducer),
    fromUs: microseconds(minEventProducedAt),
    toUs: microseconds(maxEventProducedAt),
  });
}

/** Any int64 may be asked for; nothing is dated outside of these. */
function microseconds(value: bigint | undefined): number | undefined {
  if (value === undefined) return undefined;
  return Math.min(Math.max(Number(value), -1), Number.MAX_SAFE_INTEGER);
}

function readItems({ items }: CreateAuditEventsRequest, now: number) {
  if (items.length > limits.auditEventsPerCallMax) {
    throw check.invalid("items", `${items.length} events; expected at most ${limits.auditEventsPerCallMax}`);
  }
  const events: AuditEvent[] = [];
  const reasons: string[] = [];
  for (const [i, item] of items.entries()) {
    try {
      events.push(auditEventFromWire(`items[${i}]`, item, now));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reasons.push(error.message);
    }
  }
  return { events, reasons };
}

const reasonsShownMax = 10;

function summaryOf(reasons: readonly string[]): string {
  const rest = reasons.length - reasonsShownMax;
  return [...reasons.slice(0, reasonsShownMax), ...(rest > 0 ? [`and ${rest} more`] : [])].join(" | ");
}
