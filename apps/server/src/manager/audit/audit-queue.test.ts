/**
 * Goal    audit events are accepted at once and within the bound, stored once, and never lost in silence, whatever the database does.
 * Method  a trail that fails as it is told to, on a clock that the test moves.
 */
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { settle } from "@reprise/runtime/testing/fake-clock.ts";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { createAuditQueue } from "./audit-queue.ts";
import type { AuditEvent } from "./audit-trail.ts";

const event = (type: string): AuditEvent => ({ producer: "p", type, level: "info", payload: null, producedAtUs: 1 });
const events = (...types: string[]) => types.map(event);
const bounds = { auditQueueMax: 5, auditQueueCharsMax: 100_000, auditWriteMax: 2, auditDrainMs: 5_000 };

/** Stores types, or throws what `fails` gives for a batch. */
function world(fails: (types: readonly string[], call: number) => Error | undefined = () => undefined, changed = {}) {
  const life = fakeLife();
  const batches: string[][] = [];
  let call = 0;
  const trail = {
    async recordAuditEvents(given: readonly AuditEvent[]) {
      const types = given.map(({ type }) => type);
      const error = fails(types, ++call);
      if (error !== undefined) throw error;
      batches.push(types);
      return { recorded: types.length, repeated: 0 };
    },
  };
  const queue = createAuditQueue(trail, life, { ...bounds, ...changed });
  return { life, batches, queue, errors: () => life.lines.filter(({ level }) => level === "error") };
}

const away = Object.assign(new Error("the database is away"), { code: "ECONNREFUSED" });
const bad = Object.assign(new Error("no such character"), { code: "22P05" });

test("events are stored in order, in batches of their bound", async () => {
  const { queue, batches } = world();
  expect(queue.offer(events("a", "b", "c"))).toBe(true);
  await settle();
  expect(batches).toEqual([["a", "b"], ["c"]]);
});

test("when there is no room for all of a batch nothing of it is taken, and there is room again once it is stored", async () => {
  let isAway = true;
  const { queue, batches, life } = world(() => (isAway ? away : undefined));
  expect(queue.offer(events("a", "b", "c"))).toBe(true);
  expect(queue.offer(events("d", "e", "f"))).toBe(false);
  expect(queue.offer(events("d", "e"))).toBe(true);
  expect(queue.offer(events("f"))).toBe(false);
  await settle();
  isAway = false;
  await life.clock.advance(1_000);
  expect(batches.flat().join("")).toBe("abcde");
  expect(queue.offer(events("f", "g", "h", "i", "j"))).toBe(true);
});

test("the bound counts characters, too", () => {
  const { queue } = world(undefined, { auditQueueCharsMax: 1_000 });
  expect(queue.offer([{ ...event("a"), payload: "x".repeat(900) }])).toBe(true);
  expect(queue.offer([{ ...event("b"), payload: "x".repeat(900) }])).toBe(false);
});

test("a database that is away costs nobody anything: it is asked again, later and later, and said once", async () => {
  let [calls, isAway] = [0, true];
  const { queue, batches, life } = world((_, call) => {
    calls = call;
    return isAway ? away : undefined;
  });
  queue.offer(events("a"));
  await life.clock.advance(3_600_000);
  expect(calls).toBeLessThan(140); // At most every 30 s after the first ones.
  expect(life.lines.map(({ level }) => level)).toEqual(["warn"]);
  isAway = false;
  await life.clock.advance(30_000);
  expect(batches).toEqual([["a"]]);
});

test("one event that the database never takes keeps no other one back, and its loss is told in the trail", async () => {
  const { queue, batches, errors } = world((types) => (types.includes("bad") ? bad : undefined), { auditWriteMax: 4 });
  queue.offer(events("a", "bad", "b", "c"));
  await settle();
  expect(batches.flat()).toEqual(["a", "b", "c", "audit.lost"]);
  expect(errors()).toHaveLength(1);
});

test("a stop waits for what was accepted, and takes nothing more", async () => {
  let isAway = true;
  const { queue, batches, life, errors } = world(() => (isAway ? away : undefined));
  queue.offer(events("a", "b", "c"));
  await life.clock.advance(60_000); // It waits long now.
  const drained = queue.drain();
  expect(queue.offer(events("d"))).toBe(false);
  await settle();
  isAway = false;
  await life.clock.advance(250);
  await drained;
  expect(batches.flat().join("")).toBe("abc");
  expect(errors()).toEqual([]);
});

test("a stop does not wait for ever, and says how many were lost", async () => {
  const { queue, life, errors } = world(() => away);
  queue.offer(events("a", "b", "c"));
  const drained = queue.drain();
  await life.clock.advance(bounds.auditDrainMs);
  await drained;
  expect(errors()).toMatchObject([{ fields: { lost: 3 } }]);
});

test("a stop with nothing to store ends at once", async () => {
  const { queue, life } = world();
  await queue.drain();
  expect(life.clock.sleeping).toBe(0);
});

test("a batch that was stored, and whose answer was lost, is stored once by its keys", async () => {
  const [store, life] = [createMemoryStore(), fakeLife()];
  let isLost = true;
  const losing = {
    async recordAuditEvents(given: readonly AuditEvent[]) {
      const answer = await store.recordAuditEvents(given);
      if (!isLost) return answer;
      isLost = false;
      throw away;
    },
  };
  createAuditQueue(losing, life).offer([{ ...event("a"), idempotencyKey: "k" }]);
  await settle();
  await life.clock.advance(1_000);
  expect(isLost).toBe(false);
  expect(store.audit()).toHaveLength(1);
});
