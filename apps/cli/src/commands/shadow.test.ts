/**
 * Goal    what would have been is shown as the server has judged it, the wrong ones first, and with the assumptions.
 * Method  a server that gives a fixed answer; a golden file.
 */
import { expect, test } from "vitest";
import { serverWorld } from "../testing/server-world.ts";
import { define } from "./shadow.ts";

const answer = {
  from: "2030-01-24T14:10:00Z",
  to: "2030-01-31T14:10:00Z",
  counts: [
    { verdict: "would-have-recovered", fate: "stayed-failed", count: 2 },
    { verdict: "would-have-recovered", fate: "resubmitted", count: 1 },
    { verdict: "would-have-been-wrong", fate: "went-on", count: 1 },
    { verdict: "not-known", fate: "still-runs", count: 1 },
  ],
  saved: { manualRestartMinutes: 60, recoveries: 3, hours: 5.9, nodeHours: 47.2 },
  ownRestartSeconds: 60,
  stories: [
    {
      jobId: "12",
      desired: "RESTARTED",
      because: "hardware-node",
      decidedAt: "2030-01-31T13:10:00Z",
      verdict: "would-have-recovered",
      fate: "stayed-failed",
      savedHours: 0.98,
    },
    {
      jobId: "11",
      attemptIndex: 1,
      desired: "RESTARTED",
      because: "hang",
      decidedAt: "2030-01-30T14:10:00Z",
      verdict: "would-have-been-wrong",
      fate: "went-on",
    },
    {
      jobId: "10",
      desired: "RESTARTED",
      because: "unexplained",
      decidedAt: "2030-01-29T14:10:00Z",
      verdict: "would-have-recovered",
      fate: "resubmitted",
      resubmittedAs: "13",
      savedHours: 3.94,
    },
    {
      jobId: "9",
      desired: "RESTARTED",
      because: "hang",
      decidedAt: "2030-01-28T14:10:00Z",
      verdict: "not-known",
      fate: "still-runs",
    },
  ],
  leftOut: 1,
};

test("the wrong ones come first, and every assumption is told", async () => {
  const { asked, call } = await serverWorld({ "/reprise/v1/shadow": answer });
  await expect(await call(define, "--since", "36h", "--partition", "gpu")).toMatchFileSnapshot("testdata/shadow.txt");
  expect(asked[0]?.[0]).toBe("GET /reprise/v1/shadow?from=2030-01-30T02%3A10%3A00.000Z&partition=gpu");
  expect(JSON.parse(await call(define, "--json"))).toEqual(answer);
  await expect(call(define, "--since", "yesterday")).rejects.toMatchObject({ name: "CommanderError" });
});

test("where nothing was observed only, that is said", async () => {
  const { call } = await serverWorld({ "/reprise/v1/shadow": { from: answer.from, to: answer.to } });
  expect(await call(define)).toContain("nothing");
});
