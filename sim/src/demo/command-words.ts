/**
 * command-words: the words that somebody gives to sbatch, as options in one form and what follows them.
 *
 * Takes   `-p gpu`, `-pgpu`, `--partition gpu`, `--partition=gpu`, as sbatch does; the first word that is none of these ends them.
 * Gives   all of them as `--partition=gpu`.
 * Pure
 * Fails   throws on an option that the simulated Slurm has not got: whether it has a value could only be guessed.
 * Source  man sbatch.
 */
import { sbatchOptions } from "../slurm/sbatch-args.ts";

export interface CommandWords {
  readonly options: readonly string[];
  /** The script and its own arguments. */
  readonly rest: readonly string[];
}

const longOf: Readonly<Record<string, string>> = {
  a: "array",
  b: "begin",
  d: "dependency",
  D: "chdir",
  e: "error",
  H: "hold",
  J: "job-name",
  L: "licenses",
  N: "nodes",
  o: "output",
  p: "partition",
  t: "time",
  w: "nodelist",
  x: "exclude",
};
/** What sbatch itself keeps, beside what the model of Slurm has. */
const ownOptions = ["parsable", "open-mode", "gres", "ntasks-per-node"];
const known = new Set([...sbatchOptions, ...ownOptions]);
const withoutValue = new Set(["exclusive", "hold", "no-requeue", "parsable", "requeue"]);

export function splitWords(words: readonly string[]): CommandWords {
  const options: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "--") return { options, rest: words.slice(i + 1) };
    if (!/^-./.test(word)) return { options, rest: words.slice(i) };
    const { name, value } = readOption(word);
    if (!known.has(name)) throw new Error(`sbatch ${word} is not in this model`);
    if (value !== undefined || withoutValue.has(name))
      options.push(value === undefined ? `--${name}` : `--${name}=${value}`);
    else if (++i < words.length) options.push(`--${name}=${words[i]}`);
    else throw new Error(`sbatch: option '${word}' requires an argument`);
  }
  return { options, rest: [] };
}

function readOption(word: string): { readonly name: string; readonly value?: string } {
  const long = /^--([^=]*)(?:=([^]*))?$/.exec(word);
  if (long !== null) return { name: long[1] ?? "", ...(long[2] === undefined ? {} : { value: long[2] }) };
  const name = longOf[word.charAt(1)] ?? word;
  return { name, ...(word.length > 2 && !withoutValue.has(name) ? { value: word.slice(2) } : {}) };
}
