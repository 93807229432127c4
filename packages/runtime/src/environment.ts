/**
 * environment: the only place that reads the variables and the terminal of this process.
 *
 * Keeps   Everything else is handed what it needs as an argument.
 */
import { hostname } from "node:os";

export type Environment = Readonly<Record<string, string | undefined>>;

export const environment = (): Environment => process.env;

export const hostName = (): string => hostname();

/** Of this host; an IANA name. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What may be written to a stream: how wide, and whether a person watches. */
export interface Terminal {
  readonly isTty: boolean;
  /** Columns; 80 where nobody says. */
  readonly width: number;
  /** A terminal, and neither `NO_COLOR` nor `TERM=dumb`; or `FORCE_COLOR`. */
  readonly hasColour: boolean;
  /** A terminal on which a picture can be drawn over another one: not `TERM=dumb`. */
  readonly canRedraw: boolean;
}

export function terminal(stream: { readonly isTTY?: boolean; readonly columns?: number }, env: Environment): Terminal {
  const isTty = stream.isTTY === true;
  const isForced = (env["FORCE_COLOR"] ?? "0") !== "0" && env["FORCE_COLOR"] !== "";
  const isDumb = env["TERM"] === "dumb";
  const isRefused = (env["NO_COLOR"] ?? "") !== "" || isDumb;
  const hasColour = !isRefused && (isTty || isForced);
  return { isTty, width: stream.columns ?? 80, hasColour, canRedraw: isTty && !isDumb };
}
