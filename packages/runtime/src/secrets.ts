/**
 * secrets: hides what must never be printed: in a log, in `reprise config`, in an error.
 *
 * Takes   any text or value. Values are copied, never changed.
 * Pure    Keys that name a secret are hidden whole; in texts the password of a URL, a bearer token, a token that a server
 *         has made and a JWT are.
 * Bound   nesting of 6; deeper values are left out.
 */
const hidden = "***";
/** `tokenFile` is a path and may be shown; `token` may not. */
const secretKey = /(token|password|passwd|secret|authorization|api_?key)$/i;
const urlPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi;
const bearer = /\b(bearer)\s+[\w.~+/-]{8,}=*/gi;
/** Tokens that a server has made keep their ID, which is public; JWTs keep nothing. */
const madeToken = /\b(reprise_[0-9a-f]{12}_)[\w-]{43}/g;
const jwt = /\beyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*/g;
const depthMax = 6;

export function maskText(text: string): string {
  return text
    .replace(urlPassword, `$1:${hidden}@`)
    .replace(bearer, `$1 ${hidden}`)
    .replace(madeToken, `$1${hidden}`)
    .replace(jwt, hidden);
}

/** An Error becomes {type, message, code, stack, cause}: JSON would show it as `{}`. */
export function maskValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth >= depthMax) return "…";
  if (value instanceof Error) return maskError(value, depth);
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key) && item !== undefined && item !== null ? hidden : maskValue(item, depth + 1),
    ]),
  );
}

function maskError(error: Error, depth: number): object {
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    type: error.name,
    message: maskText(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: maskText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: maskValue(error.cause, depth + 1) }),
  };
}
