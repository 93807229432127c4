/**
 * client: reads a running server over HTTP.
 *
 * Takes   `--url` or REPRISE_URL, else what this machine's settings say (REPRISE_CONFIG and variables), else the ports that are usual; the
 *         token from `--token-file`, REPRISE_TOKEN_FILE, or the one that the same settings name where there is one.
 * Gives   the JSON of the answer.
 * Fails   `Failure` that says what to do: nothing listens, no or a wrong token, not found, not a Reprise at all.
 * Bound   `limits.requestDeadlineMs` a request; `pagesMax` pages of a listing.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { limits } from "@reprise/core/limits.ts";
import { readToken } from "@reprise/runtime/token-file.ts";
import type { Console } from "./console.ts";
import { Failure, readable } from "./failure.ts";
import { httpSend, type Sent, type TlsTexts } from "./http-get.ts";
import type { OwnServer, Pair } from "./own-server.ts";

const defaultUrl = "http://127.0.0.1:8080";
/** Where the owner makes tokens. */
const internalUrl = "http://127.0.0.1:8081";
const pagesMax = 1_000;

/** A list is a repeated key. */
export type Query = Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;

export interface Client {
  /** @param what For the message when it is not found, e.g. `job 12345`. */
  get<T>(path: string, query: Query, what: string): Promise<T>;
  post<T>(path: string, body: object, what: string): Promise<T>;
  /** Every row of a listing, page after page. `tokenKey`: the query field that takes `nextPageToken`. */
  list<T>(path: string, query: Query, rowsKey: string, tokenKey: "pageToken" | "page"): Promise<readonly T[]>;
}

export interface ClientOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly json?: boolean;
}

const pairs = {
  external: { variable: "REPRISE_URL", url: defaultUrl },
  internal: { variable: "REPRISE_INTERNAL_URL", url: internalUrl },
} as const;

export function addClientFlags(command: Command, pair: Pair = "external"): Command {
  const { variable, url } = pairs[pair];
  if (pair === "internal")
    command
      .option("--client-cert <file>", "our certificate, where the server asks for one (or REPRISE_CLIENT_CERT)")
      .option("--client-key <file>", "its key (or REPRISE_CLIENT_KEY)");
  return command
    .option("--url <url>", `where the server listens (or ${variable}; ${url})`)
    .option("--ca-file <file>", "authority of the server's certificate (or REPRISE_CA_FILE; this machine's)")
    .option("--token-file <file>", "file with the bearer token (or REPRISE_TOKEN_FILE)")
    .option("--json", "the server's JSON, for programs");
}

/** @param own What this machine's settings say, for a command that has read them. */
export function createClient(
  options: ClientOptions,
  console: Console,
  pair: Pair = "external",
  own?: OwnServer,
): Client {
  let found: ReturnType<typeof findServer> | undefined;
  const call = async <T>(path: string, sent: { query?: Query; body?: object }, what: string): Promise<T> => {
    const { url, tokenFile, token, tls } = await (found ??= findServer(options, console, pair, own));
    const target = new URL(`${url.pathname.replace(/\/$/, "")}${path}`, url);
    for (const [key, value] of Object.entries(sent.query ?? {}))
      if (Array.isArray(value)) for (const one of value) target.searchParams.append(key, String(one));
      else if (value !== undefined) target.searchParams.set(key, String(value));
    const { status, text } = await ask(target, { token, tls, body: sent.body }, url.href);
    if (status === 200) return parseAnswer(text, url.href) as T;
    throw explainStatus(status, text, { url: url.href, tokenFile, what });
  };
  const get = <T>(path: string, query: Query, what: string) => call<T>(path, { query }, what);
  return {
    get,
    post: (path, body, what) => call(path, { body }, what),
    async list<T>(path: string, query: Query, rowsKey: string, tokenKey: "pageToken" | "page") {
      const rows: T[] = [];
      let token: string | undefined;
      for (let page = 0; page < pagesMax; page++) {
        const answer = await get<Record<string, unknown>>(
          path,
          { limit: limits.pageRowsMax, ...query, [tokenKey]: token },
          "listing",
        );
        rows.push(...((answer[rowsKey] ?? []) as T[]));
        const next = answer["nextPageToken"];
        if (typeof next !== "string" || next === "") break;
        token = next;
      }
      return rows;
    },
  };
}

async function findServer(options: ClientOptions, console: Console, pair: Pair, given?: OwnServer) {
  const { variable, url: usual } = pairs[pair];
  const own = given ?? (await readOwn(console, pair));
  const tokenFile = findTokenFile(options, console, own);
  return {
    url: readUrl(options.url ?? (console.env[variable] || own?.url || usual)),
    tokenFile,
    token: tokenFile === undefined ? undefined : readToken(tokenFile),
    tls: readTls(options, console, own),
  };
}

