/**
 * group: the ranks of one training, joined by TCP; every step each gives numbers and gets the sums of all.
 *
 * In the loop   gradients → **sum over ranks** → the same step of the optimiser everywhere
 * Takes         settings; on rank 0 also the state that all start from.
 * Writes        rank 0 listens on a free port and publishes it in `rendezvous/<runId>.json` of the training folder: several jobs, and
 *               several starts of one job, never meet.
 * Keeps         rank 0 adds in the order of ranks, whoever came first: the same numbers give the same bits.
 * Fails         a peer that is gone rejects the sum that waits for it, with a `PeerLost`. A peer that is silent is waited for without end.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { writeDurably } from "./checkpoint.ts";
import type { Settings } from "./settings.ts";

export class PeerLost extends Error {
  readonly peer: string;
  constructor(peer: string, cause: string) {
    super(cause);
    this.name = "PeerLost";
    this.peer = peer;
  }
}

type Numbers = Float64Array<ArrayBuffer>;

export interface Group {
  /** What rank 0 started with. */
  readonly start: Numbers;
  /** Resolves when every rank has given its own. */
  sum(own: Numbers): Promise<Numbers>;
  leave(): void;
}

const lookEveryMs = 10;
const joinWithinMs = 60_000;

export async function joinGroup(settings: Settings, start: () => Numbers): Promise<Group> {
  return settings.rank === 0 ? await lead(settings, start()) : await follow(settings);
}

async function lead(settings: Settings, start: Numbers): Promise<Group> {
  const peers = new Map<number, Wire>();
  const server = createServer();
  const joined = new Promise<void>((resolve) => {
    if (settings.worldSize === 1) resolve();
    const greet = async (socket: Socket) => {
      const wire = new Wire(socket, `${socket.remoteAddress}:${socket.remotePort}`);
      const [rank = -1] = await wire.receive().catch(() => new Float64Array());
      if (rank < 1 || rank >= settings.worldSize || peers.has(rank)) return socket.destroy(); // Not one of us.
      peers.set(rank, wire);
      if (peers.size === settings.worldSize - 1) resolve();
    };
    server.on("connection", (socket) => void greet(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, settings.address, resolve));
  const path = meetingPoint(settings);
  mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  writeDurably(path, Buffer.from(JSON.stringify(server.address())));
  await within(joinWithinMs, joined, () => `${peers.size + 1} of ${settings.worldSize} ranks came`);
  server.close();
  rmSync(path, { force: true });

  const byRank = [...peers].sort(([a], [b]) => a - b).map(([, wire]) => wire);
  for (const wire of byRank) wire.send(start);
  return {
    start,
    async sum(own) {
      const total = own.slice();
      const parts = await Promise.all(byRank.map((wire) => wire.receive()));
      for (const part of parts) for (let i = 0; i < total.length; i++) total[i]! += part[i]!;
      for (const wire of byRank) wire.send(total);
      return total;
    },
    leave: () => byRank.forEach((wire) => wire.end()),
  };
}

async function follow(settings: Settings): Promise<Group> {
  const path = meetingPoint(settings);
  for (let waitedMs = 0; !existsSync(path); waitedMs += lookEveryMs) {
    if (waitedMs > joinWithinMs) throw new PeerLost(settings.address, `rank 0 did not publish ${path}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const { port } = JSON.parse(readFileSync(path, "utf8")) as { port: number };
  const wire = new Wire(connect({ host: settings.address, port }), `${settings.address}:${port}`);
  wire.send(Float64Array.of(settings.rank));
  return {
    start: await wire.receive(),
    sum(own) {
      wire.send(own);
      return wire.receive();
    },
    leave: () => wire.end(),
  };
}

const meetingPoint = ({ dir, runId }: Settings) => `${dir}/rendezvous/${runId}.json`;

/** One connection that carries lists of numbers: a count of bytes (32 bits), then the numbers. */
class Wire {
  private readonly socket: Socket;
  private readonly peer: string;
  private readonly ready: Numbers[] = [];
  private readonly waiting: { resolve(numbers: Numbers): void; reject(error: Error): void }[] = [];
  private chunks: Buffer[] = [];
  private bytes = 0;
  private lost: PeerLost | undefined;

  constructor(socket: Socket, peer: string) {
    this.socket = socket;
    this.peer = peer;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      this.lose(error.code === "EPIPE" ? "Broken pipe" : "Connection reset by peer"),
    );
    socket.on("close", () => this.lose("Connection reset by peer"));
  }

  send(numbers: Numbers): void {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(numbers.byteLength);
    this.socket.write(length);
    this.socket.write(Buffer.from(numbers.slice().buffer));
  }

  receive(): Promise<Numbers> {
    const first = this.ready.shift();
    if (first !== undefined) return Promise.resolve(first);
    if (this.lost !== undefined) return Promise.reject(this.lost);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  end(): void {
    this.socket.end();
  }

  private take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    for (;;) {
      if (this.bytes < 4) return;
      if (this.chunks[0]!.length < 4) this.chunks = [Buffer.concat(this.chunks)];
      const length = this.chunks[0]!.readUInt32LE();
      if (this.bytes < 4 + length) return;
      const all = Buffer.concat(this.chunks);
      const numbers = new Float64Array(all.buffer.slice(all.byteOffset + 4, all.byteOffset + 4 + length));
      this.chunks = [all.subarray(4 + length)];
      this.bytes -= 4 + length;
      const next = this.waiting.shift();
      if (next === undefined) this.ready.push(numbers);
      else next.resolve(numbers);
    }
  }

  private lose(cause: string): void {
    this.lost ??= new PeerLost(this.peer, cause);
    for (const { reject } of this.waiting.splice(0)) reject(this.lost);
  }
}

async function within<T>(limitMs: number, done: Promise<T>, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PeerLost("rendezvous", what())), limitMs);
  });
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
