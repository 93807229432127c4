/**
 * Goal    everybody computes the same UUID for an attempt, and no two attempts share one.
 * Method  the published examples as a table; node:crypto as the oracle for SHA-1; properties over names.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attemptNamespace, attemptUuid, isUuid, type AttemptName } from "./attempt-uuid.ts";
import { sha1 } from "./sha1.ts";

/** RFC 9562 §5.5, with the SHA-1 of Node. */
function oracle(name: string): string {
  const hash = createHash("sha1")
    .update(Buffer.from(attemptNamespace.replaceAll("-", ""), "hex"))
    .update(name);
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const submitAt = Date.UTC(2026, 10, 29, 12, 55, 23, 999);

// biome-ignore format: a table
const names: [which: string, attempt: AttemptName, name: string][] = [
  ["the first attempt", { jobId: "123", attemptIndex: 0 }, "123-0"],
  ["a later attempt", { jobId: "123", attemptIndex: 7 }, "123-7"],
  ["a task of an array", { jobId: "95_1", attemptIndex: 1 }, "95_1-1"],
  ["the cluster called default", { cluster: "default", jobId: "123", attemptIndex: 0 }, "123-0"],
  ["no cluster at all", { cluster: "", jobId: "123", attemptIndex: 0 }, "123-0"],
  ["another cluster", { cluster: "gpu", jobId: "123", attemptIndex: 0 }, "gpu/123-0"],
  ["a reissued ID, to the second", { jobId: "123", attemptIndex: 0, incarnationSubmitAt: submitAt }, "123-0@1795956923"],
  ["a reissued ID on another cluster", { cluster: "gpu", jobId: "9", attemptIndex: 2, incarnationSubmitAt: 0 }, "gpu/9-2@0"],
];

describe("the UUID of an attempt", () => {
  test.each(names)("%s", (_which, attempt, name) => expect(attemptUuid(attempt)).toBe(oracle(name)));

  test("never changes: this one is written down in the API guide", () => {
    expect(attemptUuid({ jobId: "12345", attemptIndex: 0 })).toBe("663df055-6615-5bef-9641-4145f351e478");
  });

  test("is a UUID, and differs for every other cluster, job, attempt or incarnation", () => {
    const attempt = fc.record(
      {
        cluster: fc.constantFrom("", "default", "gpu", "a", "a-1"),
        jobId: fc.stringMatching(/^[a-z0-9_@-]{1,4}$/),
        attemptIndex: fc.nat(20),
        incarnationSubmitAt: fc.nat(20).map((seconds) => seconds * 1000),
      },
      { requiredKeys: ["jobId", "attemptIndex"] },
    );
    fc.assert(
      fc.property(attempt, attempt, (a, b) => {
        const key = ({ cluster = "", jobId, attemptIndex, incarnationSubmitAt }: typeof a) =>
          JSON.stringify([cluster === "default" ? "" : cluster, jobId, attemptIndex, incarnationSubmitAt]);
        expect(isUuid(attemptUuid(a))).toBe(true);
        expect(attemptUuid(a) === attemptUuid(b)).toBe(key(a) === key(b));
      }),
    );
  });

  // biome-ignore format: a table
  test.each([
    [{ jobId: "a/1", attemptIndex: 0 }, 'jobId "a/1": expected no "/"'],
    [{ cluster: "a/b", jobId: "1", attemptIndex: 0 }, 'cluster "a/b": expected no "/"'],
    [{ jobId: "", attemptIndex: 0 }, 'jobId "": expected a job ID'],
    [{ jobId: "1", attemptIndex: -1 }, "attemptIndex -1: expected an integer from 0 to 2147483647"],
    [{ jobId: "1", attemptIndex: 1.5 }, "attemptIndex 1.5: expected an integer from 0 to 2147483647"],
  ])("refuses %o, which could be another attempt's name", (attempt, message) => {
    expect(() => attemptUuid(attempt)).toThrow(expect.objectContaining({ code: "invalid", message }));
  });
});

test("sha1 is SHA-1 for every length around its block borders and for any bytes", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = new Uint8Array(length).map((_, index) => index * 7);
    expect(Buffer.from(sha1(bytes)).toString("hex"), `${length} bytes`).toBe(
      createHash("sha1").update(bytes).digest("hex"),
    );
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      expect(Buffer.from(sha1(bytes)).toString("hex")).toBe(createHash("sha1").update(bytes).digest("hex"));
    }),
  );
});

// biome-ignore format: a table
test.each([
  ["8699c65b-5883-563d-acbb-ae1a4a5cf52b", true],
  ["8699C65B-5883-563D-ACBB-AE1A4A5CF52B", true],
  ["8699c65b5883563dacbbae1a4a5cf52b", false],
  ["8699c65b-5883-563d-acbb-ae1a4a5cf52", false],
  ["{8699c65b-5883-563d-acbb-ae1a4a5cf52b}", false],
  ["8699c65b-5883-563d-acbb-ae1a4a5cf52b\n", false],
  ["123-0", false],
  ["", false],
])("isUuid(%j) is %s", (text, answer) => expect(isUuid(text)).toBe(answer));
