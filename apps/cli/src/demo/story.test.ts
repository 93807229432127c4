/**
 * Goal    what the demo tells is in the order of its times, fits 100 columns, is told once, and nothing is told that was not seen.
 * Method  the facts of one recovery, looked at once or twice; golden file for the whole of it.
 */
import { expect, test } from "vitest";
import type { Scheduler } from "./cluster.ts";
import { factsAtTheEnd, factsInTheGrace, seenAtTheEnd, submittedAt } from "./demo.example.ts";
import { resultOf } from "./result.ts";
import { chapters } from "./story.ts";
import { createTeller } from "./teller.ts";

function tellerWorld(scheduler: Scheduler = "slurm") {
  const out: string[] = [];
  const teller = createTeller(
    (text) => void out.push(text),
    { isTty: false, width: 80, hasColour: false, canRedraw: false },
    scheduler,
  );
  return { teller, text: () => out.join(""), lines: () => out.join("").trimEnd().split("\n") };
}
const seconds = (s: number) => submittedAt + s * 1000;

test("the whole story reads as it happened", async () => {
  const { teller, text } = tellerWorld();
  teller.note("starting");
  teller.chapters(chapters(factsInTheGrace), submittedAt, seconds(13));
  teller.chapters(chapters(factsAtTheEnd), submittedAt, seconds(36));
  teller.result(resultOf(seenAtTheEnd));
  await expect(text()).toMatchFileSnapshot("testdata/story.txt");
});

test("nothing is told twice", () => {
  const { teller, text } = tellerWorld();
  teller.chapters(chapters(factsAtTheEnd), submittedAt, seconds(36));
  const once = text();
  teller.chapters(chapters(factsAtTheEnd), submittedAt, seconds(37));
  expect(text()).toBe(once);
});

const schedulers: readonly Scheduler[] = ["slurm", "simulated"];
test.each(schedulers)("on %s no line is wider than 100 columns, and a log line cannot move the cursor", (scheduler) => {
  const { teller, lines, text } = tellerWorld(scheduler);
  teller.chapters(chapters(factsAtTheEnd), submittedAt, seconds(36));
  teller.result(resultOf(seenAtTheEnd));
  for (const line of lines()) expect(line.length, line).toBeLessThanOrEqual(100);
  expect(text()).not.toContain("\u001b");
});

test("on a simulated Slurm every line says so, whoever it is about", () => {
  const { teller, lines } = tellerWorld("simulated");
  teller.note("starting");
  teller.chapters(chapters(factsAtTheEnd), submittedAt, seconds(36));
  teller.result(resultOf({ ...seenAtTheEnd, scheduler: "simulated" }));
  teller.result(resultOf({ ...seenAtTheEnd, scheduler: "simulated", hasResult: false }));
  const told = lines().filter((line) => line !== "");
  expect(told.filter((line) => !line.startsWith("simulated "))).toEqual([]);
  expect(told.length).toBeGreaterThan(20);
});

test("step lines that are seen before the job's record wait for it, and keep the time at which they were seen", () => {
  const { teller, lines } = tellerWorld();
  const { stepLines } = factsInTheGrace;
  teller.chapters(
    chapters({ explain: undefined, fault: undefined, stepLines: stepLines.slice(0, 1) }),
    submittedAt,
    seconds(2),
  );
  expect(lines()).toEqual([""]);
  teller.chapters(chapters({ ...factsInTheGrace, fault: undefined }), submittedAt, seconds(5));
  expect(lines()[0]).toContain("0.0 s  slurm    job 1 is running on n1 and n2 (attempt 0)");
  expect(lines()[1]).toContain("2.0 s  training step 1 of 80");
});

test("a step of SAC whose outcome is not known is not told", () => {
  const released = chapters(factsAtTheEnd).filter(({ text }) => text.startsWith("released"));
  expect(released).toHaveLength(1);
});
