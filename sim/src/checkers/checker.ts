/**
 * checker: one invariant, watched over a whole world.
 *
 * Keeps   it looks at Slurm's own history, at the journal on the disk, at what the store has committed, and at what was asked of Slurm;
 *         never inside the code under test.
 */
import type { Observer } from "../observer.ts";
import type { World } from "../world.ts";
import type { Chronicle } from "./chronicle.ts";

export interface Checker {
  /** The invariant, as a name. */
  readonly name: string;
  watch(judge: Judge): Observer;
  /** What only the end shows. */
  atEnd?(judge: Judge): Promise<void> | void;
}

export interface Judge {
  readonly world: World;
  readonly chronicle: Chronicle;
  /** One judgement: it counts for the coverage; a false one is a violation. */
  holds(is: boolean, otherwise: () => string): void;
}
