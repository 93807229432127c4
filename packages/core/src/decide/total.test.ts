/**
 * Goal    decide is total and has no memory: whatever the facts, an answer, the same one twice, with its reason.
 * Method  random facts of every sort. `make bench-decide` asks about a million.
 */
import { expect, test } from "vitest";
import { fold } from "../situation/situation.ts";
import { anySituations } from "./any-situation.example.ts";
import { decide } from "./decide.ts";

const asked = 4_000;

test("any facts get an answer, and the same one twice", () => {
  const situations = anySituations(1);
  const answers = new Map<string, number>();
  for (let n = 0; n < asked; n++) {
    const { facts, coverage, now } = situations.next().value;
    const before = JSON.stringify(facts);
    const decision = decide(fold(facts, now), coverage, now);
    expect(JSON.stringify(decide(fold(facts, now), coverage, now))).toBe(JSON.stringify(decision));
    if (n % 100 === 0) expect(JSON.stringify(facts)).toBe(before); // Deciding changes nothing.
    expect(decision.sentence).not.toBe("");
    expect(decision.rules.some((rule) => rule.answered)).toBe(true);
    const what = decision.kind === "none" ? decision.because : decision.desired;
    answers.set(what, (answers.get(what) ?? 0) + 1);
  }
  // Else most of it was not asked.
  for (const what of ["RESTARTED", "TERMINATED", "RELEASED", "healthy", "grace", "completed", "cancelled", "overtaken"])
    expect(answers.get(what) ?? 0, what).toBeGreaterThan(3);
});
