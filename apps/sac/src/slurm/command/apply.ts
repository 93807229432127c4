/**
 * apply: hands commands to a short-lived child and reads what became of each.
 *
 * In the loop   plan → journal → **apply** → journal → look again
 * Gives         an Outcome an order. Of what a child that was killed, or died, had not told yet: `unknown`.
 * Fails         a `Refusal` `invalid` for a command that no scheduler should be given; nothing was begun.
 * Bound         `childLimitMs`: both limits of the child and its start.
 */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { type Outcome, outcomeKinds, type Slurm } from "../slurm.ts";
import type { ChildRequest, Told } from "./child.ts";
import { commandLine } from "./command-line.ts";
import type { Runner } from "./run.ts";

/** Starting Node takes 40 to 120 ms here; a loaded machine gets seconds. */
const childStartMs = 3_000;
const childLimitMs = limits.readAgeMaxMs + limits.commandLimitMs + childStartMs;
const childProgram = fileURLToPath(new URL("./child.ts", import.meta.url));

export interface ApplyDeps {
  readonly run: Runner;
  readonly env: Readonly<Record<string, string>>;
  readonly stateDir: string;
  /** The Node that runs the child: `process.execPath`. */
  readonly node: string;
}

export function createApplyAll({ run, env, stateDir, node }: ApplyDeps): Slurm["applyAll"] {
  return async (orders) => {
    if (orders.length === 0) return [];
    for (const { command, fence } of orders) commandLine(command, fence.expected); // Refuses here what the child would refuse.
    const request: ChildRequest = { orders, stateDir, env };
    // The cache halves the child's start: the types are stripped once.
    const childEnv = { ...env, NODE_COMPILE_CACHE: join(stateDir, "compile-cache") };
    const ran = await run(node, [childProgram], {
      limitMs: childLimitMs,
      env: childEnv,
      input: JSON.stringify(request),
    });
    const told = toldIn(ran.stdout);
    const detail = ran.timedOut
      ? `the command child did not end within ${childLimitMs} ms`
      : `the command child ended with rc ${ran.rc ?? "none"}: ${ran.stderr.slice(-500)}`;
    return orders.map((_order, i) => told.get(i) ?? { kind: "unknown", detail });
  };
}

const kinds: ReadonlySet<unknown> = new Set(outcomeKinds);

/** What it said before it ended, however it ended. */
function toldIn(stdout: string): ReadonlyMap<number, Outcome> {
  return new Map(
    stdout.split("\n").flatMap((line) => {
      try {
        const { order, outcome } = JSON.parse(line) as Told;
        return kinds.has(outcome.kind) ? [[order, outcome] as const] : [];
      } catch {
        return []; // Half a line.
      }
    }),
  );
}
