/**
 * Goal    one job's records never become another's, although Slurm gives an ID twice and takes back what it did.
 * Method  a table of what Slurm was seen to do; then random lives of two jobs under one ID against the truth.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { relate, type Relation, type Sighting } from "./incarnation.ts";

const s = 1000;
const first: Sighting = { restartCount: 0, submitAt: 100 * s, user: "ada", command: "/home/ada/train.sh" };
const second: Sighting = { ...first, restartCount: 1, submitAt: 200 * s };
const third: Sighting = { ...first, restartCount: 2, submitAt: 300 * s };
const key = (attempt: Sighting, sluid: string): Sighting => ({ ...attempt, sluid });

// biome-ignore format: a table
const cases: [what: string, recorded: Sighting[], seen: Sighting, relation: Relation][] = [
  ["nothing is recorded", [], first, "new-incarnation"],
  ["the same once more", [first], first, "same-attempt"],
  ["the same, read with milliseconds", [first], { ...first, submitAt: 100 * s + 999 }, "same-attempt"],
  ["the same, reported without times", [first], { restartCount: 0 }, "same-attempt"],
  ["requeued", [first], second, "another-attempt"],
  ["requeued twice between two looks", [first], third, "another-attempt"],
  ["still COMPLETING: the count is raised, the submit time is not yet", [first], { ...second, submitAt: 100 * s }, "another-attempt"],
  ["a late report about the first attempt", [first, second], first, "same-attempt"],
  ["a rollback to the first attempt", [first, second], first, "same-attempt"],
  ["a rollback, then requeued again", [first, second], { ...second, submitAt: 250 * s }, "repeated-attempt"],
  ["a rollback to an attempt never recorded", [first, third], second, "another-attempt"],
  ["reissued: count 0, submitted later", [first], { ...first, submitAt: 101 * s }, "new-incarnation"],
  ["reissued after three attempts", [first, second, third], { ...first, submitAt: 400 * s }, "new-incarnation"],
  ["reissued, attempt 0 was never recorded", [second], { ...first, submitAt: 201 * s }, "new-incarnation"],
  ["attempt 0 is reported last", [second], first, "another-attempt"],
  ["another user", [second], { ...third, user: "bob" }, "new-incarnation"],
  ["another command", [second], { ...third, command: "/home/ada/eval.sh" }, "new-incarnation"],
  ["another user, same count", [second], { ...second, submitAt: 900 * s, user: "bob" }, "new-incarnation"],
  ["a late report about the job before", [second, first], { ...first, submitAt: 50 * s }, "earlier-incarnation"],
  ["a late report about another user's job before", [first], { ...first, submitAt: 50 * s, user: "bob" }, "earlier-incarnation"],
  ["a late report about a requeue of the job before", [first], { ...second, submitAt: 50 * s }, "earlier-incarnation"],
  ["the same SLUID", [key(first, "A")], key(first, "A"), "same-attempt"],
  ["a new SLUID after a requeue", [key(first, "A")], key(second, "B"), "another-attempt"],
  ["COMPLETING after a requeue: the old SLUID", [key(first, "A")], key(second, "A"), "another-attempt"],
  ["a task split off its array: new SLUID", [key(first, "A")], key(first, "B"), "same-attempt"],
  ["reissued: another SLUID, submitted later", [key(first, "A")], key({ ...first, submitAt: 101 * s }, "B"), "new-incarnation"],
  ["an equal SLUID outweighs everything else", [key(first, "A")], key({ ...first, submitAt: 101 * s, user: "bob" }, "A"), "same-attempt"],
];

describe("relate", () => {
  test.each(cases)("%s", (_what, recorded, seen, relation) => expect(relate(recorded, seen)).toBe(relation));

  test("all attempts of one job stay one job, in whatever order and from wherever they are first seen", () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(gaps, fc.infiniteStream(fc.nat()), (gapSeconds, picks) => {
        let at = 0;
        const life = gapSeconds.map((gap, restartCount) => ({ ...first, restartCount, submitAt: (at += gap) * s }));
        const recorded: Sighting[] = [];
        for (let look = 0; look < 12; look++) {
          const seen = life[picks.next().value % life.length]!;
          const relation = relate(recorded, seen);
          if (recorded.length > 0) expect(relation).toBe(recorded.includes(seen) ? "same-attempt" : "another-attempt");
          if (!recorded.includes(seen)) recorded.push(seen);
        }
      }),
    );
  });

  test("a job that was given the ID later is never taken for the recorded one when it is first seen at count 0", () => {
    const recorded = fc.subarray([first, second, third], { minLength: 1 });
    const stranger = fc.record({ user: fc.constantFrom("ada", "bob"), waitSeconds: fc.integer({ min: 1, max: 9999 }) });
    fc.assert(
      fc.property(recorded, stranger, (attempts, { user, waitSeconds }) => {
        const seen = { ...first, user, submitAt: (300 + waitSeconds) * s };
        expect(relate(attempts, seen)).toBe("new-incarnation");
      }),
    );
  });
});
