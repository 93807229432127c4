/**
 * post: one call of a webhook.
 *
 * Gives   undefined when it was taken (2xx); else why not, in words that have no part of the URL but its host: the rest may be a secret.
 * Keeps   the name is resolved once, each of its addresses judged, and the call goes to one of these: a name that changes its mind
 *         between look and call (DNS rebinding) gains nothing. Redirects are not followed. Without TLS only to what the site allows.
 * Bound   `limitMs` in all; of the answer nothing but its status is read.
 */
import { lookup as resolveName } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Reach } from "./allowed-address.ts";

export interface Call {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly limitMs: number;
}

/** How names are resolved: all addresses of one. Node's own, but for tests. */
export type Resolve = (
  host: string,
  found: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

const byNode: Resolve = (host, found) => resolveName(host, { all: true }, (error, list) => found(error, list));

export async function post(call: Call, reach: Reach, resolve: Resolve = byNode): Promise<string | undefined> {
  const { url } = call;
  if (url.protocol !== "https:" && url.protocol !== "http:") return `${url.protocol} is no web address`;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = (address: string): string | undefined => {
    if (reach.isAllowed(address)) return undefined;
    if (!reach.isPublic(address)) return `${host} is at ${address}, which is not public: expected it in notify_allow`;
    return url.protocol === "https:"
      ? undefined
      : `${host} is called without TLS: expected https, or it in notify_allow`;
  };
  const literal = isIP(host) === 0 ? undefined : refusal(host); // An address is not looked up.
  if (literal !== undefined) return literal;
  const lookup: LookupFunction = (name, options, answer) =>
    resolve(name, (error, addresses) => {
      const why = addresses.map(({ address }) => refusal(address)).find((one) => one !== undefined);
      const failed = error ?? (why === undefined ? undefined : new Error(why));
      const [first] = addresses;
      if (failed !== undefined || first === undefined) answer(failed ?? new Error(`${name} has no address`), "", 0);
      else if (options.all === true) answer(null, [...addresses]);
      else answer(null, first.address, first.family);
    });
  try {
    const status = await send(call, lookup);
    if (status >= 200 && status < 300) return undefined;
    return status >= 300 && status < 400
      ? `${host} answers ${status}: redirects are not followed`
      : `${host} answers ${status}, expected 2xx`;
  } catch (error) {
    return `${host}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function send({ url, headers, body, limitMs }: Call, lookup: LookupFunction): Promise<number> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    const length = String(Buffer.byteLength(body));
    const options = { method: "POST", headers: { ...headers, "content-length": length }, lookup, signal, agent: false };
    const asked = request(url, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.on("error", (error) => reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`) : error));
    asked.end(body);
  });
}
