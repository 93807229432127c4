/**
 * client: asks the API of the server that this page came from.
 *
 * Gives   the JSON of an answer. Fails with `ApiFailure`: what the server said, or that it said nothing.
 * Keeps   no other host: addresses are relative to the document. The server's clock is noted with every answer, so that ages are its.
 */
import { forgetToken, readToken } from "./session.ts";

/** @param code gRPC's; 0: there was no answer, or none of the API's. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401;

const answerWithinMs = 20_000;
let aheadMs = 0;

/** By the server's clock, as well as it is known. */
export const serverNow = (): number => Date.now() + aheadMs;

export const addressOf = (path: string): URL => new URL(path.replace(/^\//, ""), document.baseURI);

export function headersOf(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

export async function ask<T>(path: string, signal?: AbortSignal, body?: object, token = readToken()): Promise<T> {
  const limit = AbortSignal.timeout(answerWithinMs);
  const response = await fetch(addressOf(path), {
    headers: headersOf(token),
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    cache: "no-store",
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiFailure(0, 0, "the server does not answer");
  });
  noteClock(response.headers.get("date"));
  const answer = (await response.json().catch(() => ({}))) as T & { readonly code?: number; readonly message?: string };
  if (response.ok) return answer;
  if (response.status === 401) forgetToken();
  throw new ApiFailure(response.status, answer.code ?? 0, answer.message ?? `the server answered ${response.status}`);
}

/** The header has whole seconds: what is less apart is the same. */
function noteClock(date: string | null): void {
  const at = Date.parse(date ?? "");
  if (Number.isNaN(at)) return;
  const difference = at + 500 - Date.now();
  aheadMs = Math.abs(difference) < 2_000 ? 0 : difference;
}

/** Absent and empty values are left out; a list is a repeated key. */
export function query(path: string, values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}
