/**
 * not-finite: numbers that stay broken while the program steps on.
 *
 * In the loop   step lines that grew → **how many in a row were not finite** → numerics Signals
 * Gives         when the row has reached a length worth telling; from `lostAfterSteps` on the state is lost: it does not heal.
 * Keeps         a step that loss scaling skipped is none: with half precision the first dozen steps overflow and are meant to.
 * Pure          but for what it remembers of one attempt.
 */
import type { Line } from "../lines.ts";
import { keptLine } from "./drafts.ts";

const tellAt: ReadonlySet<number> = new Set([3, 10, 30, 100, 300, 1000]);
export const lostAfterSteps = 10;

const broken =
  /\b(?:grad[ _-]?norm|gnorm|(?:[\w/]+[ _-])?loss|ppl|perplexity)["']?\s*(?:[:=]|is)?\s*["']?(?:nan|[-+]?inf)(?![a-z])/i;
/** Far cheaper: few lines have such a word at all. */
const word = /(?:nan|inf)(?![a-z])/i;
const skipped = /skipped iterations:\s*[1-9]|overflow|skipping/i;

export interface Row {
  /** Steps in a row, up to this one. */
  readonly steps: number;
  /** Where it began. */
  readonly line: Line;
  readonly text: string;
}

export class NotFinite {
  private row: Row | undefined;

  /** @returns the row when it is to be told. */
  stepped(line: Line, text: string): Row | undefined {
    if (this.row === undefined && !word.test(text)) return undefined;
    if (skipped.test(text)) return undefined;
    if (!broken.test(text)) {
      this.row = undefined;
      return undefined;
    }
    const first = this.row ?? { steps: 0, line: keptLine(line), text };
    this.row = { ...first, steps: first.steps + 1 };
    return tellAt.has(this.row.steps) ? this.row : undefined;
  }

  /** The last step that was not skipped belongs to a row. */
  get isBroken(): boolean {
    return this.row !== undefined;
  }

  restart(): void {
    this.row = undefined;
  }
}
