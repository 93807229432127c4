/**
 * Goal    the program trains for real, fails as its plan says, and comes back to exactly where it would have been.
 * Method  four workers on two nodes that are folders of this test only, started without Slurm; small model, few steps.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadNewest } from "./checkpoint.ts";
import { parseStepLines } from "./lines.ts";
import type { Fault } from "./settings.ts";
import { finalLoss, newestCheckpoint, readFaults, readResult } from "../src/training-files.ts";

const worker = fileURLToPath(new URL("worker.ts", import.meta.url));
const perNode = 2;
/** A bound for a machine that does other things too; a test takes about a second. */
const minute = 60_000;

interface Attempt {
  readonly workers: readonly ChildProcess[];
  /** Everything printed so far, stdout and stderr in the order in which it came. */
  text(): string;
  /** Resolves at the first moment at which the text holds it. */
  says(words: string): Promise<void>;
  /** Exit code or signal of each rank. */
  readonly ended: Promise<readonly (number | string | null)[]>;
}

function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "train-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function start(
  dir: string,
  attempt: number,
  faults: readonly Fault[] = [],
  more: Record<string, string> = {},
): Attempt {
  let text = "";
  const listeners = new Set<() => void>();
  const workers = Array.from({ length: 2 * perNode }, (_, rank) => {
    const node = Math.floor(rank / perNode);
    const env = {
      TRAIN_DIR: dir,
      TRAIN_STEPS: "24",
      TRAIN_CHECKPOINT_EVERY: "6",
      TRAIN_GLOBAL_BATCH: "256",
      TRAIN_HIDDEN: "24",
      TRAIN_NICE: "0",
      TRAIN_FAULTS: JSON.stringify(faults),
      TRAIN_RUN_ID: `run-${attempt}`,
      TRAIN_ATTEMPT: String(attempt),
      TRAIN_WORLD_SIZE: String(2 * perNode),
      TRAIN_RANK: String(rank),
      TRAIN_LOCAL_RANK: String(rank % perNode),
      TRAIN_NODE: `n${node + 1}`,
      TRAIN_NODE_INDEX: String(node),
      ...more,
    };
    const child = spawn(process.execPath, [worker], { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
        listeners.forEach((listener) => listener());
      });
    }
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  });
  return {
    workers,
    text: () => text,
    says: (words) =>
      new Promise((resolve) => {
        const look = () => text.includes(words) && (listeners.delete(look), resolve());
        listeners.add(look);
        look();
      }),
    ended: Promise.all(
      workers.map(
        (child) =>
          new Promise<number | string | null>((resolve) =>
            child.on("close", (code, signal) => resolve(signal ?? code)),
          ),
      ),
    ),
  };
}

const allWell = [0, 0, 0, 0];

test(
  "the loss falls, every step has its line, and the end is marked",
  async () => {
    const dir = newFolder();
    const run = start(dir, 0);
    expect(await run.ended).toEqual(allWell);
    const steps = parseStepLines(run.text());
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
    expect(steps.at(-1)?.loss).toBeLessThan(0.6 * (steps[0]?.loss ?? 0));
    expect(run.text()).toMatch(/\[after training is done\] datetime: .*\ntraining finished\n/);
    expect(newestCheckpoint(dir)?.step).toBe(24);
  },
  minute,
);

