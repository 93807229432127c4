/**
 * Goal    what a watcher reports is never dated after it came, however its clock runs; and the order of it stays.
 * Method  reports, as the route has them, around noon.
 */
import { expect, test } from "vitest";
import { crash, noon, position, s, step } from "../store/testing/world.ts";
import { notAhead } from "./watching.ts";

const attempt = { heimdallJobId: "00000000-0000-5000-8000-000000000000" };
const reportAt = (at: number) => ({
  reporter: "w1",
  signals: [step(attempt, 3, at - 2 * s), crash(attempt, { at: at - s })],
  positions: [position(attempt, 9, { readAt: at }), { ...position(attempt, 0), path: "/logs/err.log" }],
});

test("a clock that is ahead moves all times of a report back together", () => {
  const { signals, positions } = notAhead(reportAt(noon + 90 * s), noon);
  expect(signals.map(({ at }) => at - noon)).toEqual([-2 * s, -s]);
  expect(signals[0]?.evidence.at).toBe(noon - 2 * s);
  expect(positions.map(({ readAt }) => (readAt ?? 0) - noon)).toEqual([0, -90 * s]);
});

test("an attempt whose watch is ahead moves no other one's times", () => {
  const other = { heimdallJobId: "00000000-0000-5000-8000-000000000001" };
  const { signals, positions } = reportAt(noon + 300 * s);
  const report = { reporter: "w1", signals, positions: [...positions, position(other, 9, { readAt: noon - s })] };
  expect(notAhead(report, noon).positions.map(({ readAt }) => (readAt ?? 0) - noon)).toEqual([0, -300 * s, -s]);
});

test("a report that was long on its way keeps its times", () => {
  const report = reportAt(noon - 300 * s);
  expect(notAhead({ ...report, positions: report.positions.slice(0, 1) }, noon)).toEqual({
    ...report,
    positions: report.positions.slice(0, 1),
  });
});
