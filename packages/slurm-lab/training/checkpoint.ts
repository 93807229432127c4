/**
 * checkpoint: the state of the training, on storage that survives the job.
 *
 * Takes   the training folder; checkpoints are `checkpoints/iter_0000060.ckpt` in it.
 * Writes  a file beside the final name, fsync, rename, fsync of the folder: a checkpoint is there whole or not at all.
 * Keeps   the newest `keptMax`; older ones go after the new one is safe.
 * Fails   a file that is cut or changed is not valid and is passed over: the one before it counts.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { weightCount, type Model } from "./model.ts";

export interface Checkpoint {
  readonly path: string;
  /** Steps that are done. */
  readonly step: number;
}

const keptMax = 5;
const nameOf = (step: number) => `iter_${String(step).padStart(7, "0")}.ckpt`;
export const checkpointsIn = (dir: string) => `${dir}/checkpoints`;

/** First line of a file; the weights and then the velocity follow it as little-endian float64. */
interface Header {
  readonly step: number;
  readonly seed: number;
  readonly hidden: number;
  readonly sha256: string;
}

export function saveCheckpoint(dir: string, step: number, seed: number, model: Model): Checkpoint {
  const folder = checkpointsIn(dir);
  mkdirSync(folder, { recursive: true });
  const body = Buffer.concat([bytesOf(model.weights), bytesOf(model.velocity)]);
  const header: Header = { step, seed, hidden: model.hidden, sha256: createHash("sha256").update(body).digest("hex") };
  const path = `${folder}/${nameOf(step)}`;
  writeDurably(path, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
  for (const old of stepsIn(folder).slice(keptMax)) rmSync(`${folder}/${nameOf(old)}`, { force: true });
  return { path, step };
}

/** @returns The newest that is whole, with its model; undefined when there is none. */
export function loadNewest(dir: string): (Checkpoint & { readonly seed: number; readonly model: Model }) | undefined {
  const folder = checkpointsIn(dir);
  for (const step of stepsIn(folder)) {
    const path = `${folder}/${nameOf(step)}`;
    const read = readCheckpoint(path);
    if (read !== undefined) return { path, ...read };
  }
  return undefined;
}

/** Write beside, fsync, rename, fsync the folder. */
export function writeDurably(path: string, bytes: Uint8Array): void {
  const beside = `${path}.${process.pid}.tmp`;
  const file = openSync(beside, "w");
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  fsyncSync(file);
  closeSync(file);
  renameSync(beside, path);
  const folder = openSync(path.slice(0, path.lastIndexOf("/")), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function readCheckpoint(path: string): { step: number; seed: number; model: Model } | undefined {
  try {
    const bytes = readFileSync(path);
    const lineEnd = bytes.indexOf(0x0a);
    const header = JSON.parse(bytes.subarray(0, lineEnd).toString("utf8")) as Header;
    const body = bytes.subarray(lineEnd + 1);
    const count = weightCount(header.hidden);
    if (body.length !== count * 16 || createHash("sha256").update(body).digest("hex") !== header.sha256)
      return undefined;
    const numbers = new Float64Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.length));
    return {
      step: header.step,
      seed: header.seed,
      model: { hidden: header.hidden, weights: numbers.slice(0, count), velocity: numbers.slice(count) },
    };
  } catch {
    return undefined; // Not whole, or gone since the listing.
  }
}

/** Newest first. */
function stepsIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  const steps = readdirSync(folder).flatMap((name) => /^iter_(\d+)\.ckpt$/.exec(name)?.[1] ?? []);
  return steps.map(Number).sort((a, b) => b - a);
}

const bytesOf = (numbers: Float64Array) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
