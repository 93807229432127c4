/**
 * change-log: the newest changes with a number each, so that whoever was away for a moment gets what was told meanwhile, or is told that
 * it is not known any more.
 *
 * In the loop   commit → store → **change-log** → a stream for each who watches → look
 * Keeps         nobody misses a change in silence: who comes back with an ID gets all that came after it; who has none, has one of another
 *               server or of before its start, or reads too slowly, is told `anew`: read everything again.
 * Bound         `keptMax` changes. It listens from the first `follow` on, for as long as the store lives.
 */
import { randomBytes } from "node:crypto";
import type { Change, Store } from "./store.ts";

const keptMax = 1_000;

export interface Told {
  /** `resumed`: what follows is all that was missed. `anew`: what was missed is not known. */
  readonly kind: Change["kind"] | "resumed";
  readonly heimdallJobId: string;
  /** After it the one who was told goes on. Opaque: of this server, since its start. */
  readonly eventId: string;
}

export interface ChangeLog {
  /** @param lastEventId Of the last that was told; empty for none. Ends when `signal` is aborted. */
  follow(lastEventId: string, signal: AbortSignal): AsyncGenerator<Told, void, undefined>;
}

export function createChangeLog(store: Pick<Store, "onChange">): ChangeLog {
  const start = randomBytes(9).toString("base64url");
  const kept: Change[] = [];
  let told = 0; // The number of the newest one; `kept` ends with it.
  const waiting = new Set<() => void>();
  let isListening = false;

  function keep(change: Change): void {
    told++;
    if (change.kind === "anew") kept.length = 0;
    else kept.push(change);
    if (kept.length > keptMax) kept.shift();
    for (const wake of waiting) wake();
  }

  /** The number after which everything is known; undefined where that cannot be said of it. */
  function numberOf(eventId: string): number | undefined {
    const [of, number] = eventId.split(".", 2);
    if (of !== start || !/^\d{1,15}$/.test(number ?? "")) return undefined;
    return isKnownAfter(Number(number)) ? Number(number) : undefined;
  }
  const isKnownAfter = (number: number) => number <= told && number >= told - kept.length;
  const idOf = (number: number) => `${start}.${number}`;

  return {
    async *follow(lastEventId, signal) {
      if (!isListening) store.onChange(keep);
      isListening = true;
      const since = numberOf(lastEventId);
      let at = since ?? told;
      yield { kind: since === undefined ? "anew" : "resumed", heimdallJobId: "", eventId: idOf(at) };
      while (!signal.aborted) {
        if (!isKnownAfter(at)) {
          at = told;
          yield { kind: "anew", heimdallJobId: "", eventId: idOf(at) };
        } else if (at < told) {
          const change = kept[kept.length - (told - at)];
          at++;
          if (change !== undefined) yield { ...change, eventId: idOf(at) };
        } else await woken(waiting, signal);
      }
    },
  };
}

function woken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener("abort", wake);
  });
}
