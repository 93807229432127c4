/**
 * model: a two-layer perceptron that learns to classify points as a hidden teacher does. Small, but trained for real.
 *
 * Gives   the gradient and the summed loss of a slice of one step's samples; the step of the optimiser; the loss on a fixed held-out set.
 * Pure    no clock, no chance: sample number i of seed s is always the same, so a run that resumed sees what it would have seen.
 * Keeps   float64 and one order of additions: the same ranks give the same bits.
 */
export const inputs = 32;
export const classes = 10;

export interface Model {
  readonly hidden: number;
  /** inputs × hidden, hidden, hidden × classes, classes: one after the other. */
  readonly weights: Float64Array<ArrayBuffer>;
  /** Momentum, of the same shape. */
  readonly velocity: Float64Array<ArrayBuffer>;
}

export const weightCount = (hidden: number) => (inputs + 1) * hidden + (hidden + 1) * classes;

export function initialModel(hidden: number, seed: number): Model {
  return { hidden, weights: initialWeights(hidden, seed * 2 + 1), velocity: new Float64Array(weightCount(hidden)) };
}

export interface Slice {
  /** Of the step's sample numbers: first included, end excluded. */
  readonly first: number;
  readonly end: number;
}

/** The samples of step n are numbers (n - 1) × globalBatch and on; each rank takes its share of them. */
export function sliceOf(step: number, rank: number, worldSize: number, globalBatch: number): Slice {
  const start = (step - 1) * globalBatch;
  return {
    first: start + Math.floor((rank * globalBatch) / worldSize),
    end: start + Math.floor(((rank + 1) * globalBatch) / worldSize),
  };
}

/** @returns The sums over the slice: the gradient in the shape of the weights, and the loss as the last element. */
export function gradientOf(model: Model, task: Task, slice: Slice): Float64Array<ArrayBuffer> {
  const { hidden, weights } = model;
  const sums = new Float64Array(weights.length + 1);
  const x = new Float64Array(inputs);
  const h = new Float64Array(hidden);
  const p = new Float64Array(classes);
  const dh = new Float64Array(hidden);
  const [b1, w2, b2] = offsets(hidden);
  for (let sample = slice.first; sample < slice.end; sample++) {
    const label = task.sample(sample, x);
    sums[weights.length]! += forward(hidden, weights, x, h, p, label);
    p[label]! -= 1; // Now the derivative by the outputs.
    dh.fill(0);
    for (let j = 0; j < hidden; j++) {
      const row = w2 + j * classes;
      let sum = 0;
      for (let k = 0; k < classes; k++) {
        sums[row + k]! += h[j]! * p[k]!;
        sum += weights[row + k]! * p[k]!;
      }
      dh[j] = sum * (1 - h[j]! * h[j]!);
      sums[b1 + j]! += dh[j]!;
    }
    for (let k = 0; k < classes; k++) sums[b2 + k]! += p[k]!;
    for (let i = 0; i < inputs; i++) {
      const row = i * hidden;
      for (let j = 0; j < hidden; j++) sums[row + j]! += x[i]! * dh[j]!;
    }
  }
  return sums;
}

/** One step of gradient descent with momentum, in place. @returns The norm of the mean gradient. */
export function descend(model: Model, sums: Float64Array, samples: number, rate: number): number {
  const { weights, velocity } = model;
  let square = 0;
  for (let i = 0; i < weights.length; i++) {
    const mean = sums[i]! / samples;
    square += mean * mean;
    velocity[i] = 0.9 * velocity[i]! - rate * mean;
    weights[i]! += velocity[i]!;
  }
  return Math.sqrt(square);
}

/** The mean loss over samples that no step ever sees. */
export function heldOutLoss({ hidden, weights }: Model, task: Task): number {
  const x = new Float64Array(inputs);
  const h = new Float64Array(hidden);
  const p = new Float64Array(classes);
  let sum = 0;
  for (let i = 1; i <= heldOutSamples; i++) sum += forward(hidden, weights, x, h, p, task.sample(-i, x));
  return sum / heldOutSamples;
}

const heldOutSamples = 2048;

/** Where points come from and what they are called. */
export interface Task {
  /** Writes sample number n into `x` and gives its label. */
  sample(n: number, x: Float64Array): number;
}

export function taskOf(seed: number): Task {
  const teacherHidden = 16;
  const teacher = initialWeights(teacherHidden, seed * 2 + 2, 3);
  const h = new Float64Array(teacherHidden);
  const p = new Float64Array(classes);
  return {
    sample(n, x) {
      const next = numbersFrom(mix(seed ^ 0x5bd1e995) ^ mix(n | 0));
      for (let i = 0; i < inputs; i++) x[i] = 2 * next() - 1;
      forward(teacherHidden, teacher, x, h, p, 0);
      return p.indexOf(Math.max(...p));
    },
  };
}

/** Fills `h` and `p` (the softmax of the outputs). @returns The cross-entropy of `label`. */
function forward(
  hidden: number,
  weights: Float64Array,
  x: Float64Array,
  h: Float64Array,
  p: Float64Array,
  label: number,
): number {
  const [b1, w2, b2] = offsets(hidden);
  for (let j = 0; j < hidden; j++) h[j] = weights[b1 + j]!;
  for (let i = 0; i < inputs; i++) {
    const row = i * hidden;
    for (let j = 0; j < hidden; j++) h[j]! += x[i]! * weights[row + j]!;
  }
  for (let k = 0; k < classes; k++) p[k] = weights[b2 + k]!;
  for (let j = 0; j < hidden; j++) {
    h[j] = Math.tanh(h[j]!);
    for (let k = 0; k < classes; k++) p[k]! += h[j]! * weights[w2 + j * classes + k]!;
  }
  let top = p[0]!;
  for (let k = 1; k < classes; k++) if (p[k]! > top) top = p[k]!;
  let sum = 0;
  for (let k = 0; k < classes; k++) sum += p[k] = Math.exp(p[k]! - top);
  for (let k = 0; k < classes; k++) p[k]! /= sum;
  return -Math.log(Math.max(p[label]!, 1e-300));
}

const offsets = (hidden: number): [b1: number, w2: number, b2: number] => {
  const b1 = inputs * hidden;
  const w2 = b1 + hidden;
  return [b1, w2, w2 + hidden * classes];
};

function initialWeights(hidden: number, seed: number, scale = 1): Float64Array<ArrayBuffer> {
  const next = numbersFrom(mix(seed));
  const spread = (fanIn: number) => (scale * Math.sqrt(3)) / Math.sqrt(fanIn);
  const [b1, w2, b2] = offsets(hidden);
  return new Float64Array(weightCount(hidden)).map((_, i) => {
    const number = 2 * next() - 1;
    if (i < b1) return number * spread(inputs);
    return i >= w2 && i < b2 ? number * spread(hidden) : 0;
  });
}

/** Numbers in [0, 1), from a 32-bit counter: an increment by the golden ratio, then two rounds of multiply and shift. */
function numbersFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) / 2 ** 32;
  };
}

function mix(value: number): number {
  let v = value | 0;
  v = Math.imul(v ^ (v >>> 16), 0x21f0aaad);
  v = Math.imul(v ^ (v >>> 15), 0x735a2d97);
  return (v ^ (v >>> 15)) >>> 0;
}
