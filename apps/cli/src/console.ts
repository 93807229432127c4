/** console: what a command may know of the process it runs in, handed down by `main.ts`; a test hands another one. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Environment, Terminal } from "@reprise/runtime/environment.ts";

export interface Console {
  /** What was asked for; may be piped. */
  out(text: string): void;
  /** Everything else. */
  err(text: string): void;
  readonly outTerminal: Terminal;
  readonly errTerminal: Terminal;
  readonly env: Environment;
  readonly workDir: string;
  now(): Instant;
  /** IANA name, for the times that a person reads. */
  readonly timeZone: string;
}
