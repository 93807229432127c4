/**
 * Goal    what we write to the wire we read back as it was.
 * Method  fast-check, through the binary and the JSON form.
 */
import { type DescMessage, fromBinary, fromJson, type MessageShape, toBinary, toJson } from "@bufbuild/protobuf";
import type { Evidence, ReconciliationStatus } from "@reprise/core/nouns.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdviceReconciliationStatusSchema } from "../gen/heimdall/v1/heimdall_pb.ts";
import {
  LogPositionSchema,
  NodeLineSchema,
  NodeLogPositionSchema,
  SignalSchema,
} from "../gen/reprise/v1/reprise_pb.ts";
import { statusFromWire, statusToWire } from "./advice.ts";
import { evidenceFromWire, evidenceToWire } from "./evidence.ts";
import { instantFromWire, instantToWire } from "./instant.ts";
import {
  type NodeLine,
  nodeLineFromWire,
  nodeLineToWire,
  type NodeLogPosition,
  nodeLogPositionFromWire,
  nodeLogPositionToWire,
} from "./node-line.ts";
import {
  positionFromWire,
  positionToWire,
  type ReportedPosition,
  type ReportedSignal,
  signalFromWire,
  signalToWire,
} from "./signal.ts";

/** Through both forms that the wire has. */
function carried<D extends DescMessage>(schema: D, message: MessageShape<D>): MessageShape<D> {
  const overJson = fromJson(schema, toJson(schema, message));
  return fromBinary(schema, toBinary(schema, overJson));
}

const instant = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const text = fc.string({ unit: "binary", minLength: 1 }).filter((s) => s.isWellFormed() && !s.includes("\0"));
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    source: fc.constantFrom("log", "node-log", "slurm"),
    line: text,
    at: instant,
    path: optional(text),
    offset: optional(count),
  })
  .map(withoutUndefined) as fc.Arbitrary<Evidence>;

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

describe("what we write we read back as it was", () => {
  test("an instant", () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(instantFromWire("at", instantToWire(at))).toBe(at);
      }),
    );
  });

  test("evidence", () => {
    fc.assert(
      fc.property(evidence, (one) => {
        expect(evidenceFromWire("evidence", evidenceToWire(one))).toEqual(one);
      }),
    );
  });

  test("a signal", () => {
    const signal = fc
      .record({
        key: fc.string({ minLength: 1, maxLength: 200 }).filter((s) => !s.includes("\0")),
        heimdallJobId: fc.uuid(),
        kind: fc.constantFrom(
          "crash",
          "hang",
          "slowdown",
          "numerics",
          "progress",
          "checkpoint-saved",
          "resumed",
          "finished",
        ),
        at: instant,
        evidence,
        cause: optional(fc.constant("cuda-ecc-uncorrectable")),
        causeClass: optional(fc.constantFrom("hardware-node", "never-retry")),
        domain: optional(fc.constantFrom("hardware", "unknown")),
        root: fc.boolean(),
        exitIndependent: fc.boolean(),
        nodes: fc.array(fc.constantFrom("n1", "n7")),
        rank: optional(fc.nat()),
        step: optional(count),
        stepSpacingMs: optional(count),
      })
      .map(withoutUndefined) as fc.Arbitrary<ReportedSignal>;
    fc.assert(
      fc.property(signal, (one) => {
        expect(signalFromWire("s", carried(SignalSchema, signalToWire(one)))).toEqual(one);
      }),
    );
  });

  test("a position in a log", () => {
    const position = fc
      .record({
        heimdallJobId: fc.uuid(),
        path: text,
        device: text,
        inode: text,
        offset: count,
        start: count,
        readAt: optional(instant),
        ended: fc.boolean(),
        unreadable: optional(text),
      })
      .map(withoutUndefined) as fc.Arbitrary<ReportedPosition>;
    fc.assert(
      fc.property(position, (one) => {
        expect(positionFromWire("p", carried(LogPositionSchema, positionToWire(one)))).toEqual(one);
      }),
    );
  });

  test("a line of a node, and how far its file was read", () => {
    const node = fc.constantFrom("n1", "node-a.cluster");
    const key = fc.string({ minLength: 1, maxLength: 200 }).filter((s) => !s.includes("\0"));
    const where = { path: optional(text), offset: optional(count) };
    const line = fc
      .record({ node, at: instant, line: text.filter((s) => s.trim() !== ""), key, ...where })
      .map(withoutUndefined) as fc.Arbitrary<NodeLine>;
    const position = fc
      .record({
        node,
        path: text,
        device: text,
        inode: text,
        mark: text,
        offset: count,
        readAt: optional(instant),
        unreadable: optional(text),
      })
      .map(withoutUndefined) as fc.Arbitrary<NodeLogPosition>;
    fc.assert(
      fc.property(line, position, (one, read) => {
        expect(nodeLineFromWire("l", carried(NodeLineSchema, nodeLineToWire(one)))).toEqual(one);
        const carriedPosition = carried(NodeLogPositionSchema, nodeLogPositionToWire(read));
        expect(nodeLogPositionFromWire("p", carriedPosition)).toEqual(read);
      }),
    );
  });

  test("a reconciliation status, with every disposition and reason", () => {
    const status: fc.Arbitrary<ReconciliationStatus> = fc.record({
      observedGeneration: count,
      disposition: fc.constantFrom("PENDING", "CONVERGED", "ABANDONED"),
      reason: fc.constantFrom(
        "UNSPECIFIED",
        "DESIRED_STATE_OBSERVED",
        "ALREADY_SATISFIED",
        "ADVICE_EXPIRED",
        "SUPERSEDED",
        "TARGET_GONE",
        "JOB_ENDED",
        "ACTION_REFUSED",
        "HELD_BY_OTHERS",
        "OBSERVE_MODE",
        "STARTED_UNCONSTRAINED",
        "WITHDRAWN",
        "RELEASED_BY_WATCHDOG",
      ),
      message: fc.string(),
      observedAt: instant,
    });
    const clean = status.filter(({ message }) => !message.includes("\0"));
    fc.assert(
      fc.property(clean, (one) => {
        expect(statusFromWire(carried(AdviceReconciliationStatusSchema, statusToWire(one)), 0)).toEqual(one);
      }),
    );
  });
});
