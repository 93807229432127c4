/**
 * child: the short-lived program that alone sends commands to Slurm.
 *
 * Takes   one JSON object on stdin: a `ChildRequest`.
 * Gives   a line of JSON on stdout for each order, as soon as it is known: `Told`.
 * Keeps   a command that was decided cannot be sent late by a SAC that was stopped in between: it lives for one read and the
 *         commands that the read authorises, looks at its own clock between them, and has a limit for both.
 * Fails   rc 1 and a stack on stderr: a bug. `apply` reads what was not told as `unknown`.
 */
import { text } from "node:stream/consumers";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Order, Outcome } from "../slurm.ts";
import { readFence, whyStopped } from "./fence-file.ts";
import { sendAll } from "./send.ts";
import { createRunner } from "./run.ts";

export interface ChildRequest {
  readonly orders: readonly Order[];
  /** Where the fence file is. */
  readonly stateDir: string;
  /** What Slurm's commands shall see; their PATH too. */
  readonly env: Readonly<Record<string, string>>;
}

/** What became of the order with this place in the request. */
export interface Told {
  readonly order: number;
  readonly outcome: Outcome;
}

const { orders, stateDir, env } = JSON.parse(await text(process.stdin)) as ChildRequest;
const reads = { readFence: () => readFence(stateDir), whyStopped: () => whyStopped(stateDir) };
await sendAll({ run: createRunner(systemClock), clock: systemClock, env, ...reads }, orders, (order, outcome) => {
  process.stdout.write(`${JSON.stringify({ order, outcome } satisfies Told)}\n`);
});
