/**
 * sbatch-args: the options of sbatch that this model has, as a `SubmitSpec`.
 *
 * Takes   long options with `=`, as sbatch does: `--array=0-3%2 --hold --comment={"recovery": …}`.
 * Fails   throws on an option that the model has not got: a story that uses it is not told.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { SubmitSpec } from "./sim-slurm.ts";
import { parseStart } from "./update.ts";

type Set = (value: string, now: Instant) => Partial<SubmitSpec>;

const options: Readonly<Record<string, Set>> = {
  "job-name": (name) => ({ name }),
  partition: (partition) => ({ partition }),
  nodes: (count) => ({ nodes: Number(count) }),
  "gpus-per-node": (asked) => {
    const [count = "", gpuType] = asked.split(":").toReversed();
    return { gpusPerNode: Number(count), ...(gpuType === undefined ? {} : { gpuType }) };
  },
  mincpus: (count) => ({ cpusPerNode: Number(count) }),
  mem: (mb) => ({ memoryMbPerNode: Number(mb) }),
  exclusive: () => ({ exclusive: true }),
  comment: (comment) => ({ comment }),
  hold: () => ({ hold: true }),
  requeue: (how) => (how === "expedite" ? { expedite: true } : { requeue: true }),
  "no-requeue": () => ({ requeue: false }),
  exclude: (exclude) => ({ exclude }),
  nodelist: (nodelist) => ({ nodelist }),
  dependency: (dependency) => ({ dependency }),
  "kill-on-invalid-dep": (answer) => ({ killOnInvalidDep: answer === "yes" }),
  reservation: (reservation) => ({ reservation }),
  constraint: (constraint) => ({ constraint }),
  licenses: (licenses) => ({ licenses }),
  array: (array) => ({ array }),
  time: (minutes) => ({ timeLimitMinutes: Number(minutes) }),
  deadline: (text, now) => ({ deadlineAt: parseStart(text, now) ?? now }),
  begin: (text, now) => ({ beginAt: parseStart(text, now) ?? now }),
  output: (output) => ({ output }),
  error: (error) => ({ error }),
  chdir: (workDir) => ({ workDir }),
};

/** `--partition=gpu` → its name and its value; no value: an empty one. */
export function readOption(arg: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^--([a-z-]+)(?:=([^]*))?$/.exec(arg) ?? [];
  return [name, value];
}

/** Names of the options above. */
export const sbatchOptions: ReadonlySet<string> = new Set(Object.keys(options));

export function parseSbatchArgs(args: readonly string[], now: Instant): SubmitSpec {
  return Object.assign(
    {},
    ...args.map((arg) => {
      const [name, value] = readOption(arg);
      const set = options[name];
      if (set === undefined) throw new Error(`sbatch ${arg} is not in this model`);
      return set(value, now);
    }),
  ) as SubmitSpec;
}
