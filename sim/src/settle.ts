/**
 * settle: the liveness phase: the world is healed, and given time.
 *
 * Gives   why it is not settled; empty: it is, or a checker has ended the run.
 * Bound   `settleMs` of its time.
 */
import { unsettled } from "./checkers/settled.ts";
import { heal } from "./troubles.ts";
import type { World } from "./world.ts";

/** The longest chain: a lost command's 18 s, its repetition, a fail-open of 3 min, a time-out of slurmd, and some. */
const settleMs = 30 * 60_000;
const lookEveryMs = 60_000;

export async function settle(world: World): Promise<readonly string[]> {
  heal(world);
  const end = world.clock.now() + settleMs;
  let why: readonly string[] = [];
  while (world.clock.now() < end && world.violation === undefined) {
    await world.run(lookEveryMs);
    why = await unsettled(world);
    if (why.length === 0) break;
  }
  return why;
}
