/**
 * simulate: one world from one seed: troubles, then none; and what became of it.
 *
 * Gives   the first violation, or why it is not settled, or nothing of both; and the counts for the soak.
 */
import { Lots } from "./chance.ts";
import { watchAll, type Coverage } from "./checkers/all.ts";
import { drawWorld, type Size } from "./draw-world.ts";
import { settle } from "./settle.ts";
import { drawnReleases, type WorldSpec } from "./spec.ts";
import { makeTroubles } from "./troubles.ts";
import { World } from "./world.ts";

export interface Result {
  readonly world: World;
  readonly simulatedMs: number;
  readonly coverage: Coverage;
  readonly steps: number;
}

/**
 * @param change Makes the drawn world another one.
 * @param begin  Before anything happens in it.
 */
export async function simulate(
  seed: bigint,
  size: Size = "default",
  change: (spec: WorldSpec) => WorldSpec = (spec) => spec,
  begin: (world: World) => void = () => undefined,
): Promise<Result> {
  const lots = new Lots(seed);
  const spec = change(drawWorld(lots, size));
  const world = new World(spec, lots);
  const { coverage, atEnd } = watchAll(world);
  const release = drawnReleases.find((one) => one === spec.settings.release);
  if (release !== undefined) world.fault(`release: ${release}`);
  begin(world);
  let steps = 0;
  world.observers.push({ command: () => void steps++ });
  world.startAll();
  makeTroubles(world, lots.of("troubles"));
  await world.run(spec.safetyMs);
  if (world.violation === undefined) {
    const why = await settle(world);
    if (why.length > 0) world.violate("settled", why.join("; "));
  }
  if (world.violation === undefined) await atEnd();
  return { world, simulatedMs: world.clock.now() - spec.begunAt, coverage, steps };
}