/** Loaded only where something says where the server listens: `reprise jobs` starts fast. */
async function readOwn(console: Console, pair: Pair): Promise<OwnServer | undefined> {
  const says = Object.entries(console.env).some(([name, value]) => tellsWhere.test(name) && value);
  return says ? (await import("./own-server.ts")).loadOwnServer(console, pair) : undefined;
}
const tellsWhere = /^(REPRISE_(CONFIG|(INTERNAL_)?(HOST|HTTP_PORT))|(REPRISE|HEIMDALL)_(INTERNAL_)?URL_PREFIX)$/;

function readUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Failure(`"${given}" is not a URL such as ${defaultUrl}`, { exitCode: 2 });
  }
  return url;
}

function findTokenFile(options: ClientOptions, console: Console, own: OwnServer | undefined): string | undefined {
  const given = options.tokenFile ?? console.env["REPRISE_TOKEN_FILE"];
  if (given !== undefined && given !== "") return resolve(console.workDir, given);
  const ours = own?.tokenFile ?? resolve(console.workDir, join(console.env["REPRISE_DATA"] || ".reprise", "token"));
  return existsSync(ours) ? ours : undefined;
}

function readTls(options: ClientOptions, { env, workDir }: Console, own: OwnServer | undefined): TlsTexts {
  const read = (what: string, given: string | undefined): string | undefined => {
    if (given === undefined || given === "") return undefined;
    return readable(`the file with ${what}`, () => readFileSync(resolve(workDir, given), "utf8"));
  };
  const ca = read("the server's authority", options.caFile ?? (env["REPRISE_CA_FILE"] || own?.caFile));
  const cert = read("our certificate", options.clientCert ?? env["REPRISE_CLIENT_CERT"]);
  const key = read("our key", options.clientKey ?? env["REPRISE_CLIENT_KEY"]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

interface Asked {
  readonly token: string | undefined;
  readonly tls: TlsTexts;
  readonly body: object | undefined;
}

async function ask(url: URL, { token, tls, body }: Asked, server: string): Promise<{ status: number; text: string }> {
  const sent: Sent = {
    method: body === undefined ? "GET" : "POST",
    url,
    headers: { accept: "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    tls,
  };
  try {
    return await httpSend(sent, limits.requestDeadlineMs);
  } catch (error) {
    throw new Failure(`the server at ${server} cannot be reached: ${whyUnreachable(error)}`, {
      hints: isUntrusted(error) ? untrustedHints : unreachableHints,
    });
  }
}

const unreachableHints = [
  "Is it running? `reprise up` starts one and prints its address.",
  "Does it listen somewhere else? Give its address with --url or REPRISE_URL.",
];
const untrustedHints = [
  "This machine does not trust its certificate: give the authority's with --ca-file or REPRISE_CA_FILE.",
];

function isUntrusted(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
}

function whyUnreachable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${limits.requestDeadlineMs / 1000} s`;
  return "code" in error && error.code === "ECONNREFUSED" ? "nothing listens there" : error.message;
}

function parseAnswer(text: string, url: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Said below.
  }
  throw new Failure(`${url} answers, but not as a Reprise server does`, {
    hints: ["Is --url the address of something else?"],
  });
}

function explainStatus(
  status: number,
  text: string,
  at: { url: string; tokenFile: string | undefined; what: string },
): Failure {
  const said = messageOf(text);
  if (status === 403) return new Failure(`the server at ${at.url} does not let us: ${said ?? "no reason given"}`);
  if (status === 401) {
    const why =
      at.tokenFile === undefined
        ? "it asks for a token, and none was given"
        : `it refuses the token in ${at.tokenFile}${said === undefined ? "" : ` (${said})`}`;
    const hint =
      "`reprise up` prints the path of its token as tokenFile: give it with --token-file or REPRISE_TOKEN_FILE.";
    return new Failure(`the server at ${at.url} did not let us in: ${why}`, { hints: [hint] });
  }
  if (status === 404) {
    return new Failure(said ?? `${at.what} is not known`, {
      hints: [
        at.what.startsWith("node ")
          ? "`reprise nodes` lists those of which there is something to tell; the others are known once SAC has seen them in Slurm."
          : "`reprise jobs` lists what the server knows; a new job appears once SAC has seen it in Slurm.",
      ],
    });
  }
  if (status === 501) return new Failure(`${at.what}: this server cannot answer that yet`);
  return new Failure(`the server at ${at.url} answered ${status}: ${said ?? text.slice(0, 200)}`);
}

/** The message of an error as the server writes it, `{"code", "message", "details"}`. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}
