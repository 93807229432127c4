/**
 * Goal    what would end a program that runs is begun only while its log is read: it may have gone on since the decision.
 * Method  one piece of work, seconds after its log was last read.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import type { WorkRecord } from "../store.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { decided, noon, report, restart, s } from "../store/testing/world.ts";
import { isUnheard } from "./observation.ts";

const store = createMemoryStore();
const source = await store.upsertJob(report("1"), noon);
await decided(store, source, restart());
const [work] = await store.listWork("default", noon);
const record = (change: Partial<WorkRecord> & { readonly because?: string }): WorkRecord => {
  const { because = "hardware-node", ...rest } = change;
  return { ...work!, logHeardAt: noon, ...rest, advice: { ...work!.advice, because } };
};
const { logHeardAt: _, ...neverHeard } = record({});

// biome-ignore format: a table is read by its columns
test.each<[what: string, of: WorkRecord, afterMs: number, isUnheard: boolean]>([
  ["its log was read a moment ago",                record({}),                                          limits.workHeardAgeMs,     false],
  ["nobody has read its log for a while",          record({}),                                          limits.workHeardAgeMs + 1, true],
  ["the server's clock was set back since",        record({}),                                          -60 * s,                   true],
  ["it has ended: nothing can go on",              record({ source: { ...source, status: "FAILED" } }), 60 * s,                    false],
  ["a person has ordered it",                      record({ because: "override-restart" }),             60 * s,                    false],
  ["no log was ever read: no silence was counted", neverHeard,                                          60 * s,                    false],
])("%s", (_what, of, afterMs, expected) => expect(isUnheard(of, noon + afterMs)).toBe(expected));
