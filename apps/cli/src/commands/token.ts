/**
 * token: tokens for callers of a site without an identity provider: `token create`, `token list`, `token revoke ID`.
 *
 * Takes   the owner's token, and the server's internal HTTP: REPRISE_INTERNAL_URL or `--url`.
 * Gives   `create`: the token alone on stdout, once; everything about it on stderr.
 */
import { type Command, InvalidArgumentError } from "commander";
import type { Instant } from "@reprise/core/nouns.ts";
import { roles } from "@reprise/server/manager/token-record.ts";
import { addClientFlags, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderTokens, type WireToken } from "../render/tokens.ts";
import { viewOf } from "../render/view.ts";
import { readSpan } from "./listing.ts";

const roleNames: readonly string[] = roles;

interface CreateOptions extends ClientOptions {
  readonly name: string;
  readonly role: readonly string[];
  readonly expires?: number;
}

export function define(command: Command, console: Console): void {
  const sub = (name: string, says: string) =>
    addClientFlags(command.command(name).description(says).exitOverride(), "internal");
  sub("create", "make one; it is shown only now")
    .requiredOption("--name <name>", "what it is for, such as ci")
    .requiredOption("--role <roles>", `one or more of ${roleNames.join(",")}`, parseRoles)
    .option("--expires <time>", "when it ends, such as 12h or 90d; without it never", readSpan)
    .action((options: CreateOptions) => create(options, console));
  sub("list", "all tokens; those that ended for another 90 days").action((options: ClientOptions) =>
    list(options, console),
  );
  sub("revoke", "end one")
    .argument("<id>", "as `token list` shows it")
    .action((id: string, options: ClientOptions) => revoke(id, options, console));
}

function parseRoles(given: string): readonly string[] {
  const names = given.split(",").map((name) => name.trim());
  if (names.every((name) => roleNames.includes(name))) return names;
  throw new InvalidArgumentError(`expected one or more of ${roleNames.join(",")}`);
}

async function create({ name, role, expires, ...options }: CreateOptions, console: Console): Promise<void> {
  const expiresAt = expires === undefined ? {} : { expiresAt: rfc3339(console.now() + expires) };
  const body = { name, roles: role, ...expiresAt };
  const made = await clientOf(options, console).post<{ token: string; record: WireToken }>(
    "/reprise/v1/tokens",
    body,
    "the new token",
  );
  if (options.json === true) return console.out(`${JSON.stringify(made, undefined, 2)}\n`);
  const { id = "", expiresAt: end } = made.record;
  console.err(
    `Token ${id} for ${name}: ${role.join(", ")}; ${end === undefined ? "it does not expire" : `until ${end}`}.\n` +
      "It is shown only now: keep it in a file of mode 0600, for --token-file or REPRISE_TOKEN_FILE.\n",
  );
  console.out(`${made.token}\n`);
}

async function list(options: ClientOptions, console: Console): Promise<void> {
  const answer = await clientOf(options, console).get<{ tokens?: readonly WireToken[] }>(
    "/reprise/v1/tokens",
    {},
    "tokens",
  );
  const tokens = answer.tokens ?? [];
  if (options.json === true) return console.out(`${JSON.stringify({ tokens }, undefined, 2)}\n`);
  console.out(renderTokens(tokens, viewOf(console)));
}

async function revoke(id: string, options: ClientOptions, console: Console): Promise<void> {
  const path = `/reprise/v1/tokens/${encodeURIComponent(id)}:revoke`;
  const { record } = await clientOf(options, console).post<{ record: WireToken }>(path, {}, `token ${id}`);
  if (options.json === true) return console.out(`${JSON.stringify({ record }, undefined, 2)}\n`);
  console.out(`Token ${id} (${record.name ?? ""}) is revoked; other servers of the same database follow within 5 s.\n`);
}

const clientOf = (options: ClientOptions, console: Console) => createClient(options, console, "internal");

const rfc3339 = (at: Instant): string => new Date(at).toISOString();
