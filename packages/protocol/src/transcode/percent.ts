/**
 * percent: the two encodings of a request target, read strictly.
 *
 * Fails   `Refusal("invalid", …)` for `%` without two hexadecimal digits, and for bytes that are not UTF-8: what we
 *         cannot read we do not guess at, since a wrong ID would name another job.
 */
import { Refusal } from "@reprise/core/refusal.ts";

/** One segment of a path: `a%2Fb` is one segment with a slash in it, and `+` is a plus. */
export function decodeSegment(raw: string): string {
  return decode(raw, "path");
}

/**
 * `a=1&b=x+y` in order, `+` being a space.
 *
 * @returns Every key with its values. A key without `=` has the empty value.
 */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decodeForm(pair.slice(equals + 1));
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}

const decodeForm = (raw: string): string => decode(raw.replaceAll("+", " "), "query");

function decode(raw: string, where: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Refusal("invalid", `${where}: ${JSON.stringify(raw)} is not percent-encoded UTF-8`);
  }
}
