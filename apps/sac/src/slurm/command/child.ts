/**
 * child: the short-lived program that alone sends commands to Slurm.
 *
 * Takes   one JSON object on stdin: a `ChildRequest`.
 * Gives   one line of JSON on stdout: the Outcome.
 * Keeps   a command that was decided cannot be sent late by a SAC that was stopped in between: it lives for one read and one
 *         command, looks at its own clock between them, and has a limit for both.
 * Fails   rc 1 and a stack on stderr: a bug. `apply` reads that as `unknown`.
 */
import { text } from "node:stream/consumers";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Command, Fence } from "../slurm.ts";
import { send } from "./send.ts";
import { isKillSwitchOn, readFence } from "./fence-file.ts";
import { createRunner } from "./run.ts";

export interface ChildRequest {
  readonly command: Command;
  readonly fence: Fence;
  /** Where the fence file is. */
  readonly stateDir: string;
  /** What Slurm's commands shall see; their PATH too. */
  readonly env: Readonly<Record<string, string>>;
}

const { command, fence, stateDir, env } = JSON.parse(await text(process.stdin)) as ChildRequest;
const run = createRunner(systemClock);
const reads = { readFence: () => readFence(stateDir), isKillSwitchOn: () => isKillSwitchOn(stateDir) };
const outcome = await send({ run, clock: systemClock, env, ...reads }, command, fence);
process.stdout.write(`${JSON.stringify(outcome)}\n`);
