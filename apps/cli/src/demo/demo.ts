/**
 * demo: a real training job on a real one-machine Slurm fails, and comes back; told live in the terminal. With `--simulated` the Slurm
 * is simulated, and every line says so.
 *
 * Gives   the story on the terminal (stderr with `--json`); with `--json` one JSON object as the last line of stdout. Exit code 0
 *         only if the job recovered and every stage was seen; for `--fault slow` if the loss was told and the job left alone.
 * Keeps   everything it starts is in one private folder, and ended again, also on Ctrl-C.
 * Bound   `--limit` seconds after the job was submitted; with `--open` it then stays until Enter.
 */
import { rmSync } from "node:fs";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import type { Fault } from "@reprise/slurm-lab/training-files.ts";
import { LabRefusal } from "@reprise/slurm-lab/lab-options.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";
import { openCluster, type Scheduler } from "./cluster.ts";
import { detected, faultShare, stepsMin } from "./detection.ts";
import type { DemoResult } from "./result.ts";
import { runStory } from "./run-story.ts";
import { createTeller } from "./teller.ts";
import { untilEnter } from "./until-enter.ts";
import { makeWakingLab } from "./waking-lab.ts";

/** As the command line gives them. */
export interface DemoOptions {
  readonly json?: boolean;
  readonly open?: boolean;
  readonly simulated?: boolean;
  readonly fault: string;
  readonly limit: string;
  readonly steps: string;
}

export interface DemoFlags {
  readonly json: boolean;
  /** It stays after the story, until a person has looked around in the browser. */
  readonly isOpen: boolean;
  readonly scheduler: Scheduler;
  readonly fault: Fault;
  readonly limitMs: number;
  readonly steps: number;
}

export async function demo(options: DemoOptions, console: Console): Promise<number> {
  const asked = readOptions(options);
  const tell = createTeller(
    asked.json ? console.err : console.out,
    asked.json ? console.errTerminal : console.outTerminal,
    asked.scheduler,
  );
  const life = processLife(createLog({ name: "demo", level: "warn", isPretty: true }));
  const { signal, clock } = life;
  const place = makeWakingLab();
  try {
    const { env } = console;
    let isTold = false;
    const atEnd = async (result: DemoResult) => {
      if (signal.aborted) return;
      isTold = true;
      if (asked.json) console.out(`${JSON.stringify(result)}\n`);
      tell.result(result);
      if (!asked.isOpen) return;
      tell.whole("Everything still runs. Look around in the browser; Enter ends it.");
      await untilEnter(process.stdin, signal);
    };
    const cluster = await openCluster(asked.scheduler, place, { clock, signal, progress: tell.note, env });
    try {
      const result = await runStory(cluster, asked, { clock, signal, tell, env, atEnd });
      if (!isTold) return 130;
      return result.recovered ? 0 : 1;
    } finally {
      tell.note("cleaning up: ending Slurm and its jobs (a few seconds)");
      await cluster.stop();
    }
  } catch (error) {
    if (signal.aborted) return 130;
    if (error instanceof LabRefusal) throw new Failure(error.message);
    throw error;
  } finally {
    rmSync(place.dir, { recursive: true, force: true }); // Reprise's data and log were in it too.
  }
}

function readOptions(given: DemoOptions): DemoFlags {
  const kind = detected.find((k) => k === given.fault);
  if (kind === undefined)
    throw new Failure(
      `--fault: ${JSON.stringify(given.fault)} is not a fault of the demo; expected one of ${detected.join(", ")}`,
      {
        exitCode: 2,
      },
    );
  const steps = wholeNumber("steps", given.steps, stepsMin[kind], 100_000);
  return {
    json: given.json === true,
    isOpen: given.open === true,
    scheduler: given.simulated === true ? "simulated" : "slurm",
    fault: { attempt: 0, node: 1, step: Math.round(steps * faultShare[kind]), kind },
    limitMs: wholeNumber("limit", given.limit, 10, 3_600) * 1000,
    steps,
  };
}

function wholeNumber(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Failure(`--${flag}: ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`, {
    exitCode: 2,
  });
}
