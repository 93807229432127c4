/**
 * target-version: whether a target is still what its watcher was told.
 *
 * Pure, total
 * Keeps   whoever changes what a target tells raises one of these numbers in the same transaction: of the attempt and of its earlier
 *         ones the facts (an earlier log's end among them), or how many lines of its nodes have come.
 */
export interface Versioned {
  /** Of `facts`. */
  readonly seq: number;
  /** How many earlier attempts of its incarnation there are, and the sum of the numbers of their facts: each only grows. */
  readonly earlier: number;
  readonly earlierSeq: number;
}

export const targetVersion = ({ seq, earlier, earlierSeq }: Versioned, nodeLinesNumber: number): string =>
  [seq, nodeLinesNumber, earlier, earlierSeq].join(".");
