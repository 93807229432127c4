/**
 * teeth: bugs to plant in the product, one at a time, to see whether the worlds find them.
 *
 * Keeps   each replaces exact text of one file (or of some); text that is not there any more is an error, so that no tooth rots.
 *         Each compiles, and none is in the product.
 */
import { decideTeeth } from "./decide-teeth.ts";
import { holdTeeth } from "./hold-teeth.ts";
import { planTeeth } from "./plan-teeth.ts";
import { sacTeeth } from "./sac-teeth.ts";
import { serverTeeth } from "./server-teeth.ts";
import type { Tooth } from "./tooth.ts";

export const teeth: readonly Tooth[] = [...decideTeeth, ...planTeeth, ...holdTeeth, ...sacTeeth, ...serverTeeth];