test(
  "a run that failed twice ends with the loss of one that never failed",
  async () => {
    const [whole, broken] = [newFolder(), newFolder()];
    const faults: Fault[] = [
      { attempt: 0, node: 1, step: 10, kind: "exit" },
      { attempt: 1, node: "n1", step: 17, kind: "signal" },
    ];
    expect(await start(whole, 0).ended).toEqual(allWell);
    expect(await start(broken, 0, faults).ended).toEqual([1, 1, 1, 1]);
    expect(newestCheckpoint(broken)?.step).toBe(6);
    expect(await start(broken, 1, faults).ended).toEqual(["SIGSEGV", 1, 1, 1]);
    const last = start(broken, 2, faults);
    expect(await last.ended).toEqual(allWell);

    expect(last.text()).toContain(
      `  successfully loaded checkpoint from ${broken}/checkpoints [ t 0, p 0 ] at iteration 12\n`,
    );
    expect(readResult(broken)).toMatchObject({ attempt: 2, resumedFromStep: 12 });
    expect(Math.abs((finalLoss(broken) ?? 0) - (finalLoss(whole) ?? 1))).toBeLessThan(1e-6);
    expect(
      readFaults(broken).map(({ attempt, rank, node, step, kind }) => ({ attempt, rank, node, step, kind })),
    ).toEqual([
      { attempt: 0, rank: 2, node: "n2", step: 10, kind: "exit" },
      { attempt: 1, rank: 0, node: "n1", step: 17, kind: "signal" },
    ]);
  },
  minute,
);

test(
  "an ECC error is printed by a rank that stays alive, the others wait, and SIGTERM ends all",
  async () => {
    const dir = newFolder();
    const run = start(dir, 0, [{ attempt: 0, node: 1, step: 8, kind: "ecc" }]);
    await run.says("[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n");
    await run.says("iteration        7/");
    expect(run.workers.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null, null, null]);
    // The stuck rank first: while it lives nobody else can tell that anything is wrong.
    run.workers.toReversed().forEach((child) => child.kill("SIGTERM"));
    const ends = await run.ended;
    expect(ends[2]).toBe("SIGTERM");
    expect(parseStepLines(run.text()).at(-1)?.step).toBe(7);
  },
  minute,
);

test(
  "a hang prints nothing at all",
  async () => {
    const dir = newFolder();
    const run = start(dir, 0, [{ attempt: 0, node: "n2", step: 9, kind: "hang" }]);
    await run.says("iteration        8/");
    run.workers.forEach((child) => child.kill("SIGSTOP")); // So that none sees another one die.
    run.workers.forEach((child) => child.kill("SIGKILL"));
    await run.ended;
    expect(run.text()).not.toContain("Traceback");
    expect(parseStepLines(run.text()).at(-1)?.step).toBe(8);
  },
  minute,
);

test(
  "after a NaN the step lines go on, and no ruined weights are saved",
  async () => {
    const dir = newFolder();
    const run = start(dir, 0, [{ attempt: 0, node: 0, step: 10, kind: "nan" }]);
    expect(await run.ended).toEqual(allWell);
    const steps = parseStepLines(run.text());
    expect(steps.length).toBe(24);
    expect(steps.slice(9).every(({ loss }) => Number.isNaN(loss))).toBe(true);
    expect(run.text()).toContain("grad norm: nan");
    expect(newestCheckpoint(dir)?.step).toBe(6);
    expect(finalLoss(dir)).toBeNaN();
  },
  minute,
);

test(
  "a slow rank takes longer and changes nothing else",
  async () => {
    const [even, slow] = [newFolder(), newFolder()];
    await start(even, 0).ended;
    const run = start(slow, 0, [{ attempt: 0, node: 1, step: 5, kind: "slow" }], { TRAIN_STEP_MS: "20" });
    expect(await run.ended).toEqual(allWell);
    const steps = parseStepLines(run.text()).map(({ elapsedMs }) => elapsedMs);
    expect(Math.min(...steps)).toBeGreaterThan(19); // A timer may come a millisecond early.
    // Of the last rank, which may begin a step later than the slow one does.
    expect(steps.slice(4).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(20 * 40);
    expect(finalLoss(slow)).toBe(finalLoss(even));
    expect(readFaults(slow).length).toBe(1);
  },
  minute,
);

test(
  "a cut or changed checkpoint is passed over for the one before it",
  async () => {
    const dir = newFolder();
    await start(dir, 0).ended;
    const path = (step: number) => `${dir}/checkpoints/iter_${String(step).padStart(7, "0")}.ckpt`;
    truncateSync(path(24), 1000);
    const bytes = readFileSync(path(18));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(path(18), bytes);
    expect(loadNewest(dir)?.step).toBe(12);
  },
  minute,
);
