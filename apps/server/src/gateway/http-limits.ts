/**
 * http-limits: what one HTTP caller may not do to the others: send too much, too slowly, or packed.
 *
 * Bound   `limits.headerBytesMax` of headers within `headersMs`, the whole request within `limits.requestDeadlineMs`,
 *         `limits.connectionsMax` connections a listener.
 */
import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { grpcCode, toHttpError } from "@reprise/protocol/refusal.ts";

/** How long a caller may take, and how often it is looked at. */
export interface HttpPatience {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly lookEveryMs: number;
}

export const usualPatience: HttpPatience = {
  headersMs: 10_000,
  requestMs: limits.requestDeadlineMs,
  lookEveryMs: 1_000,
};

export const limitsOf = ({ headersMs, requestMs, lookEveryMs }: HttpPatience): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: lookEveryMs,
  maxHeaderSize: limits.headerBytesMax,
});

export function bound(server: Server): void {
  server.maxHeadersCount = limits.headersMax;
  server.maxConnections = limits.connectionsMax;
  server.on("clientError", answerBroken);
}

/** What is no request gets an answer in our form, and its connection ends. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const [status, message] = brokenBecause(error.code);
  const { body } = toHttpError({ code: grpcCode.invalidArgument, message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function brokenBecause(code: string | undefined): readonly [status: string, message: string] {
  if (code === "HPE_HEADER_OVERFLOW")
    return ["431 Request Header Fields Too Large", `headers: more than ${limits.headerBytesMax} bytes`];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["408 Request Timeout", "the request did not come in time"];
  return ["400 Bad Request", "this is no HTTP/1.1 request"];
}

/** @returns What is wrong with how the body is packed: a small body could unpack to a very large one. */
export function packed({ headers }: IncomingMessage): string | undefined {
  const encoding = headers["content-encoding"] ?? "identity";
  return encoding.trim().toLowerCase() === "identity"
    ? undefined
    : `content-encoding: ${encoding.slice(0, 40)}; expected none: send the body as it is`;
}

/** The body; what comes after a refusal is read and thrown away, so that the caller hears of it, up to as much again. */
export function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new Refusal("invalid", `the body is larger than ${bytesMax} bytes`);
  return new Promise((resolve, reject) => {
    let [chunks, bytes]: [Buffer[], number] = [[], 0];
    if (Number(request.headers["content-length"] ?? 0) > bytesMax) reject(tooLarge());
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return void chunks.push(chunk);
      chunks = [];
      reject(tooLarge());
      if (bytes > bytesMax + limits.discardedBytesMax) request.destroy();
    });
    request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on("error", () => reject(new Refusal("invalid", "the body ended before its end")));
  });
}
