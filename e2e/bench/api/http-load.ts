/**
 * http-load: asks an HTTP server as fast as it answers, over some connections that stay open.
 *
 * Gives   how many answers a second, and how long each took. Its own cost is small: it writes ready-made bytes and reads only the
 *         status and the length of an answer.
 * Fails   at the first answer that is not 200, with its text.
 */
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";

export interface Load {
  readonly perSecond: number;
  /** How many, from the first moment on. */
  readonly answers: number;
  /** Milliseconds, in no order. */
  readonly latencies: readonly number[];
}

const warmUps = 3;

/** The bytes of the nth request. */
export type RequestOf = (n: number) => Buffer;

export function getRequest(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\n\r\n`);
}

export function postRequest(path: string, body: object): Buffer {
  const text = Buffer.from(JSON.stringify(body));
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), text]);
}

/** @param seconds How long it asks; longer until it has `answersMin`. */
export async function loadHttp(
  url: string,
  connections: number,
  seconds: number,
  requestOf: RequestOf,
  answersMin = 0,
): Promise<Load> {
  return await closedLoop(connections, seconds, () => openHttp(url, requestOf), answersMin);
}

export async function openHttp(url: string, requestOf: RequestOf): Promise<Asker> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  return { ask: (n) => ask(socket, requestOf(n)), close: () => void socket.destroy() };
}

/** One caller asks each of some askers in turn. @returns How long each answer took (ms), for each asker. */
export async function inTurn(askers: readonly Asker[], seconds: number, answersMin: number): Promise<number[][]> {
  const latencies = askers.map((): number[] => []);
  for (let n = 0; n < warmUps; n++) for (const asker of askers) await asker.ask(n);
  const end = performance.now() + seconds * 1000;
  for (let n = warmUps; performance.now() < end || n < warmUps + answersMin; n++) {
    for (const [i, asker] of askers.entries()) {
      const asked = performance.now();
      await asker.ask(n);
      latencies[i]?.push(performance.now() - asked);
    }
  }
  return latencies;
}

export interface Asker {
  ask(n: number): Promise<unknown>;
  close(): void;
}

/** Some askers, each with one question open at a time. What is asked in the first fifth of the time only warms up. */
export async function closedLoop(
  askers: number,
  seconds: number,
  open: () => Promise<Asker>,
  answersMin = 0,
): Promise<Load> {
  const latencies: number[] = [];
  let n = 0;
  const all = await Promise.all(Array.from({ length: askers }, open));
  const began = performance.now();
  const [countFrom, end] = [began + seconds * 200, began + seconds * 1000];
  await Promise.all(
    all.map(async (asker) => {
      for (let now = performance.now(); now < end || latencies.length < answersMin; ) {
        const asked = now;
        await asker.ask(n++);
        now = performance.now();
        if (asked >= countFrom) latencies.push(now - asked);
      }
    }),
  );
  const took = performance.now() - countFrom;
  for (const asker of all) asker.close();
  return { perSecond: (latencies.length / took) * 1000, answers: n, latencies };
}

/** One request, one whole answer. */
function ask(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer: Buffer = Buffer.alloc(0);
    const done = (error?: Error) => {
      socket.off("data", read).off("close", closed);
      if (error === undefined) resolve();
      else reject(error);
    };
    const read = (chunk: Buffer) => {
      answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
      const head = answer.indexOf("\r\n\r\n");
      if (head < 0) return;
      const text = answer.toString("latin1", 0, head);
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (Number.isNaN(length)) return done(new Error(`an answer without content-length:\n${text}`));
      if (answer.length < head + 4 + length) return;
      done(text.startsWith("HTTP/1.1 200") ? undefined : new Error(answer.toString()));
    };
    const closed = () => done(new Error("the server closed the connection"));
    socket.on("data", read).on("close", closed);
    socket.write(request);
  });
}
