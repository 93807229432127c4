/**
 * watch: hears from the server that something has changed, and says so. Only a hint to look again; the poll of each page is the truth.
 *
 * Gives   `live` while the stream is open, else `away`; a call of `onChange` for what came within `gatherMs`. After a return what was missed
 *         is told by the server, or that it is not known: then, too, `onChange`.
 * Keeps   a stream that shows no life for `silentMs` is dead, whatever the connection says.
 * Bound   tries again after 1 s, then twice as long each time, 30 s at most.
 */
import type { WatchResponseJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { addressOf, headersOf } from "./client.ts";
import { readEvents } from "./events.ts";
import { readToken } from "./session.ts";

/** The first one is told at once, as a person has it; what follows is gathered: thousands of jobs always change. */
const gatherMs = { first: 300, next: 3_000 };
const againMs = { first: 1_000, max: 30_000 };
/** The server shows every ten seconds that it is there. */
const silentMs = 25_000;

export interface Watching {
  readonly onState: (state: "live" | "away") => void;
  readonly onChange: () => void;
}

/** @returns How to stop. */
export function startWatch({ onState, onChange }: Watching): () => void {
  const end = new AbortController();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let toldAt = -Infinity;
  let lastEventId = "";
  const changed = () => {
    const waitMs = Math.max(gatherMs.first, toldAt + gatherMs.next - performance.now());
    gathering ??= setTimeout(() => {
      gathering = undefined;
      toldAt = performance.now();
      onChange();
    }, waitMs);
  };
  const heard = ({ kind, eventId = "" }: WatchResponseJson) => {
    lastEventId = eventId;
    onState("live");
    if (kind !== "resumed") changed();
  };
  void (async () => {
    for (let waitMs = againMs.first; !end.signal.aborted; waitMs = Math.min(2 * waitMs, againMs.max)) {
      const hasHeard = await listen(end.signal, lastEventId, heard);
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
async function listen(
  signal: AbortSignal,
  lastEventId: string,
  onEvent: (event: WatchResponseJson) => void,
): Promise<boolean> {
  const silent = new AbortController();
  let silence = setTimeout(() => silent.abort(), silentMs);
  const lives = () => {
    clearTimeout(silence);
    silence = setTimeout(() => silent.abort(), silentMs);
  };
  let hasHeard = false;
  try {
    const response = await fetch(addressOf("/reprise/v1/watch"), {
      headers: { ...headersOf(readToken()), ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }) },
      signal: AbortSignal.any([signal, silent.signal]),
    });
    if (!response.ok || response.body === null) return false;
    for await (const data of readEvents(response.body, lives)) {
      hasHeard = true;
      onEvent(JSON.parse(data) as WatchResponseJson);
    }
    return hasHeard;
  } catch {
    return hasHeard;
  } finally {
    clearTimeout(silence);
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
