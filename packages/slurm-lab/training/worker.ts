/**
 * worker: one rank of a data-parallel training. `srun` starts one for each GPU.
 *
 * In the loop   load the newest checkpoint → (gradient of my slice → sum over ranks → descend → print → save)* → result
 * Takes         its settings from the environment (settings.ts).
 * Writes        checkpoints and `result.json` in the training folder (rank 0); Megatron's lines on stdout (step lines: the last rank).
 * Keeps         same seed, steps and ranks: the same final loss, however often it failed and resumed.
 * Fails         exit 1 with a traceback when a peer is gone; at once on a signal (there is no handler).
 */
import { mkdirSync } from "node:fs";
import { setPriority } from "node:os";
import { checkpointsIn, loadNewest, saveCheckpoint, writeDurably } from "./checkpoint.ts";
import { commit } from "./faults.ts";
import { joinGroup, PeerLost, type Group } from "./group.ts";
import { lines, print, stepLine, traceback } from "./lines.ts";
import { descend, gradientOf, heldOutLoss, initialModel, sliceOf, taskOf, weightCount, type Model } from "./model.ts";
import { faultNow, parseSettings, type Settings } from "./settings.ts";

/** `result.json`, written once, when the training is done. */
export interface TrainingResult {
  /** Over samples that were never trained on; null when the weights are not finite. */
  readonly finalLoss: number | null;
  readonly steps: number;
  readonly worldSize: number;
  readonly attempt: number;
  /** 0: this attempt started from random weights. */
  readonly resumedFromStep: number;
  readonly finishedAt: string;
}

const learningRate = 0.5;
/** A slow rank takes so many times as long for its gradient. */
const slowFactor = 3;

async function train(settings: Settings): Promise<void> {
  const { dir, rank, worldSize, steps, hidden, seed, attempt } = settings;
  const say = rank === 0 ? (...text: string[]) => print(1, ...text) : () => {};
  say(lines.world(worldSize), lines.initializing);
  mkdirSync(dir, { recursive: true });
  const group = await joinGroup(settings, () => load(settings));
  const [resumedFromStep = 0] = group.start;
  const count = weightCount(hidden);
  const model: Model = { hidden, weights: group.start.slice(1, 1 + count), velocity: group.start.slice(1 + count) };
  say(lines.training);

  for (let step = resumedFromStep + 1; step <= steps; step++) {
    await trainStep(settings, group, model, step);
    if (rank === 0 && (step % settings.checkpointEvery === 0 || step === steps)) save(settings, step, model);
  }

  if (rank === 0) {
    const loss = heldOutLoss(model, taskOf(seed));
    const finishedAt = new Date();
    const result: TrainingResult = {
      finalLoss: Number.isFinite(loss) ? loss : null,
      steps,
      worldSize,
      attempt,
      resumedFromStep,
      finishedAt: finishedAt.toISOString(),
    };
    writeDurably(`${dir}/result.json`, Buffer.from(`${JSON.stringify(result)}\n`));
    say(lines.done(finishedAt), lines.finished);
  }
  group.leave();
}

async function trainStep(settings: Settings, group: Group, model: Model, step: number): Promise<void> {
  const { rank, worldSize, globalBatch, steps, stepMs } = settings;
  const startedAt = performance.now();
  const fault = faultNow(settings, step);
  if (fault !== undefined && !(fault === "slow" && isSlow)) await commit(fault, step, settings);
  isSlow ||= fault === "slow";

  const slice = sliceOf(step, rank, worldSize, globalBatch);
  const task = taskOf(settings.seed);
  const own = gradientOf(model, task, slice);
  const usualMs = Math.max(stepMs, performance.now() - startedAt);
  const leftMs = startedAt + usualMs * (isSlow ? slowFactor : 1) - performance.now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  if (fault === "nan") own.fill(Number.NaN);
  const sums = await group.sum(own);
  const gradientNorm = descend(model, sums, globalBatch, learningRate);

  if (rank !== worldSize - 1) return;
  const loss = (sums.at(-1) ?? Number.NaN) / globalBatch;
  const elapsedMs = performance.now() - startedAt;
  print(
    1,
    stepLine({
      step,
      steps,
      consumedSamples: step * globalBatch,
      elapsedMs,
      loss,
      rate: learningRate,
      globalBatch,
      gradientNorm,
    }),
  );
}
/** Of this rank, from its `slow` fault on. */
let isSlow = false;

/** What all ranks start from: [steps done, weights, velocity]. */
function load({ dir, hidden, seed }: Settings): Float64Array<ArrayBuffer> {
  const folder = checkpointsIn(dir);
  const found = loadNewest(dir);
  if (found !== undefined && (found.model.hidden !== hidden || found.seed !== seed)) {
    throw new Error(
      `${found.path}: its hidden size ${found.model.hidden} and seed ${found.seed} are not those of this training (${hidden}, ${seed})`,
    );
  }
  if (found === undefined) print(1, ...lines.noCheckpoint(folder));
  else print(1, lines.loading(folder, found.step), lines.loaded(folder, found.step));
  const { weights, velocity } = found?.model ?? initialModel(hidden, seed);
  return Float64Array.of(found?.step ?? 0, ...weights, ...velocity);
}

function save({ dir, seed }: Settings, step: number, model: Model): void {
  if (!model.weights.every(Number.isFinite)) return print(1, lines.notSaved(step));
  const folder = checkpointsIn(dir);
  print(1, lines.saving(folder, step));
  saveCheckpoint(dir, step, seed, model);
  print(1, lines.saved(folder, step));
}

const settings = parseSettings(process.env);
setPriority(settings.niceness);
try {
  await train(settings);
} catch (error) {
  const words =
    error instanceof PeerLost
      ? `RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [${error.peer}]: ${error.message}`
      : `RuntimeError: ${(error as Error).message}`;
  print(2, ...traceback(settings.rank, "/workspace/train.py", 401, "dist.all_reduce(gradients)", words));
  process.exit(1);
}
