/**
 * lines: what the training program prints, in the forms of Megatron-LM and PyTorch.
 *
 * Keeps   a reader of real logs reads these; nothing in them is only ours. Step lines and their reader stand side by side.
 * Source  Megatron-LM's training log and checkpointing messages; Python tracebacks as torchrun's ranks print them.
 */
import { writeSync } from "node:fs";

export interface StepLine {
  readonly step: number;
  readonly steps: number;
  readonly consumedSamples: number;
  readonly elapsedMs: number;
  /** NaN when the training is ruined. */
  readonly loss: number;
}

export interface StepReport extends StepLine {
  readonly rate: number;
  readonly globalBatch: number;
  readonly gradientNorm: number;
}

export function stepLine(r: StepReport): string {
  const nan = Number.isFinite(r.loss) ? 0 : 1;
  return [
    ` iteration ${padded(r.step, 8)}/${padded(r.steps, 8)}`,
    `consumed samples: ${padded(r.consumedSamples, 12)}`,
    `elapsed time per iteration (ms): ${r.elapsedMs.toFixed(1)}`,
    `learning rate: ${exponential(r.rate)}`,
    `global batch size: ${padded(r.globalBatch, 5)}`,
    `lm loss: ${exponential(r.loss)}`,
    "loss scale: 1.0",
    `grad norm: ${nan === 1 ? "nan" : r.gradientNorm.toFixed(3)}`,
    "number of skipped iterations:   0",
    `number of nan iterations: ${padded(nan, 3)} |`,
  ].join(" | ");
}

/** The step lines of a log, in their order; every other line is left out. */
export function parseStepLines(text: string): StepLine[] {
  const form =
    /^ iteration +(\d+)\/ *(\d+) \| consumed samples: +(\d+) \| elapsed time per iteration \(ms\): ([\d.]+) \|.*? lm loss: (\S+) \|/gm;
  return [...text.matchAll(form)].map(([, step, steps, samples, elapsed, loss]) => ({
    step: Number(step),
    steps: Number(steps),
    consumedSamples: Number(samples),
    elapsedMs: Number(elapsed),
    loss: Number(loss),
  }));
}

export const lines = {
  world: (size: number) =>
    `using world size: ${size}, data-parallel size: ${size}, context-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: 1`,
  initializing: "> initializing torch distributed ...",
  noCheckpoint: (folder: string) => [
    `WARNING: could not find the metadata file ${folder}/latest_checkpointed_iteration.txt`,
    "    will not load any checkpoints and will start from random",
  ],
  loading: (folder: string, step: number) => ` loading checkpoint from ${folder} at iteration ${step}`,
  loaded: (folder: string, step: number) =>
    `  successfully loaded checkpoint from ${folder} [ t 0, p 0 ] at iteration ${step}`,
  training: "training ...",
  saving: (folder: string, step: number) => `saving checkpoint at iteration ${padded(step, 7)} to ${folder}`,
  saved: (folder: string, step: number) =>
    `  successfully saved checkpoint from iteration ${padded(step, 7)} to ${folder} [ t 1/1, p 1/1 ]`,
  notSaved: (step: number) => `WARNING: no checkpoint at iteration ${step}: the weights are not finite`,
  done: (at: Date) => `[after training is done] datetime: ${at.toISOString().slice(0, 19).replace("T", " ")} `,
  finished: "training finished",
};

/** A Python traceback, prefixed as a rank's. */
export function traceback(rank: number, file: string, line: number, code: string, error: string): string[] {
  return [
    "Traceback (most recent call last):",
    `  File "${file}", line ${line}, in <module>`,
    `    ${code}`,
    error,
  ].map((text) => `[rank${rank}]: ${text}`);
}

/** Whole lines in one write, so that the lines of several ranks do not mix. Returns when the pipe has them. */
export function print(to: 1 | 2, ...text: readonly string[]): void {
  const bytes = Buffer.from(`${text.join("\n")}\n`);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(to, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error; // A full pipe: its reader is slower than we are.
    }
  }
}

const padded = (value: number, width: number) => String(value).padStart(width);

/** As printf's %.6E: `1.234567E+00`, `NAN`. */
function exponential(value: number): string {
  if (!Number.isFinite(value)) return "NAN";
  const [mantissa = "", exponent = "0"] = value.toExponential(6).split("e");
  return `${mantissa}E${exponent.startsWith("-") ? "-" : "+"}${exponent.slice(1).padStart(2, "0")}`;
}
