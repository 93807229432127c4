/**
 * Goal    Advice shows all that SAC and people need; a status, a signal or a position that does not fit is refused by name.
 * Method  whole values; one table of bad input with the words it gets.
 */
import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { limits } from "@reprise/core/limits.ts";
import type { Advice } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { expect, test } from "vitest";
import { AdviceReconciliationStatusSchema, AdviceSchema } from "../gen/heimdall/v1/heimdall_pb.ts";
import { LogPositionSchema, SignalSchema } from "../gen/reprise/v1/reprise_pb.ts";
import { adviceToWire, statusFromWire } from "./advice.ts";
import { nodeNames } from "./check.ts";
import { evidenceFromWire, evidenceToWire } from "./evidence.ts";
import { instantFromJson, instantFromWire } from "./instant.ts";
import { positionFromWire, signalFromWire } from "./signal.ts";

const uuid = "0e984725-c51c-4bf4-9960-e1c80e27aba0";
const now = 1_700_000_000_000;

const advice: Advice = {
  heimdallJobId: uuid,
  cluster: "c",
  jobId: "5",
  attemptIndex: 0,
  workflowId: "w",
  generation: 2,
  desired: "RESTARTED",
  exclusions: [{ node: "n7", reason: "ECC", evidence: [], confidence: 0.9, expiresAt: now + 5 }],
  issues: [
    {
      kind: "crash",
      domain: "hardware",
      cause: "cuda-ecc-uncorrectable",
      causeClass: "hardware-node",
      summary: "uncorrectable ECC error on n7",
      nodes: ["n7"],
      evidence: [{ source: "log", line: "ECC", path: "/l", offset: 0, at: now }],
      detectedAt: now,
    },
  ],
  because: "hardware-node",
  sentence: "n7 is broken.",
  startDelayMs: 0,
  charged: true,
  rootKey: "k",
  status: { observedGeneration: 2, disposition: "PENDING", reason: "UNSPECIFIED", message: "", observedAt: now },
  createdAt: now,
  updatedAt: now,
  expiresAt: now + 10,
};

test("Advice carries its exclusions, issues, evidence and status, and is active until it expires", () => {
  expect(toJson(AdviceSchema, adviceToWire(advice, now))).toMatchObject({
    heimdallJobId: uuid,
    desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
    nodeConstraints: { exclusions: ["n7"] },
    issues: [
      {
        kind: "crash",
        domain: "hardware",
        nodes: ["n7"],
        evidence: [{ source: "log", line: "ECC", path: "/l", offset: "0" }],
      },
    ],
    because: "hardware-node",
    generation: "2",
    reconciliationStatus: { observedGeneration: "2", disposition: "ADVICE_RECONCILIATION_DISPOSITION_PENDING" },
    active: true,
  });
  expect(adviceToWire(advice, now + 10).active).toBe(false);
  expect(adviceToWire({ ...advice, withdrawnAt: now }, now).active).toBe(false);
});

// biome-ignore format: a table
test.each<[what: string, work: () => unknown, words: string]>([
  ["no status",              () => statusFromWire(undefined, now), "observedGeneration: is required"],
  ["no generation",          () => statusFromWire(create(AdviceReconciliationStatusSchema, { disposition: 2 }), now), "observedGeneration: is required"],
  ["a negative generation",  () => statusFromWire(create(AdviceReconciliationStatusSchema, { observedGeneration: -1n, disposition: 2 }), now), "observedGeneration: -1 is out of range; expected 0 to 2^53 - 1"],
  ["no disposition",         () => statusFromWire(create(AdviceReconciliationStatusSchema, { observedGeneration: 1n }), now), "disposition: is required; expected PENDING, CONVERGED or ABANDONED"],
  ["a time beyond all years",() => instantFromWire("at", { seconds: 2n ** 62n, nanos: 0 } as never), "at: 4611686018427387904 s, 0 ns is not a time in the years 1 to 9999"],
  ["a time that is missing", () => instantFromWire("at", undefined), "at: is required"],
  ["an exit as a signal",    () => signalFromWire("signals[0]", create(SignalSchema, { kind: "exit" })), 'signals[0].kind: "exit" is what the scheduler says, not a log'],
  ["a kind of no kind",      () => signalFromWire("signals[0]", create(SignalSchema, { kind: "toString" })), 'signals[0].kind: "toString" is not one of crash, hang, slowdown, numerics, progress, checkpoint-saved, resumed, finished, exit'],
  ["a signal without a key", () => signalFromWire("signals[0]", create(SignalSchema, { kind: "crash" })), "signals[0].key: has 0 bytes; expected 1 to 2048"],
  ["an offset below 0",      () => positionFromWire("positions[0]", create(LogPositionSchema, { heimdallJobId: uuid, path: "/l", offset: -1n })), "positions[0].offset: -1 is out of range; expected 0 to 2^53 - 1"],
  ["a node of 256 characters", () => nodeNames("nodes", ["n".repeat(256)]), `nodes[0]: "${"n".repeat(80)}…" is not a node name; expected 1 to 255 printable characters without space or comma`],
])("%s is refused", (_what, work, words) => {
  expect(work).toThrow(new Refusal("invalid", words));
});

test("an absent observedAt is now", () => {
  const status = create(AdviceReconciliationStatusSchema, { observedGeneration: 1n, disposition: 1 });
  expect(statusFromWire(status, now).observedAt).toBe(now);
});

test("a log line is cut at its bound, never inside a character, and loses no more than its bad characters", () => {
  const line = `\0${"é".repeat(5000)}`;
  const read = evidenceFromWire("e", evidenceToWire({ source: "log", line, at: now }));
  expect(new TextEncoder().encode(read.line).length).toBeLessThanOrEqual(limits.evidenceLineBytesMax);
  expect(read.line).toBe(`\ufffd${"é".repeat(2046)}`);
});

test("a time is cut to its millisecond, also before 1970", () => {
  expect(instantFromWire("at", { ...timestampFromMs(5), nanos: 5_999_999 })).toBe(5);
  expect(instantFromWire("at", { ...timestampFromMs(-1), nanos: 999_999_999 })).toBe(-1);
  expect(instantFromJson("t", "2026-01-31T12:00:00.123456Z")).toBe(Date.parse("2026-01-31T12:00:00.123Z"));
  expect(instantFromJson("t", now)).toBe(now);
  expect(instantFromJson("t", null)).toBeUndefined();
});
