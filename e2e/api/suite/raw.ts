/**
 * raw: sends one HTTP request byte by byte as given, which no HTTP client would do.
 *
 * Gives   the status of the answer; 0 where the server hung up without one.
 */
import { connect } from "node:net";

export interface RawAsked {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** @param url Of the server; only its host and port count. */
export function sendRaw(url: string, { method, target, headers, body }: RawAsked): Promise<number> {
  const { hostname, port } = new URL(url);
  const bytes = Buffer.from(body);
  const head = [
    `${method} ${target} HTTP/1.1`,
    "host: x",
    "connection: close",
    `content-length: ${bytes.length}`,
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let got = "";
    const end = () => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(got)?.[1] ?? 0));
    };
    socket.on("connect", () =>
      socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes])),
    );
    socket.on("data", (chunk: Buffer) => {
      got += chunk.toString("latin1");
      if (got.includes("\r\n")) end(); // A stream would go on.
    });
    socket.on("close", end);
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? reject(error) : end()));
  });
}
