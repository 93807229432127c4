/**
 * network: the way between a client and the server, which loses, delays, repeats and reorders.
 *
 * Keeps   as gRPC does: the caller learns nothing of a lost answer but that its time is over; a server that dies breaks what is
 *         under way; one that is not there refuses at once. A request that is late is carried out late.
 * Bound   each unary call has `deadlineMs`.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { Caller } from "@reprise/server/manager/context.ts";
import type { Lots } from "./chance.ts";
import type { WorldClock } from "./clock.ts";
import type { FaultKind } from "./fault-kinds.ts";
import type { Link } from "./rpc.ts";
import type { SimProcess } from "./sim-process.ts";

/** Of each call; 0 to 1. All absent: a perfect network. */
export interface NetworkFaults {
  readonly dropRequest: number;
  readonly loseAnswer: number;
  readonly delay: number;
  readonly delayMaxMs: number;
  readonly repeat: number;
  readonly loseHint: number;
}

export const perfect: NetworkFaults = {
  dropRequest: 0,
  loseAnswer: 0,
  delay: 0,
  delayMaxMs: 0,
  repeat: 0,
  loseHint: 0,
};

/** The server as it can be reached now. */
export interface Reachable {
  readonly process: SimProcess;
  /** Rejects what is under way when the server dies. */
  readonly broken: Set<(why: Error) => void>;
}

export interface NetworkDeps {
  readonly world: WorldClock;
  readonly chance: Lots;
  readonly client: SimProcess;
  readonly deadlineMs: number;
  readonly server: () => Reachable | undefined;
  readonly faults: () => NetworkFaults;
  readonly onFault: (kind: FaultKind) => void;
  /** Ends when the client dies or is stopped: nobody reads its streams any more. */
  readonly gone: AbortSignal;
}

const away = () => new Refusal("unavailable", "the server cannot be reached");

export function createLink(deps: NetworkDeps): Link & { isCut: boolean } {
  const link = {
    isCut: false,
    unary: (name: string, call: (caller: Caller) => Promise<object>) => unary(deps, link.isCut, name, call),
    stream: (_name: string, open: (caller: Caller) => AsyncIterable<object>, signal?: AbortSignal) =>
      stream(deps, link, open, signal),
  };
  return link;
}

const caller = (client: SimProcess, signal: AbortSignal): Caller => ({ name: client.name, signal });

function unary(
  deps: NetworkDeps,
  isCut: boolean,
  name: string,
  call: (caller: Caller) => Promise<object>,
): Promise<object> {
  const { world, client, gone } = deps;
  const server = deps.server();
  if (server === undefined || isCut) return Promise.reject(away());
  const way = drawWay(deps);
  return new Promise((resolve, reject) => {
    const isPrompt = way.requestMs === 0 && way.answerMs === 0 && !way.isLost && !server.process.isPaused;
    const deadline = world.after(deps.deadlineMs, () =>
      end(() => reject(new Refusal("deadline", `${name} took too long`))),
    );
    const broken = (why: Error) => end(() => reject(why));
    server.broken.add(broken);
    const end = (answer: () => void) => {
      deadline.cancel();
      server.broken.delete(broken);
      answer();
    };
    const carry = async (isFirst: boolean) => {
      if (server.process.isDead) return;
      try {
        const answer = await call(caller(client, gone));
        if (!isFirst || way.isLost) return;
        if (way.answerMs > 0) await world.wait(way.answerMs);
        end(() => resolve(answer));
      } catch (error) {
        if (isFirst && !way.isLost) end(() => reject(asTheWireSays(error)));
      }
    };
    if (isPrompt && !way.isRepeated) return void carry(true);
    if (way.isDropped) return;
    void arrive(server, world, way.requestMs).then(() => carry(true));
    if (way.isRepeated) void arrive(server, world, way.requestMs + way.repeatMs).then(() => carry(false));
  });
}

async function arrive({ process }: Reachable, world: WorldClock, afterMs: number): Promise<void> {
  await world.wait(afterMs);
  while (process.isPaused) await process.resumed;
}

interface Way {
  readonly isDropped: boolean;
  readonly isLost: boolean;
  readonly isRepeated: boolean;
  readonly requestMs: number;
  readonly answerMs: number;
  readonly repeatMs: number;
}

const straight: Way = { isDropped: false, isLost: false, isRepeated: false, requestMs: 0, answerMs: 0, repeatMs: 0 };

function drawWay({ chance, faults, onFault }: NetworkDeps): Way {
  const f = faults();
  if (f === perfect) return straight;
  const isDropped = chance.yes(f.dropRequest);
  const isLost = isDropped || chance.yes(f.loseAnswer);
  const isDelayed = chance.yes(f.delay);
  const isRepeated = chance.yes(f.repeat);
  if (!isLost && !isDelayed && !isRepeated) return straight;
  for (const [kind, is] of [
    ["dropped", isDropped],
    ["answer lost", isLost && !isDropped],
    ["delayed", isDelayed],
    ["repeated", isRepeated],
  ] as const) {
    if (is) onFault(`message ${kind}`);
  }
  const ms = () => Math.round(chance.spread(1, Math.max(2, f.delayMaxMs)));
  return {
    isDropped,
    isLost,
    isRepeated,
    requestMs: isDelayed ? ms() : 0,
    answerMs: isDelayed ? ms() : 0,
    repeatMs: isRepeated ? ms() : 0,
  };
}

function asTheWireSays(error: unknown): Error {
  return error instanceof Refusal ? error : new Error("internal error");
}

async function* stream(
  deps: NetworkDeps,
  link: { readonly isCut: boolean },
  open: (caller: Caller) => AsyncIterable<object>,
  signal: AbortSignal | undefined,
): AsyncGenerator<object> {
  const server = deps.server();
  if (server === undefined || link.isCut) throw away();
  const hangUp = new AbortController();
  const stop = () => hangUp.abort();
  let fail = (_why: Error) => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => {});
  server.broken.add(fail);
  const ended = new Promise<undefined>((resolve) => hangUp.signal.addEventListener("abort", () => resolve(undefined)));
  deps.gone.addEventListener("abort", stop);
  signal?.addEventListener("abort", stop);
  try {
    const hints = open(caller(deps.client, hangUp.signal))[Symbol.asyncIterator]();
    while (!hangUp.signal.aborted) {
      const next = await Promise.race([hints.next(), failed, ended]);
      if (next === undefined || next.done === true) return;
      if (link.isCut) throw away();
      if (deps.chance.yes(deps.faults().loseHint)) deps.onFault("hint lost");
      else yield next.value;
    }
  } finally {
    hangUp.abort();
    server.broken.delete(fail);
    deps.gone.removeEventListener("abort", stop);
    signal?.removeEventListener("abort", stop);
  }
}
