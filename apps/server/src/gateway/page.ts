/**
 * page: the dashboard as files: what a browser gets from this server beside the API. Nothing in it is secret; what it shows it asks the
 * API for, with its user's token.
 *
 * Takes   the folder that `make dashboard` has built. Read once, when the server starts.
 * Gives   a file by its path; the document for every other path that a browser navigates to: the page itself knows its routes.
 * Keeps   the page runs nothing and reaches nothing that this server did not give it (`policy`); files whose name carries their hash are
 *         kept for ever, the document is asked for each time.
 * Fails   where nothing is built the document says how to build it.
 * Source  https://www.w3.org/TR/CSP3
 */
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { gzipSync } from "node:zlib";
import { extname, join, relative, sep } from "node:path";

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** @returns undefined: it is for the API to answer. Only who accepts HTML navigates. */
export type Page = (method: string, path: string, headers: IncomingHttpHeaders) => PageAnswer | undefined;

const typeOf: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A style attribute that a script sets is no inline style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const usualHeaders = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

/** Paths of the API: what is not found there is answered as the API answers. */
const isOfApi = (path: string) => /^\/(?:v1|reprise|heimdall)(?:\/|$)|^\/(?:openapi\.json|healthz|readyz)$/.test(path);

/** @param prefix Before every path of this listener; empty for none. @param folder Absent: there is no dashboard. */
export function createPage(prefix: string, folder: string | undefined): Page {
  if (folder === undefined) return () => undefined;
  const files = filesOf(folder, prefix);
  const document = files.get("/index.html") ?? notBuilt;
  return (method, path, headers) => {
    if (method !== "GET" && method !== "HEAD") return undefined;
    const isNavigated = !isOfApi(path) && headers.accept?.includes("text/html") === true;
    const file = files.get(path) ?? (path === "/" || path === "" || isNavigated ? document : undefined);
    return /\bgzip\b/.test(headers["accept-encoding"] ?? "") ? file?.packed() : file?.plain;
  };
}

interface File {
  readonly plain: PageAnswer;
  /** Made when it is asked for first: no start waits for it. */
  readonly packed: () => PageAnswer;
}

function filesOf(folder: string, prefix: string): ReadonlyMap<string, File> {
  const files = new Map<string, File>();
  for (const entry of entriesOf(folder)) {
    const type = typeOf[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const full = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, full).split(sep).join("/")}`;
    const body = readFileSync(full);
    files.set(path, fileOf(200, type, cacheOf(path), path === "/index.html" ? based(body, prefix) : body));
  }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return []; // Nothing was built.
  }
}

const cacheOf = (path: string) => (path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");

/** Addresses in the document are relative to where this listener's paths begin. */
const based = (html: Buffer, prefix: string): Buffer =>
  Buffer.from(html.toString("utf8").replace("<head>", `<head><base href="${prefix}/">`));

function fileOf(status: number, type: string, cache: string, body: Buffer): File {
  const headers = { ...usualHeaders, "content-type": type, "cache-control": cache, vary: "accept-encoding" };
  const sized = (bytes: Buffer, more = {}): PageAnswer => ({
    status,
    headers: { ...headers, "content-length": String(bytes.length), ...more },
    body: bytes,
  });
  let packed: PageAnswer | undefined;
  return {
    plain: sized(body),
    packed: () => (packed ??= sized(gzipSync(body, { level: 9 }), { "content-encoding": "gzip" })),
  };
}

const notBuilt = fileOf(
  503,
  typeOf[".html"] ?? "",
  "no-store",
  Buffer.from(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Reprise</title>
<h1>The dashboard is not built</h1>
<p>In the checkout that this server runs from: <code>make dashboard</code>; then start the server again. The API answers without it.</p></html>\n`,
  ),
);
