/**
 * http-get: one request, over node:http: `fetch` refuses some ports that a site may well have chosen.
 *
 * Fails   rejects with the error of the connection; a `TimeoutError` after `limitMs`. Redirects are not followed.
 * Bound   `limitMs`, `answerBytesMax`.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const answerBytesMax = 64 * 1024 * 1024;

export function httpGet(url: URL, headers: Readonly<Record<string, string>>, limitMs: number): Promise<Answer> {
  return httpSend({ method: "GET", url, headers }, limitMs);
}

/** PEM. */
export interface TlsTexts {
  /** The authority of the server's certificate, instead of those that this machine trusts. */
  readonly ca?: string;
  /** The caller's own, where the server asks for it. */
  readonly cert?: string;
  readonly key?: string;
}

export interface Sent {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls?: TlsTexts;
}

export function httpSend({ method, url, headers, body, tls }: Sent, limitMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    const asked = request(url, { method, headers, signal, agent: false, ...tls }, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > answerBytesMax) answer.destroy(new Error(`more than ${answerBytesMax} bytes`));
      });
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    asked.end(body);
  });
}
