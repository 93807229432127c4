/**
 * own-server: where the settings of this machine say that its server listens, for a command that nobody gives an address.
 *
 * Takes   the file and the variables that `reprise up` reads; flags of theirs do not count.
 * Pure    but for reading the file.
 * Fails   as the start of a part does: a mistake in the file is said, not passed over.
 */
import { Command } from "commander";
import { loadConfig } from "./config-load.ts";
import type { Config } from "./config-schema.ts";
import type { Console } from "./console.ts";

/** The listeners for people and programs, or those for the parts, where the owner makes tokens. */
export type Pair = "external" | "internal";

export interface OwnServer {
  readonly url: string;
  /** It may not be there. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

export const loadOwnServer = (console: Console, pair: Pair): OwnServer =>
  ownServerOf(loadConfig(new Command(), console).values, pair);

export const ownServerOf = (values: Config, pair: Pair): OwnServer => ({
  url: urlOf(values, pair),
  tokenFile: values.tokenFile,
  caFile: values.caFile,
});

export function urlOf(values: Config, pair: Pair): string {
  const [host, port, prefix] =
    pair === "external"
      ? [values.host, values.httpPort, values.urlPrefix]
      : [values.internalHost, values.internalHttpPort, values.internalUrlPrefix];
  return `${values.tlsCert === undefined ? "http" : "https"}://${reachable(host)}:${port}${prefix}`;
}

/** A server that listens everywhere is called on this machine. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
