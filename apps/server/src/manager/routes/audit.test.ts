/**
 * Goal    the audit trail on the wire: what is taken of a batch and what is said of the rest; pages both ways; honest refusals.
 * Method  the handlers over the store in memory.
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import {
  CreateAuditEventsRequestSchema,
  GetAuditEventsRequestSchema,
  GetAuditEventsResponseSchema,
  type ProducerAuditEventSchema,
} from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { settle } from "@reprise/runtime/testing/fake-clock.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAuditQueue } from "../audit/audit-queue.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { auditRoutes } from "./audit.ts";

type Item = MessageInitShape<typeof ProducerAuditEventSchema>;
type Ask = MessageInitShape<typeof GetAuditEventsRequestSchema>;

function world(bounds = {}) {
  const [store, life] = [createMemoryStore(), fakeLife()];
  const queue = createAuditQueue(store, life, { ...limits, ...bounds });
  const routes = auditRoutes({ store, clock: life.clock, site: { cluster: "default" } }, queue);
  const caller = { name: "test", signal: life.signal };
  return {
    now: life.clock.now(),
    async post(...items: Item[]) {
      const answer = await routes.createAuditEvents(create(CreateAuditEventsRequestSchema, { items }), caller);
      await settle();
      return answer;
    },
    async get(ask: Ask = {}) {
      const answer = await routes.getAuditEvents(create(GetAuditEventsRequestSchema, ask), caller);
      const { items, cursor } = create(GetAuditEventsResponseSchema, answer);
      const [next, previous] = [cursor?.next, cursor?.previous];
      return { types: items.map((item) => item.eventType).join(" "), items, next, previous };
    },
  };
}

const item = (eventType: string, change: Item = {}): Item => ({ eventProducer: "tool", eventType, ...change });

test("of a batch the valid items are taken, and the others are counted, each with its reason", async () => {
  const { post, get, now } = world();
  const answer = await post(
    item("ok", { payload: { kind: { case: "stringValue", value: "text" } } }),
    item("", {}),
    item("forged", { eventProducer: "job-manager" }),
    item("uuid", { heimdallJobId: "nonsense" }),
    item("index", { attemptIndex: 0 }),
    item("negative", { jobId: "1", attemptIndex: -1 }),
    item("time", { eventProducedAt: -1n }),
    item("large", { payload: { kind: { case: "stringValue", value: "x".repeat(limits.auditPayloadCharsMax) } } }),
    item("infinite", { payload: { kind: { case: "numberValue", value: Infinity } } }),
    item("named", { jobId: "1", attemptIndex: 0, idempotencyKey: "k", eventLevel: "warn", eventProducedAt: 7n }),
  );
  expect(answer.partialSuccess?.rejectedCount).toBe(8);
  expect(answer.partialSuccess?.errorMessage?.split(" | ").map((reason) => reason.split(": ")[0])).toEqual([
    "items[1].eventType",
    "items[2].eventProducer",
    "items[3].heimdallJobId",
    "items[4].attemptIndex",
    "items[5].attemptIndex",
    "items[6].eventProducedAt",
    "items[7].payload",
    "items[8].payload",
  ]);
  const { items } = await get({ sortBy: "event_produced_at:asc" });
  expect(items).toMatchObject([
    { eventType: "named", jobId: "1", attemptIndex: 0, eventLevel: "warn", eventProducedAt: 7n, idempotencyKey: "k" },
    { eventType: "ok", eventLevel: "info", eventProducedAt: BigInt(now) * 1000n },
  ]);
  expect(items[1]).toMatchObject({ payload: { kind: { case: "stringValue", value: "text" } } });
  expect(items[0]?.payload).toBeUndefined();
});

test("all valid is no partial success, and the same keys again are stored once", async () => {
  const { post, get } = world();
  for (let i = 0; i < 3; i++) expect(await post(item("a", { idempotencyKey: "k" }), item("b"))).toEqual({});
  expect((await get({ eventType: "a" })).items).toHaveLength(1);
  expect((await get({ eventType: "b" })).items).toHaveLength(3);
});

test("a full queue takes nothing of a batch, and the same batch is taken later", async () => {
  const { post, get } = world({ auditQueueMax: 2 });
  await expect(post(item("a"), item("b"), item("c"))).rejects.toMatchObject({ code: "busy" });
  expect((await get()).items).toEqual([]);
  expect(await post(item("a"), item("b"))).toEqual({});
});

test("more events than a call may bring are refused as a whole", async () => {
  const { post } = world();
  const all = Array.from({ length: limits.auditEventsPerCallMax + 1 }, () => item("a"));
  await expect(post(...all)).rejects.toMatchObject({
    code: "invalid",
    message: "items: 1001 events; expected at most 1000",
  });
});

test("cursors lead on and back over every event, in either order, with any page size", async () => {
  const one = fc.asyncProperty(
    fc.array(fc.nat(3), { minLength: 1, maxLength: 9 }),
    fc.constantFrom("asc", "desc", undefined),
    fc.integer({ min: 1, max: 4 }),
    async (times, order, limit) => {
      const { post, get } = world();
      await post(...times.map((us, i) => item(`e${i}`, { eventProducedAt: BigInt(us) })));
      const ask = { limit, ...(order === undefined ? {} : { sortBy: `event_produced_at:${order}` }) };
      const pages = [await get(ask)];
      while (pages.at(-1)?.next !== undefined) pages.push(await get({ ...ask, cursor: pages.at(-1)!.next! }));
      const all = pages.flatMap(({ types }) => types.split(" "));
      expect(all).toHaveLength(times.length);
      expect(new Set(all).size).toBe(times.length);
      for (let i = pages.length - 1; i > 0; i--) {
        const back = await get({ ...ask, cursor: pages[i]!.previous! });
        expect(back.types).toBe(pages[i - 1]?.types);
        expect(back.next === undefined).toBe(false);
        expect(back.previous === undefined).toBe(i === 1);
      }
      expect(pages[0]?.previous).toBeUndefined();
    },
  );
  await fc.assert(one, { numRuns: 50 });
});

test("the newest come first where nothing is said, and a page has 100 where nothing else is said", async () => {
  const { post, get } = world();
  await post(...Array.from({ length: 101 }, (_, i) => item(`e${i}`, { eventProducedAt: BigInt(i) })));
  for (const ask of [{}, { limit: 0 }, { limit: 100 }, { limit: 1e9 }]) {
    expect(await get(ask)).toMatchObject({
      types: expect.stringMatching(/^e100 e99 /) as string,
      next: expect.any(String) as string,
    });
    expect((await get(ask)).items).toHaveLength(100);
  }
});

test("what nobody can mean is refused, and names its field", async () => {
  const { post, get } = world();
  await post(item("a"), item("b"));
  const { next } = await get({ limit: 1 });
  const refused = async (ask: Ask, message: string) =>
    expect(get(ask)).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining(message) as string });
  await refused({ heimdallJobId: "aaaaaaaa-0000-4000-8000-000000000000", jobId: "1" }, "exclude one another");
  await refused({ attemptIndex: 0 }, "attemptIndex");
  await refused({ jobId: "1", attemptIndex: -1 }, "attemptIndex");
  await refused({ heimdallJobId: "1-0" }, "heimdallJobId");
  await refused({ limit: -1 }, "limit");
  await refused({ sortBy: "event_type" }, "sortBy");
  await refused({ cursor: "nonsense" }, "cursor");
  await refused({ limit: 1, cursor: next!, eventType: "a" }, "another query");
  await refused({ limit: 1, cursor: next!, sortBy: "event_produced_at:asc" }, "another query");
  expect((await get({ limit: 2, cursor: next! })).items).toHaveLength(1); // The size of a page may change.
});

test("bounds in time may be any 64-bit number", async () => {
  const { post, get } = world();
  await post(item("a"));
  const all = { minEventProducedAt: -(2n ** 63n), maxEventProducedAt: 2n ** 63n - 1n };
  expect((await get(all)).types).toBe("a");
  expect((await get({ maxEventProducedAt: -1n })).types).toBe("");
  expect((await get({ minEventProducedAt: 5n, maxEventProducedAt: 4n })).types).toBe("");
});
