/**
 * Goal    `{job_id}-{attempt_index}` reads back as what was written, and nothing else is taken for one.
 * Method  a table of texts, and the round trip as a property.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJobRef, parseJobRef } from "./job-ref.ts";

// biome-ignore format: a table
test.each([
  ["123-0", { jobId: "123", attemptIndex: 0 }],
  ["95_1-12", { jobId: "95_1", attemptIndex: 12 }],
  ["my-own-id-3", { jobId: "my-own-id", attemptIndex: 3 }],
  ["a--1", { jobId: "a-", attemptIndex: 1 }],
  ["1-2147483647", { jobId: "1", attemptIndex: 2147483647 }],
  ["1-2147483648", undefined],
  ["1-99999999999999", undefined],
  ["123", undefined],
  ["123-", undefined],
  ["-0", undefined],
  ["123-00", undefined],
  ["123-x", undefined],
  ["123-1.5", undefined],
  ["123-1 ", undefined],
  ["123-1\n", undefined],
  ["", undefined],
])("%j", (text, ref) => expect(parseJobRef(text)).toEqual(ref));

test("every job ID and attempt index reads back", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(2147483647), (jobId, attemptIndex) => {
      expect(parseJobRef(formatJobRef({ jobId, attemptIndex }))).toEqual({ jobId, attemptIndex });
    }),
  );
});
