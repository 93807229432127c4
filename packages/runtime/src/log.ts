/**
 * log: one line a statement on stderr: JSON for machines, a short readable line for a person at a terminal.
 *
 * Keeps   Secrets are hidden (`secrets.ts`). A line that cannot be written (the reader of the pipe is gone) is dropped:
 *         a log never stops a recovery.
 */
import { pino } from "pino";
import type { Log } from "./life.ts";
import { maskValue } from "./secrets.ts";

export const logLevels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** The part that speaks: `server`, `sac`, … */
  readonly name: string;
  readonly level: LogLevel;
  /** For a person at a terminal. */
  readonly isPretty: boolean;
  /** Takes one whole line with its newline. Default: stderr. */
  readonly write?: (line: string) => void;
}

export function createLog({ name, level, isPretty, write = writeToStderr }: LogOptions): Log {
  const say = isPretty ? prettyLog(name, write) : jsonLog(name, write);
  const speak = (of: LogLevel) =>
    logLevels.indexOf(of) <= logLevels.indexOf(level)
      ? (fields: object, message: string) => say(of, maskValue(fields) as object, message)
      : () => {};
  return { debug: speak("debug"), info: speak("info"), warn: speak("warn"), error: speak("error") };
}

type Say = (level: LogLevel, fields: object, message: string) => void;

function jsonLog(name: string, write: (line: string) => void): Say {
  const logger = pino(
    {
      level: "debug",
      base: { name },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return (level, fields, message) => logger[level](fields, message);
}

function prettyLog(name: string, write: (line: string) => void): Say {
  return (level, fields, message) => {
    const time = new Date().toTimeString().slice(0, 8);
    const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${brief(value)}`);
    write(`${time} ${level.padEnd(5)} ${name.padEnd(8)} ${message}${rest.join("")}\n`);
  };
}

/** The messages of an error and of what caused it say enough to a person; its stack is in the JSON form. */
function brief(value: unknown): string {
  const shown = isMaskedError(value) ? messages(value) : value;
  if (typeof shown === "string" && /^[^\s"=]+$/.test(shown)) return shown;
  return JSON.stringify(shown) ?? "undefined";
}

function messages(error: { readonly message: string; readonly cause?: unknown }): string {
  return isMaskedError(error.cause) ? `${error.message}: ${messages(error.cause)}` : error.message;
}

function isMaskedError(value: unknown): value is { readonly message: string; readonly cause?: unknown } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    "message" in value &&
    typeof value.message === "string"
  );
}

let isGuarded = false;
function writeToStderr(line: string): void {
  if (!isGuarded) process.stderr.on("error", () => {}); // EPIPE: nobody reads any more.
  isGuarded = true;
  process.stderr.write(line);
}
