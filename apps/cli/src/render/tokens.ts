/** tokens: the list of tokens that the site has made. Pure. */
import { type Column, renderTable } from "./table.ts";
import { age, dateTime, instant } from "./time.ts";
import type { View } from "./view.ts";

export interface WireToken {
  readonly id?: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  /** RFC 3339, as the next two. */
  readonly createdAt?: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
}

export function renderTokens(tokens: readonly WireToken[], view: View): string {
  if (tokens.length === 0) return "No tokens: `reprise token create --name ci --role viewer` makes one.\n";
  const columns: Column<WireToken>[] = [
    { title: "ID", cell: ({ id }) => id ?? "" },
    { title: "NAME", cell: ({ name }) => name ?? "", canShrink: true },
    { title: "ROLES", cell: ({ roles }) => (roles ?? []).join(","), canShrink: true },
    { title: "AGE", cell: ({ createdAt }) => age(view.now - (instant(createdAt) ?? view.now)) },
    { title: "STATE", cell: (token) => stateOf(token, view) },
  ];
  return renderTable(columns, tokens, view.width);
}

function stateOf({ expiresAt, revokedAt }: WireToken, view: View): string {
  const [end, revoked] = [instant(expiresAt), instant(revokedAt)];
  if (revoked !== undefined) return `revoked ${dateTime(revoked, view.timeZone)}`;
  if (end === undefined) return "valid";
  return `${end <= view.now ? "expired" : "valid until"} ${dateTime(end, view.timeZone)}`;
}
