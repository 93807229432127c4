/**
 * watch: hears from the server that something has changed, and says so. Only a hint to look again; the poll of each page is the truth.
 *
 * Gives   `live` while the stream is open, else `away`; a call of `onChange` for what came within `gatherMs`, and one after each return,
 *         since what was missed meanwhile is not known.
 * Bound   tries again after 1 s, then twice as long each time, 30 s at most.
 */
import { addressOf, headersOf } from "./client.ts";
import { readToken } from "./session.ts";

/** The first one is told at once, as a person has it; what follows is gathered: thousands of jobs always change. */
const gatherMs = { first: 300, next: 3_000 };
const againMs = { first: 1_000, max: 30_000 };

export interface Watching {
  readonly onState: (state: "live" | "away") => void;
  readonly onChange: () => void;
}

/** @returns How to stop. */
export function startWatch({ onState, onChange }: Watching): () => void {
  const end = new AbortController();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let toldAt = -Infinity;
  const changed = () => {
    const waitMs = Math.max(gatherMs.first, toldAt + gatherMs.next - performance.now());
    gathering ??= setTimeout(() => {
      gathering = undefined;
      toldAt = performance.now();
      onChange();
    }, waitMs);
  };
  void (async () => {
    for (let waitMs = againMs.first; !end.signal.aborted; waitMs = Math.min(2 * waitMs, againMs.max)) {
      const hasHeard = await listen(end.signal, changed, () => {
        onState("live");
        changed();
      });
      if (end.signal.aborted) return;
      onState("away");
      if (hasHeard) waitMs = againMs.first;
      await sleep(waitMs, end.signal);
    }
  })();
  return () => {
    end.abort();
    clearTimeout(gathering);
  };
}

/** @returns true: the stream was open for a time. */
async function listen(signal: AbortSignal, onHint: () => void, onOpen: () => void): Promise<boolean> {
  try {
    const response = await fetch(addressOf("/reprise/v1/watch"), { headers: headersOf(readToken()), signal });
    if (!response.ok || response.body === null) return false;
    onOpen();
    const reader = response.body.getReader();
    for (;;) {
      const { done } = await reader.read();
      if (done) return true;
      onHint();
    }
  } catch {
    return false;
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
