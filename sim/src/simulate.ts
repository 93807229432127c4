/**
 * simulate: one world from one seed: troubles, then none; and what became of it.
 *
 * Gives   the first violation, or why it is not settled, or nothing of both; and the counts for the soak.
 * Bound   after `heal` everything is settled within `settleMs` of its time.
 */
import { Lots } from "./chance.ts";
import { watchAll, type Coverage } from "./checkers/all.ts";
import { unsettled } from "./checkers/settled.ts";
import { drawWorld, type Size } from "./draw-world.ts";
import { heal, makeTroubles } from "./troubles.ts";
import { World } from "./world.ts";

/** The longest chain: a lost command's 18 s, its repetition, a fail-open of 3 min, a time-out of slurmd, and some. */
const settleMs = 30 * 60_000;
const lookEveryMs = 60_000;

export interface Result {
  readonly world: World;
  readonly simulatedMs: number;
  readonly coverage: Coverage;
  readonly steps: number;
}

export async function simulate(seed: bigint, size: Size = "default"): Promise<Result> {
  const lots = new Lots(seed);
  const spec = drawWorld(lots, size);
  const world = new World(spec, lots);
  const { coverage, atEnd } = watchAll(world);
  let steps = 0;
  world.observers.push({ command: () => void steps++ });
  world.startAll();
  makeTroubles(world, lots.of("troubles"));
  await world.run(spec.safetyMs);
  if (world.violation === undefined) await settle(world);
  if (world.violation === undefined) await atEnd();
  return { world, simulatedMs: world.clock.now() - spec.begunAt, coverage, steps };
}

async function settle(world: World): Promise<void> {
  heal(world);
  const end = world.clock.now() + settleMs;
  let why: readonly string[] = [];
  while (world.clock.now() < end && world.violation === undefined) {
    await world.run(lookEveryMs);
    why = await unsettled(world);
    if (why.length === 0) return;
  }
  if (why.length > 0) world.violate("settled", why.join("; "));
}
