/**
 * same-answers.contract: whatever is asked of the store in memory, in whatever order, the database would have answered the same.
 *
 * Goal    what the simulator finds in the memory body is true of the real one.
 * Method  random calls on a few jobs, made on both; every answer, every refusal and in the end everything that can be read is
 *         compared. `SAME_ANSWERS_RUNS=1000` looks longer; a failure prints the calls that repeat it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store } from "../../store.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { arbitraryCalls } from "../testing/calls.ts";
import { noon } from "../testing/life.ts";
import { everything, make, type Made } from "../testing/make-call.ts";

const runs = Number(process.env["SAME_ANSWERS_RUNS"] ?? 30);

/** @param open Gives a fresh, empty database. */
export function sameAnswers(open: () => Promise<Store>): void {
  test("the same calls have the same answers as in memory", { timeout: 30_000 + runs * 1_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls, async (calls) => {
        const [memory, database] = [createMemoryStore(), await open()];
        const made: Made = { now: noon, uuids: new Set(), held: [], versions: new Map() };
        for (const call of calls) {
          const ask = make(call, made);
          const [expected, answer] = [await ask(database), await ask(memory)];
          expect(answer, call.kind).toEqual(expected);
        }
        expect(await everything(memory, made)).toEqual(await everything(database, made));
      }),
      { numRuns: runs },
    );
  });
}
