/** crashing-run: passes of a controller that dies at a fuse's boundary and is started anew, for tests. */
import { type Fuse, unlessBlown } from "@reprise/runtime/testing/fuse.ts";
import { pass } from "../sac.ts";
import type { oneJobWorld } from "./one-job-world.ts";

/** Two seconds a pass. */
export async function crashingRun(world: ReturnType<typeof oneJobWorld>, fuse: Fuse, passes: number): Promise<void> {
  let sac = start();
  for (let i = 0; i < passes; i++) {
    await pass(sac.parts, sac.state).catch(unlessBlown);
    if (fuse.blown && !sac.isSecond) sac = start(); // A new process: only the disk is left.
    world.advance(2_000);
  }
  function start() {
    for (;;) {
      try {
        return { ...world.start(fuse.guard), isSecond: fuse.blown };
      } catch (error) {
        unlessBlown(error);
      }
    }
  }
}
