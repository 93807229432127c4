/**
 * Goal    what would have been is told as wrong wherever a job went on by itself, and as not known wherever nobody can know it.
 * Method  one job that failed and stayed so; each row tells its story otherwise.
 */
import { describe, expect, test } from "vitest";
import { type ShadowFate, type ShadowRecord, shadowFiguresOf, shadowStoryOf, type ShadowVerdict } from "./shadow.ts";

const [s, minute, hour] = [1_000, 60_000, 3_600_000];
const t0 = 1_000_000_000;
const assumed = { manualRestartMs: hour, ownRestartMs: minute };
const stayed: ShadowRecord = {
  heimdallJobId: "u",
  cluster: "default",
  jobId: "7",
  attemptIndex: 0,
  workflowId: "w",
  desired: "RESTARTED",
  because: "hardware-node",
  rootAt: t0,
  decidedAt: t0 + 6 * s,
  nodes: 8,
  status: "FAILED",
  endedAt: t0 + 2 * s,
};
const running = { ...stayed, status: "RUNNING" } as const;
const { endedAt: _, ...alive } = running;
const ended = { ...stayed, desired: "TERMINATED" } as const;

const rows: [what: string, record: ShadowRecord, verdict: ShadowVerdict, fate: ShadowFate, savedMinutes?: number][] = [
  ["a job that stayed failed", stayed, "would-have-recovered", "stayed-failed", 58.9],
  [
    "one that its owner requeued",
    { ...stayed, status: "STOPPED", requeuedAt: t0 + hour, restartedAt: t0 + 2 * hour },
    "would-have-recovered",
    "requeued",
    118.9,
  ],
  [
    "one that Slurm requeued at once",
    { ...stayed, status: "STOPPED", requeuedAt: t0 + 7 * s, restartedAt: t0 + 10 * s },
    "would-have-recovered",
    "requeued",
    -0.933,
  ],
  [
    "one that waits since it was requeued",
    { ...stayed, status: "STOPPED", requeuedAt: t0 + hour },
    "would-have-recovered",
    "requeued",
  ],
  [
    "one that was submitted anew",
    { ...stayed, resubmittedAs: "8", resubmittedAt: t0 + hour, resubmitStartedAt: t0 + hour },
    "would-have-recovered",
    "resubmitted",
    58.9,
  ],
  [
    "a stuck one that was cancelled and submitted anew",
    { ...stayed, status: "CANCELLED", endedAt: t0 + hour, resubmittedAs: "8", resubmittedAt: t0 + hour },
    "would-have-recovered",
    "resubmitted",
  ],
  [
    "a stuck one that failed in the end",
    { ...stayed, endedAt: t0 + hour },
    "would-have-recovered",
    "stayed-failed",
    58.9,
  ],
  [
    "a running one that completed",
    { ...stayed, status: "COMPLETED", endedAt: t0 + hour },
    "would-have-been-wrong",
    "completed-by-itself",
  ],
  ["a running one that stepped on", { ...alive, lastStepAt: t0 + minute }, "would-have-been-wrong", "went-on"],
  [
    "one that stepped on and failed later",
    { ...stayed, endedAt: t0 + hour, lastStepAt: t0 + minute },
    "would-have-been-wrong",
    "went-on",
  ],
  [
    "one whose last step was read late",
    { ...stayed, endedAt: t0 + hour, lastStepAt: t0 + 10 * s },
    "would-have-recovered",
    "stayed-failed",
    58.9,
  ],
  ["one that still runs, silent", alive, "not-known", "still-runs"],
  ["one that was cancelled", { ...stayed, status: "CANCELLED", endedAt: t0 + hour }, "not-known", "cancelled"],
  ["one that left, and nobody knows how", { ...stayed, status: "STOPPED" }, "not-known", "ended-otherwise"],
  ["an end of a job that stayed failed", ended, "no-difference", "stayed-failed"],
  [
    "an end of one that came back and completed",
    { ...ended, requeuedAt: t0 + hour, completedAt: t0 + 5 * hour },
    "would-have-been-wrong",
    "came-back",
  ],
  ["an end of one that came back and is not over", { ...ended, requeuedAt: t0 + hour }, "not-known", "requeued"],
  [
    "an end of a running one that completed",
    { ...ended, status: "COMPLETED", endedAt: t0 + hour },
    "would-have-been-wrong",
    "completed-by-itself",
  ],
];
test.each(rows)("%s", (_what, record, verdict, fate, savedMinutes) => {
  const story = shadowStoryOf(record, assumed);
  expect([story.verdict, story.fate]).toEqual([verdict, fate]);
  if (savedMinutes === undefined) expect(story.savedMs).toBeUndefined();
  else expect((story.savedMs ?? 0) / minute).toBeCloseTo(savedMinutes, 2);
});

describe("the figures", () => {
  test("count each verdict with what happened, and sum the hours of what would have recovered alone", () => {
    const stories = [stayed, stayed, alive, { ...stayed, status: "COMPLETED", endedAt: t0 + hour } as const].map((r) =>
      shadowStoryOf(r, assumed),
    );
    const { counts, saved } = shadowFiguresOf(stories);
    expect(counts).toEqual([
      { verdict: "would-have-recovered", fate: "stayed-failed", count: 2 },
      { verdict: "would-have-been-wrong", fate: "completed-by-itself", count: 1 },
      { verdict: "not-known", fate: "still-runs", count: 1 },
    ]);
    expect(saved.recoveries).toBe(2);
    expect(saved.hours).toBeCloseTo((2 * 58.9) / 60);
    expect(saved.nodeHours).toBeCloseTo((16 * 58.9) / 60);
  });

  test("of nothing are none", () => {
    expect(shadowFiguresOf([])).toEqual({ counts: [], saved: { recoveries: 0, hours: 0, nodeHours: 0 } });
  });
});
