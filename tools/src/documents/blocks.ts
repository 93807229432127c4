/**
 * blocks: the fenced blocks of a document, and who runs the commands in them.
 *
 * Takes   Markdown. After a block's language may stand `run=<a test of ours>`, or `not-run="<why>"`: no renderer shows it.
 * Gives   each block in order. `isCommands`: it holds something that a reader is to type.
 * Pure
 */
export interface Block {
  /** Of its opening fence, from 1. */
  readonly line: number;
  /** Empty where none is named. */
  readonly language: string;
  readonly text: string;
  readonly isCommands: boolean;
  /** The path of the test that runs it. */
  readonly runBy?: string;
  readonly notRunBecause?: string;
  /** What stands after its language and is neither of these. */
  readonly unread?: string;
}

const shells = new Set(["bash", "sh", "console", "shell"]);
/** In a block without a language these begin a command; what else stands there is a picture, or what a program says. */
const typed = /^(?:\$ |(?:[A-Z_]+=\S+ )*(?:bin\/reprise|reprise|make|sbatch|scontrol|curl|npx?|git) )/m;

export function blocksOf(text: string): readonly Block[] {
  const lines = text.split("\n");
  return fencesIn(lines).map(({ from, to, info }) => block(from + 1, info, lines.slice(from + 1, to).join("\n")));
}

/** @property from Of the opening fence, from 0. @property to Of the closing one; where there is none, the end. */
export interface Fence {
  readonly from: number;
  readonly to: number;
  readonly info: string;
}

export function fencesIn(lines: readonly string[]): readonly Fence[] {
  const fences: Fence[] = [];
  for (let from = 0; from < lines.length; from++) {
    const [, mark, info = ""] = /^\s*(```+|~~~+)\s*(.*?)\s*$/.exec(lines[from] ?? "") ?? [];
    if (mark === undefined) continue;
    const length = lines.slice(from + 1).findIndex((line) => line.trim().startsWith(mark));
    const to = length < 0 ? lines.length : from + 1 + length;
    fences.push({ from, to, info });
    from = to;
  }
  return fences;
}

function block(line: number, info: string, text: string): Block {
  const [language = "", rest = ""] = info.split(/\s+(.*)/s);
  const [, runBy, notRunBecause] = /^(?:run=(\S+)|not-run="([^"]+)")$/.exec(rest) ?? [];
  return {
    line,
    language,
    text,
    isCommands: shells.has(language) || (language === "" && typed.test(text)),
    ...(runBy === undefined ? {} : { runBy }),
    ...(notRunBecause === undefined ? {} : { notRunBecause }),
    ...(rest === "" || runBy !== undefined || notRunBecause !== undefined ? {} : { unread: rest }),
  };
}

export interface Typed {
  /** What is given to a shell: one command, perhaps of several lines. */
  readonly command: string;
  /** What the document shows of its answer; empty: nothing. */
  readonly says: readonly string[];
}

/** The commands of a block in order: after `$ ` with what each says; without any `$ `, one a line, with the lines that it goes on in. */
export function typedIn({ text, language }: Pick<Block, "text" | "language">): readonly Typed[] {
  const lines = text.split("\n");
  if (language === "console" || lines.some((line) => line.startsWith("$ ")))
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...says] = part.trimEnd().split("\n");
        return { command, says };
      });
  const commands: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isOpen) commands.push(`${commands.pop() ?? ""}\n${line}`);
    else if (/^\s*(?:#|$)/.test(line)) continue;
    else commands.push(line);
    isOpen = goesOn(commands.at(-1) ?? "");
  }
  return commands.map((command) => ({ command, says: [] }));
}

/** A quote is open, or the line ends in a backslash. */
function goesOn(command: string): boolean {
  const bare = command.replace(/\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'/g, (found) => (found === "\\\n" ? "" : "x"));
  return /\\$|["']/.test(bare.replace(/\s#.*$/, ""));
}
