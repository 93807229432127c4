/**
 * demo: a real training job on a real one-machine Slurm fails, and comes back; told live in the terminal.
 *
 * Gives   the story on the terminal (stderr with `--json`); with `--json` one JSON object as the last line of stdout. Exit code 0
 *         only if the job recovered and every stage was seen.
 * Keeps   everything it starts is in one private folder, and ended again, also on Ctrl-C.
 * Bound   `--limit` seconds after the job was submitted.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { installPackages, missingPackages } from "@reprise/slurm-lab/packages.ts";
import { type Fault, type FaultKind, faultKinds } from "@reprise/slurm-lab/training-files.ts";
import { startLab } from "@reprise/slurm-lab/lab.ts";
import { LabRefusal } from "@reprise/slurm-lab/lab-options.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";
import { runStory } from "./run-story.ts";
import { createTeller } from "./teller.ts";
import { makeWakingLab } from "./waking-lab.ts";

/** Kinds that something detects in this version. */
const detected: readonly FaultKind[] = ["ecc", "exit", "signal"];

export interface DemoFlags {
  readonly json: boolean;
  readonly fault: Fault;
  readonly limitMs: number;
  readonly steps: number;
}

export async function demo(flags: readonly string[], console: Console): Promise<number> {
  const asked = readFlags(flags);
  if (asked === "help") return showHelp(console);
  const tell = createTeller(
    asked.json ? console.err : console.out,
    asked.json ? console.errTerminal : console.outTerminal,
  );
  const life = processLife(createLog({ name: "demo", level: "warn", isPretty: true }));
  const { signal, clock } = life;
  const place = makeWakingLab();
  try {
    if (missingPackages().length > 0) await installPackages(tell.note);
    const { dir, jobCompScript } = place;
    const lab = await startLab({ dir, jobCompScript }, { clock, signal, progress: tell.note });
    try {
      const result = await runStory(lab, asked, { clock, signal, tell, env: console.env });
      if (signal.aborted) return 130;
      if (asked.json) console.out(`${JSON.stringify(result)}\n`);
      tell.result(result);
      return result.recovered ? 0 : 1;
    } finally {
      tell.note("cleaning up: ending Slurm and its jobs (a few seconds)");
      await lab.stop();
    }
  } catch (error) {
    if (signal.aborted) return 130;
    if (error instanceof LabRefusal) throw new Failure(error.message);
    throw error;
  } finally {
    rmSync(place.dir, { recursive: true, force: true }); // Reprise's data and log were in it too.
  }
}

function readFlags(flags: readonly string[]): DemoFlags | "help" {
  const { values } = parseArgs({
    args: [...flags],
    options: {
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      fault: { type: "string", default: "ecc" },
      limit: { type: "string", default: "240" },
      steps: { type: "string", default: "120" },
    },
  });
  if (values.help) return "help";
  const kind = faultKinds.find((k) => k === values.fault);
  if (kind === undefined || !detected.includes(kind)) {
    const known = kind === undefined ? "is not a fault" : "has no detector yet";
    throw new Failure(`--fault: ${JSON.stringify(values.fault)} ${known}; expected one of ${detected.join(", ")}`, {
      exitCode: 2,
    });
  }
  const steps = wholeNumber("steps", values.steps, 60, 100_000);
  return {
    json: values.json,
    fault: { attempt: 0, node: 1, step: Math.round(steps * 0.4), kind },
    limitMs: wholeNumber("limit", values.limit, 10, 3_600) * 1000,
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

function showHelp(console: Console): number {
  console.out(
    [
      "reprise demo: a real training job on a real one-machine Slurm fails, and comes back.",
      "",
      `  --fault KIND   what goes wrong: ${detected.join(", ")} (default ecc)`,
      "  --json         the story on stderr, the result as the last line of stdout",
      "  --limit S      give up after so many seconds (default 240)",
      "  --steps N      training steps (default 120)",
      "",
    ].join("\n"),
  );
  return 0;
}
