/**
 * sbatch-script: what a batch script says to sbatch in its `#SBATCH` lines, as sbatch itself reads them.
 *
 * Takes        the text of a script.
 * Gives        the options that matter to recovery, each as it arrives in Slurm, with the place of every character of the comment.
 * Pure, total
 * Keeps        sbatch's quoting and not the shell's: a backslash takes the meaning of the next character away inside single quotes
 *              too, an unquoted `#` ends the line, a quote ends at the end of its line, and nothing is substituted.
 *              Options count up to the first line that is no comment; of one that is given twice the last counts.
 * Source       Slurm, src/sbatch/opt.c (`_opt_batch_script`, `_get_argument`), man sbatch.
 */
export interface SbatchScript {
  readonly comment?: SbatchText;
  readonly partition?: string;
  readonly dependency?: string;
  readonly requeue?: boolean;
  readonly isHeld: boolean;
  readonly killsOnInvalidDependency: boolean;
  /** `#SBATCH` lines behind the first command: sbatch does not read them. Counted from 1. */
  readonly unreadLines: readonly number[];
  /** What sbatch refuses, with the place of it in the script. */
  readonly problem?: { readonly because: string; readonly offset: number };
}

export interface SbatchText {
  readonly text: string;
  /** Of each character of `text` its offset in the script, in UTF-16 units; and of what follows the last one. */
  readonly offsets: readonly number[];
}

const magic = "#SBATCH";

export function readSbatchScript(script: string): SbatchScript {
  const { words, unreadLines, problem } = optionWords(script);
  return { ...optionsOf(words), unreadLines, ...(problem === undefined ? {} : { problem }) };
}

interface OptionWords extends Pick<SbatchScript, "unreadLines" | "problem"> {
  readonly words: readonly SbatchText[];
}

/** The words of the lines that count, unquoted: `-p`, `gpu`, `--comment={"recovery": …}`. */
export function optionWords(script: string): OptionWords {
  const words: SbatchText[] = [];
  const unreadLines: number[] = [];
  let problem: SbatchScript["problem"];
  let isPastCommands = false;
  let start = 0;
  for (const [index, line] of script.split("\n").entries()) {
    const isOption = line.startsWith(magic);
    if (isOption && isPastCommands) unreadLines.push(index + 1);
    else if (isOption) {
      const read = wordsOf(line, start);
      words.push(...read.words);
      problem ??= read.problem;
    } else if (!/^\s*(#|$)/.test(line)) isPastCommands = true;
    start += line.length + 1;
  }
  return { words, unreadLines, ...(problem === undefined ? {} : { problem }) };
}

interface Line {
  readonly words: readonly SbatchText[];
  readonly problem?: { readonly because: string; readonly offset: number };
}

function wordsOf(line: string, start: number): Line {
  const words: SbatchText[] = [];
  let at = magic.length;
  for (;;) {
    while (/\s/.test(line.charAt(at))) at++;
    if (at >= line.length || line[at] === "#") return { words };
    if (line[at] === ":")
      return { words, problem: { because: 'sbatch refuses the line: unexpected ":".', offset: start + at } };
    const word = wordAt(line, at);
    if (word.openQuote !== undefined) {
      const because = `sbatch refuses the line: the quote ${line[word.openQuote]} is not closed on it.`;
      return { words, problem: { because, offset: start + word.openQuote } };
    }
    words.push({ text: word.text, offsets: word.places.map((place) => start + place) });
    if (word.isLast) return { words };
    at = word.end;
  }
}

interface Word {
  readonly text: string;
  readonly places: readonly number[];
  readonly end: number;
  readonly isLast: boolean;
  /** Where a quote begins that never ends. */
  readonly openQuote?: number;
}

function wordAt(line: string, from: number): Word {
  let text = "";
  const places: number[] = [];
  let quote: number | undefined;
  let at = from;
  for (; at < line.length; at++) {
    let character = line.charAt(at);
    if (character === "\\") {
      if (++at >= line.length) break;
      character = line.charAt(at);
    } else if (quote !== undefined) {
      if (character === line[quote]) {
        quote = undefined;
        continue;
      }
    } else if (character === "'" || character === '"') {
      quote = at;
      continue;
    } else if (character === "#" || /\s/.test(character)) break;
    text += character;
    places.push(at);
  }
  places.push(at);
  const isLast = line[at] === "#";
  return { text, places, end: at, isLast, ...(quote === undefined ? {} : { openQuote: quote }) };
}

/** Options of sbatch with a value that matter here; the value follows `=`, or is the next word. */
const valued: ReadonlyMap<string, "comment" | "partition" | "dependency" | "killOnInvalid"> = new Map([
  ["--comment", "comment"],
  ["--partition", "partition"],
  ["-p", "partition"],
  ["--dependency", "dependency"],
  ["-d", "dependency"],
  ["--kill-on-invalid-dep", "killOnInvalid"],
]);

function optionsOf(words: readonly SbatchText[]): Omit<SbatchScript, "unreadLines"> {
  const values: { comment?: SbatchText; partition?: SbatchText; dependency?: SbatchText; killOnInvalid?: SbatchText } =
    {};
  let requeue: boolean | undefined;
  let isHeld = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.text === "--requeue") requeue = true;
    if (word.text === "--no-requeue") requeue = false;
    if (word.text === "--hold" || word.text === "-H") isHeld = true;
    const [name, key] = [...valued].find(([option]) => isOption(word.text, option)) ?? [];
    if (name === undefined || key === undefined) continue;
    const value = valueIn(word, name) ?? words[++i];
    if (value !== undefined) values[key] = value;
  }
  const { comment, partition, dependency, killOnInvalid } = values;
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(partition === undefined ? {} : { partition: partition.text }),
    ...(dependency === undefined ? {} : { dependency: dependency.text }),
    ...(requeue === undefined ? {} : { requeue }),
    isHeld,
    killsOnInvalidDependency: killOnInvalid?.text === "yes",
  };
}

const isLong = (option: string) => option.startsWith("--");

function isOption(word: string, option: string): boolean {
  return word === option || word.startsWith(isLong(option) ? `${option}=` : option);
}

/** `--comment=x`, `-pgpu`; undefined where the value is the next word. */
function valueIn({ text, offsets }: SbatchText, option: string): SbatchText | undefined {
  if (text === option) return undefined;
  const from = option.length + (isLong(option) ? 1 : 0);
  return { text: text.slice(from), offsets: offsets.slice(from) };
}
