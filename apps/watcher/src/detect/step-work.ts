/**
 * step-work: what one step carries, as far as a step line says so.
 *
 * Takes   ` … | consumed samples: 23424 | global batch size:   384 | …`
 * Gives   a text that is the same while steps are comparable: global batch and sequence length; empty when nothing is said.
 * Pure    but for the count of samples that it remembers.
 * Source  Megatron-LM (`--rampup-batch-size`), torchtitan, NeMo; the batch may also be seen only in the samples consumed.
 */
const batch = /\b(?:global|total)[ _-]?(?:train[ _-]?)?batch[ _-]?size["']?\s*[:=]\s*["']?(\d+)/i;
const samples = /\bconsumed[ _-]samples["']?\s*[:=]\s*["']?(\d+)/i;
const length = /\b(?:seq|sequence|context)[ _-]?len(?:gth)?["']?\s*[:=]\s*["']?(\d+)/i;

export interface StepWorkState {
  samples?: number;
  known: string;
}

export class StepWork {
  readonly state: StepWorkState;

  constructor(state: StepWorkState = { known: "" }) {
    this.state = state;
  }

  /** @param steps Since the line before; at least one. */
  of(text: string, steps: number): string {
    const size = batch.exec(text)?.[1] ?? this.consumed(text, steps);
    this.state.known = `${size ?? this.state.known.split("/")[0] ?? ""}/${length.exec(text)?.[1] ?? ""}`;
    return this.state.known;
  }

  private consumed(text: string, steps: number): string | undefined {
    const count = samples.exec(text)?.[1];
    if (count === undefined) return undefined;
    const before = this.state.samples;
    this.state.samples = Number(count);
    return before === undefined ? undefined : String(Math.round((Number(count) - before) / steps));
  }
}
