/**
 * Goal    one look tells what needs a person, fits the terminal whatever its size, and never looks quiet while something cannot be seen.
 * Method  the command without a terminal against a server with fixed answers; the picture of it at several sizes.
 */
import { expect, test } from "vitest";
import { createPaint } from "../render/paint.ts";
import { renderTop, type Top } from "../render/top.ts";
import type { View } from "../render/view.ts";
import { serverWorld } from "../testing/server-world.ts";
import { define } from "./top.ts";

const view: View = { width: 80, paint: createPaint(false), now: Date.UTC(2030, 0, 31, 14, 10), timeZone: "UTC" };
const now = {
  cluster: "gpu",
  at: "2030-01-31T14:10:00Z",
  scheduler: { mode: "act", partitions: ["gpu", "long"] },
  jobs: { running: 41, waiting: 2, recovering: 1, stopped: 1 },
};
const status = { disposition: "ADVICE_RECONCILIATION_DISPOSITION_PENDING" };
const advice = {
  desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
  reconciliationStatus: status,
  because: "hardware-node",
  createdAt: "2030-01-31T14:09:48Z",
};
const stopped = { jobId: "11", attemptIndex: 3, jobName: "llm", standing: "stopped", endedAt: "2030-01-31T13:10:00Z" };
const rows = [
  { ...stopped, stoppedBy: "max_requeue_times", lastStep: "4200" },
  { jobId: "12", jobName: "a name \u001b[31m that is long enough to be cut", standing: "recovering", advice },
];
const blind = [{ says: "SAC is silent.", whatToDo: "Its log says." }];

test("without a terminal it prints one picture and ends", async () => {
  const { call, asked } = await serverWorld({ "/reprise/v1/now": now, "/reprise/v1/jobs": { jobs: [rows[0]] } });
  const text = await call(define, "--cluster", "gpu");
  expect(text).toContain("gpu · act in gpu,long · 14:10:00");
  expect(text).not.toContain("\u001b");
  expect(asked.map(([line]) => line)).toEqual([
    "GET /reprise/v1/now?cluster=gpu",
    ...["stopped", "deciding", "recovering"].map((s) => `GET /reprise/v1/jobs?cluster=gpu&standing=${s}&limit=100`),
  ]);
});

test("the picture", async () => {
  await expect(`${renderTop({ now: { ...now, blind }, rows }, view).join("\n")}\n`).toMatchFileSnapshot(
    "../render/testdata/top.txt",
  );
});

test("it fits the terminal, and counts what it leaves out", () => {
  const many: Top = { now, rows: Array.from({ length: 30 }, (_, i) => ({ ...stopped, jobId: String(i) })) };
  for (const [width, height] of [
    [70, 10],
    [80, 24],
    [200, 50],
  ] as const) {
    const lines = renderTop(many, { ...view, width }, height);
    expect(lines.length).toBeLessThanOrEqual(height);
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
  }
  expect(renderTop(many, view, 24).at(-1)).toBe("… and 11 more");
});

test("a quiet picture says what it does not know", () => {
  expect(renderTop({ now, rows: [] }, view)).toContain("Nothing needs recovery.");
  expect(renderTop({ now: { ...now, blind }, rows: [] }, view).join("\n")).toMatch(/not everything is seen/);
  const old = renderTop({ now, rows: [], failed: "nothing listens there" }, { ...view, now: view.now + 90_000 });
  expect(old.join("\n")).toMatch(/What is shown is old, by 90 s: nothing listens there/);
});
