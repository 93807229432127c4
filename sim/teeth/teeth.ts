/**
 * teeth: bugs to plant in the product, one at a time, to see whether the worlds find them.
 *
 * Keeps   each replaces exact text of one file (or of some); text that is not there any more is an error, so that no tooth rots.
 *         Each compiles, and none is in the product.
 */
import type { WorldSpec } from "../src/spec.ts";
import { decideTeeth } from "./decide-teeth.ts";
import { planTeeth } from "./plan-teeth.ts";
import { sacTeeth } from "./sac-teeth.ts";
import { serverTeeth } from "./server-teeth.ts";

export interface Edit {
  /** From the root of the tree. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

export interface Tooth {
  readonly name: string;
  /** What is broken, for a person. */
  readonly bug: string;
  readonly edits: readonly Edit[];
  /** May be too rare for so few worlds: then this transcript of `sim/scenarios` must tell another story. */
  readonly transcript?: string;
  /** Only worlds that draw this can find it; the others are passed over. Absent: any may. */
  readonly needs?: (spec: WorldSpec) => boolean;
}

export const teeth: readonly Tooth[] = [...decideTeeth, ...planTeeth, ...sacTeeth, ...serverTeeth];
