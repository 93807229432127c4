/**
 * Goal    the retention loop removes what is too old by days, says when more is left, and for ever means for ever.
 * Method  the memory store and a fake clock.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { expireOnce } from "./expire-once.ts";

const day = 24 * 3_600_000;
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const event = (n: number) =>
  ({ producer: "p", type: "note", level: "info", payload: { n }, producedAtUs: n * 1000 }) as const;

test("a full batch says that more may be too old; what is young stays", async () => {
  const store = createMemoryStore();
  const clock = new FakeClock(3 * day);
  const old = Array.from({ length: limits.expireBatchMax + 1 }, (_, n) => event(n));
  await store.recordAuditEvents([...old, event(2 * day)]);
  const expire = (auditDays: number) => expireOnce({ store, clock }, { detailDays: 1, attemptDays: 0, auditDays }, log);
  expect(await expire(0)).toBe(false);
  expect(store.audit()).toHaveLength(old.length + 1);
  expect(await expire(1)).toBe(true);
  expect(await expire(1)).toBe(false);
  expect(store.audit()).toEqual([expect.objectContaining(event(2 * day))]);
});
