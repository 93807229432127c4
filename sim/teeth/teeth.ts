/**
 * teeth: bugs to plant in the product, one at a time, to see whether the worlds find them.
 *
 * Keeps   each replaces exact text of one file (or of some); text that is not there any more is an error, so that no tooth rots.
 *         Each compiles, and none is in the product.
 */
import { decideTeeth } from "./decide-teeth.ts";
import { planTeeth } from "./plan-teeth.ts";
import { programTeeth } from "./program-teeth.ts";

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
}

export const teeth: readonly Tooth[] = [...decideTeeth, ...planTeeth, ...programTeeth];
