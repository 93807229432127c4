/**
 * main: `reprise`: finds the command, lets it run, and turns what it throws into words and an exit code.
 *
 * Gives   0: done. 1: it could not be done. 2: it was asked wrongly. 70: a bug of ours.
 * Keeps   Only the module of the chosen command is loaded: `jobs` starts fast, and nothing of the lab or of a simulated
 *         scheduler is loaded except for the commands that need it.
 */
import { Command, CommanderError } from "commander";
import { Refusal } from "@reprise/core/refusal.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { environment, terminal } from "@reprise/runtime/environment.ts";
import { nearest } from "@reprise/runtime/nearest.ts";
import packageFile from "../package.json" with { type: "json" };
import type { Console } from "./console.ts";
import { Failure } from "./failure.ts";

interface Entry {
  readonly says: string;
  load(): Promise<{ define(command: Command, console: Console): void }>;
}

const part = () => import("./commands/part.ts");
const brake = () => import("./commands/brake.ts");

const commands: Readonly<Record<string, Entry>> = {
  up: { says: "run server, watcher, SAC and watchdog on this machine", load: () => import("./commands/up.ts") },
  demo: { says: "show a recovery: a real job, a real Slurm on this machine", load: () => import("./commands/demo.ts") },
  top: { says: "recoveries, live", load: () => import("./commands/top.ts") },
  jobs: { says: "list jobs; show one; forbid or order its restart", load: () => import("./commands/jobs.ts") },
  advice: { says: "list what recovery wants to happen; withdraw it", load: () => import("./commands/advice.ts") },
  mode: { says: "observe or act, and where: show it, order it", load: () => import("./commands/mode.ts") },
  stop: { says: "stop everything new on a cluster, at once", load: brake },
  go: { says: "let it go on after a stop", load: brake },
  nodes: { says: "which node to drain, and why; which advice avoids it", load: () => import("./commands/nodes.ts") },
  explain: { says: "the whole story of one job", load: () => import("./commands/explain.ts") },
  workflows: {
    says: "list workflows; one with its jobs, gates and recoveries",
    load: () => import("./commands/workflows.ts"),
  },
  figures: { says: "how often, how fast and how well jobs came back", load: () => import("./commands/figures.ts") },
  shadow: {
    says: "what would have been done in observe mode, and what really happened",
    load: () => import("./commands/shadow.ts"),
  },
  diagnose: { says: "what is recognised in logs, and what would follow", load: () => import("./commands/diagnose.ts") },
  policy: { says: "check a recovery comment before it is submitted", load: () => import("./commands/policy.ts") },
  config: { says: "print the settings in force and where each came from", load: () => import("./commands/config.ts") },
  notify: { says: "try the webhooks that people are told by", load: () => import("./commands/notify.ts") },
  canary: {
    says: "prove recovery on a partition, with a tiny job that fails once",
    load: () => import("./commands/canary.ts"),
  },
  doctor: { says: "check this machine and its Slurm", load: () => import("./commands/doctor.ts") },
  token: { says: "make, list and revoke tokens for callers", load: () => import("./commands/token.ts") },
  backup: { says: "save everything that the server keeps in one file", load: () => import("./commands/backup.ts") },
  restore: { says: "bring back what a backup has saved", load: () => import("./commands/restore.ts") },
  lab: { says: "a real Slurm on this machine, to try things", load: () => import("./commands/lab.ts") },
  server: { says: "run the server alone", load: part },
  watcher: { says: "run a watcher alone", load: part },
  sac: { says: "run the Slurm Advisor Controller alone", load: part },
  watchdog: { says: "run the watchdog alone", load: part },
};

const whereToBegin = `
\`reprise COMMAND --help\` says more. To see it work: \`reprise demo\`. On a cluster: \`reprise doctor\`, then \`reprise up\`,
which only watches until it is told to act.`;

async function main(args: readonly string[], console: Console): Promise<number> {
  try {
    const program = await createProgram(args[0], console);
    refuseUnknown(program, args);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    return explainError(error, console);
  }
}

async function createProgram(chosen: string | undefined, console: Console): Promise<Command> {
  const program = new Command("reprise")
    .description("Brings long training jobs on Slurm back.")
    .version(packageFile.version, "--version", "print the version")
    .helpCommand(false)
    .configureOutput({ writeOut: console.out, writeErr: console.err });
  for (const [name, entry] of Object.entries(commands)) {
    const command = program.command(name).description(entry.says).copyInheritedSettings(program).exitOverride();
    if (name === chosen) (await entry.load()).define(command, console);
  }
  program.addHelpText("after", whereToBegin);
  program.exitOverride().showSuggestionAfterError(false);
  return program;
}

/** A word where only commands stand. Commander would show help for it, and take `--help` behind it for the question. */
function refuseUnknown(program: Command, args: readonly string[]): void {
  let at = program;
  for (const [i, word] of args.entries()) {
    if (word.startsWith("-") || at.commands.length === 0 || at.registeredArguments.length > 0) return;
    const next = at.commands.find((command) => command.name() === word);
    if (next === undefined) throw unknownCommand(word, args.slice(0, i), at);
    at = next;
  }
}

function unknownCommand(word: string, before: readonly string[], { commands }: Command): Failure {
  const meant = nearest(
    word,
    commands.map((command) => command.name()),
  );
  const typed = (last: string) => ["reprise", ...before, last].join(" ");
  const hint = meant === undefined ? `\`${typed("--help")}\` lists all commands.` : `Did you mean \`${typed(meant)}\`?`;
  return new Failure(`there is no command "${[...before, word].join(" ")}"`, { exitCode: 2, hints: [hint] });
}

function explainError(error: unknown, console: Console): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // It has said it itself.
  if (error instanceof Failure) {
    console.err(`reprise: ${error.message}\n${error.hints.map((hint) => `  ${hint}\n`).join("")}`);
    return error.exitCode;
  }
  if (error instanceof Error && error.name === "ConfigError") {
    console.err(`reprise: the configuration cannot be used:\n${error.message.replace(/^/gm, "  ")}\n`);
    return 2;
  }
  if (error instanceof Refusal) {
    console.err(`reprise: ${error.message}\n`);
    return 1;
  }
  console.err(`reprise: a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 70;
}

const env = environment();
// `reprise jobs | head`: the reader has seen enough.
process.stdout.on("error", () => process.exit(0));
const code = await main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  outTerminal: terminal(process.stdout, env),
  errTerminal: terminal(process.stderr, env),
  env,
  workDir: process.cwd(),
  now: () => systemClock.now(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});
// A part that failed may have left something open that would keep the process alive.
if (code !== 0) process.exit(code);
