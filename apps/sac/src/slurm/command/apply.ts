/**
 * apply: hands one command to a short-lived child and reads what became of it.
 *
 * In the loop   plan → journal → **apply** → journal → look again
 * Gives         the child's Outcome. A child that was killed, or died, or said something else: `unknown`.
 * Fails         a `Refusal` `invalid` for a command that no scheduler should be given; nothing was begun.
 * Bound         `childLimitMs`: both limits of the child and its start.
 */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import type { Command, Fence, Outcome } from "../slurm.ts";
import type { ChildRequest } from "./child.ts";
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

export function createApply({
  run,
  env,
  stateDir,
  node,
}: ApplyDeps): (command: Command, fence: Fence) => Promise<Outcome> {
  return async (command, fence) => {
    commandLine(command, fence.expected); // Refuses here what the child would refuse.
    const request: ChildRequest = { command, fence, stateDir, env };
    // The cache halves the child's start: the types are stripped once.
    const childEnv = { ...env, NODE_COMPILE_CACHE: join(stateDir, "compile-cache") };
    const ran = await run(node, [childProgram], {
      limitMs: childLimitMs,
      env: childEnv,
      input: JSON.stringify(request),
    });
    if (ran.timedOut) return { kind: "unknown", detail: `the command child did not end within ${childLimitMs} ms` };
    return (
      parseAnswer(ran.stdout) ?? {
        kind: "unknown",
        detail: `the command child ended with rc ${ran.rc ?? "none"}: ${ran.stderr.slice(-500)}`,
      }
    );
  };
}

const kinds: ReadonlySet<unknown> = new Set<Outcome["kind"]>(["done", "moved", "refused", "unknown"]);

function parseAnswer(stdout: string): Outcome | undefined {
  try {
    const outcome = JSON.parse(stdout) as Outcome;
    return kinds.has(outcome.kind) ? outcome : undefined;
  } catch {
    return undefined;
  }
}
