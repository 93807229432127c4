/** tooth: what a planted bug is. */
import type { WorldSpec } from "../src/spec.ts";

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
  /** Only worlds that draw this can find it, by the checker that it is planted for; the others are passed over. Absent: any may. */
  readonly needs?: (spec: WorldSpec) => boolean;
}

/** Where somebody is told of a job that is down, he learns of many a bug before the checker that it is planted for. */
export const nobodyIsTold = ({ reprise }: WorldSpec): boolean => reprise.tells !== true;
