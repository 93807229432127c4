/**
 * Goal    a no has one code on each transport and finds its way back; a bug never shows its words.
 * Method  the table of api.md §5, row by row.
 */
import { Refusal, type RefusalCode } from "@reprise/core/refusal.ts";
import { expect, test } from "vitest";
import { fromWireError, toHttpError, toWireError } from "./refusal.ts";

// biome-ignore format: a table
const table: [RefusalCode, grpc: number, http: number][] = [
  ["invalid", 3, 400], ["unauthenticated", 16, 401], ["forbidden", 7, 403], ["not-found", 5, 404], ["exists", 6, 409], ["conflict", 10, 409],
  ["precondition", 9, 400], ["busy", 8, 429], ["unavailable", 14, 503], ["unimplemented", 12, 501], ["deadline", 4, 504],
];

test.each(table)("%s is gRPC %d and HTTP %d, and comes back as itself", (code, grpc, http) => {
  const wire = toWireError(new Refusal(code, "why"));
  expect(wire).toEqual({ code: grpc, message: "why" });
  expect(toHttpError(wire)).toEqual({ status: http, body: `{"code":${grpc},"message":"why","details":[]}` });
  expect(fromWireError(grpc, "why")).toMatchObject({ name: "Refusal", code, message: "why" });
});

test("what is no refusal is an internal error whose words stay here", () => {
  const bug = new TypeError("select secret from token");
  const wire = toWireError(bug);
  expect(wire.cause).toBe(bug);
  expect(toHttpError(wire)).toEqual({ status: 500, body: '{"code":13,"message":"internal error","details":[]}' });
  expect(fromWireError(13, "internal error")).not.toBeInstanceOf(Refusal);
});
