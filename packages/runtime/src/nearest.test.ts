/** Goal: a slip of the fingers finds the name that was meant, and a strange word finds none. */
import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["jobs", "advice", "explain", "up", "http_port", "grpc_port"];

test.each([
  ["jbos", "jobs"],
  ["job", "jobs"],
  ["Advise", "advice"],
  ["explian", "explain"],
  ["http_prot", "http_port"],
  ["zebra", undefined],
  ["", undefined],
])("%s → %s", (typed, meant) => {
  expect(nearest(typed, known)).toBe(meant);
});
