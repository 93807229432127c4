/**
 * submission: `sbatch` on the simulated Slurm: the options it takes, from the command line and from the script's `#SBATCH` lines.
 *
 * Takes   `splitWords` of the command line, which wins over the script.
 * Pure    total but for the error.
 * Fails   throws on an option that the simulated Slurm has not got: a job that needs it would not be told truly.
 */
import { userInfo } from "node:os";
import type { Instant } from "@reprise/core/nouns.ts";
import { optionWords } from "@reprise/core/policy/sbatch-script.ts";
import { parseSbatchArgs, readOption } from "../slurm/sbatch-args.ts";
import type { SubmitSpec } from "../slurm/sim-slurm.ts";
import type { Call } from "./call.ts";
import { splitWords } from "./command-words.ts";

export interface Submission {
  readonly spec: SubmitSpec;
  readonly script: string;
  readonly tasksPerNode: number;
  /** Slurm's default: a restart begins the output anew. */
  readonly appends: boolean;
  readonly isParsable: boolean;
  /** What the job inherits of whoever submitted it. */
  readonly env: Call["env"];
}

export function readSubmission({ args, input, workDir, env }: Call, now: Instant): Submission {
  const given = new Map([...scriptOptions(input), ...splitWords(args).options].map(readOption));
  const take = (name: string) => {
    const value = given.get(name);
    given.delete(name);
    return value;
  };
  const tasksPerNode = Number(take("ntasks-per-node") ?? 1);
  const gpus = /^gpu:(?:\w+:)?(\d+)$/.exec(take("gres") ?? "")?.[1];
  const appends = take("open-mode") === "append";
  const isParsable = take("parsable") !== undefined;
  const rest = [...given].map(([name, value]) => `--${name}${value === "" ? "" : `=${value}`}`);
  const spec: SubmitSpec = {
    workDir,
    cpusPerNode: tasksPerNode,
    ...(gpus === undefined ? {} : { gpusPerNode: Number(gpus) }),
    user: userInfo().username,
    ...parseSbatchArgs(rest, now),
  };
  const inDir = (path: string | undefined) =>
    path === undefined || path.startsWith("/") ? path : `${spec.workDir}/${path}`;
  const [output, error] = [inDir(spec.output) ?? `${spec.workDir}/slurm-%j.out`, inDir(spec.error)];
  return {
    spec: { ...spec, output, ...(error === undefined ? {} : { error }) },
    script: input,
    tasksPerNode,
    appends,
    isParsable,
    env,
  };
}

function scriptOptions(script: string): readonly string[] {
  const { words, problem } = optionWords(script);
  if (problem !== undefined) throw new Error(problem.because);
  return splitWords(words.map(({ text }) => text)).options;
}
