/**
 * page-token: which rows of a listing a caller asks for.
 *
 * Takes   the paging fields of a request, as they came.
 * Gives   rows `offset`…`offset + limit - 1`; or, for the opaque kind, the position after which to go on.
 * Pure    Total but for `Refusal("invalid", …)`, which names the field.
 * Keeps   an opaque token is good only for the query that made it. It is no secret and proves nothing else: the
 *         position in it is checked like any input.
 * Source  api.md §1: limit 0 or absent is the default, above the maximum is the maximum, below 0 is refused.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";

export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

export interface PageAsk {
  readonly pageToken?: string | undefined;
  readonly pageNumber?: number | undefined;
  readonly limit?: number | undefined;
}

export interface PageFields {
  readonly token: string;
  readonly rowsMax: number;
}

const usual: PageFields = { token: "pageToken", rowsMax: limits.pageRowsMax };

/** @param fields What the token is called in this request, and how many rows it may have. */
export function sliceOf(ask: PageAsk, fields: PageFields = usual): Slice {
  const limit = limitOf(ask.limit, fields.rowsMax);
  const token = ask.pageToken ?? "";
  if (ask.pageNumber === undefined) return { offset: token === "" ? 0 : offsetOf(fields.token, token), limit };
  if (token !== "") throw invalid(`${fields.token} and pageNumber exclude one another; give one of them`);
  if (ask.pageNumber < 1) throw invalid(`pageNumber: ${ask.pageNumber} is not a page; the first one is 1`);
  return { offset: (ask.pageNumber - 1) * limit, limit };
}

export function limitOf(limit: number | undefined, rowsMax: number = limits.pageRowsMax): number {
  if (limit === undefined || limit === 0) return Math.min(limits.pageRowsDefault, rowsMax);
  if (limit < 0) throw invalid(`limit: ${limit} is negative; expected 1 to ${rowsMax}`);
  return Math.min(limit, rowsMax);
}

/** The token of the page after this one. Empty: there is none. */
export function nextPageToken(
  slice: Slice,
  { hasMore, nextOffset = slice.offset + slice.limit }: { readonly hasMore: boolean; readonly nextOffset?: number },
): string {
  return hasMore ? String(nextOffset) : "";
}

function offsetOf(field: string, token: string): number {
  const offset = /^\d+$/.test(token) ? Number(token) : Number.NaN;
  if (!Number.isSafeInteger(offset)) throw invalid(`${field}: ${JSON.stringify(token)} is not a decimal offset`);
  return offset;
}

/** Where an opaque walk stands: the sort key of the last row given. */
export type Position = readonly (string | number)[];

/**
 * @param query    Everything that must not change during the walk. Its JSON text counts: build it in one place.
 * @param position The sort key of the last row of this page.
 */
export function opaqueToken(query: unknown, position: Position): string {
  return toBase64Url(JSON.stringify([fingerprint(query), ...position]));
}

/**
 * @param shape What the position must look like, e.g. `["number", "string"]`.
 * @throws Refusal invalid: not a token of ours, or one of another query.
 */
export function readOpaqueToken(
  field: string,
  token: string,
  query: unknown,
  shape: readonly ("string" | "number")[],
): Position {
  const content = parse(token);
  if (content === undefined) throw invalid(`${field}: not a token of this API; pass one on as it was given`);
  const [madeFor, ...position] = content;
  if (madeFor !== fingerprint(query)) {
    throw invalid(`${field}: was made for another query; the filters must not change between pages`);
  }
  const fits = position.length === shape.length && position.every((part, i) => typeof part === shape[i]);
  if (!fits) throw invalid(`${field}: not a token of this listing`);
  return position as Position;
}

function parse(token: string): unknown[] | undefined {
  try {
    const content: unknown = JSON.parse(fromBase64Url(token));
    return Array.isArray(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** FNV-1a, 64 bit: tells an honest caller that his filters changed. Whoever forges one only cheats himself. */
function fingerprint(query: unknown): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify(query))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(36);
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** @throws where it is not base64url of UTF-8. */
function fromBase64Url(token: string): string {
  const binary = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
}

const invalid = (message: string) => new Refusal("invalid", message);
