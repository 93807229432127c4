/**
 * Goal    every publisher computes the same names, and a client of traces can read them.
 */
import { expect, test } from "vitest";
import { attemptUuid } from "../identity/attempt-uuid.ts";
import { sequenceIdOf, spanIdOf, traceOf, traceparentOf } from "./sequence.ts";

const attempt = attemptUuid({ jobId: "123", attemptIndex: 0 });

test("a sequence is one operation on one attempt, whoever computes its ID, and never another one", () => {
  const ids = [
    sequenceIdOf(attempt, "RESTART"),
    sequenceIdOf(attempt, "TERMINATE"),
    sequenceIdOf(attemptUuid({ jobId: "123", attemptIndex: 1 }), "RESTART"),
    sequenceIdOf(attemptUuid({ jobId: "123", attemptIndex: 0, incarnationSubmitAt: 1000 }), "RESTART"),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(sequenceIdOf(attempt.toUpperCase(), "RESTART")).toBe(ids[0]);
  // Part of the API: a change here breaks who has stored one.
  expect(ids[0]).toMatchInlineSnapshot(`"15636857-36b6-56d6-86eb-27cbcf602983"`);
});

test("its trace context is W3C's: version 00, 32 and 16 digits that are not all zero, sampled", () => {
  const id = sequenceIdOf(attempt, "RESTART");
  expect(traceparentOf(id)).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/);
  expect(traceparentOf(id)).toContain(id.replaceAll("-", ""));
});

test("a span has one ID for ever, by its name; log lines name the trace that the context names", () => {
  const id = sequenceIdOf(attempt, "RESTART");
  expect(spanIdOf(id, "detect")).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
  expect(spanIdOf(id.toUpperCase(), "detect")).toBe(spanIdOf(id, "detect"));
  expect(spanIdOf(id, "decide")).not.toBe(spanIdOf(id, "detect"));
  expect(traceparentOf(id)).toContain(`-${traceOf({ heimdallJobId: attempt, desired: "RESTARTED" })}-`);
});
