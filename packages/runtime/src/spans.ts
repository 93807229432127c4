/**
 * spans: what has happened, as spans of traces, on its way to an OTLP/HTTP receiver.
 *
 * Takes   spans that are over, with their own times and IDs: who offers one has found it in records.
 * Keeps   `offer` never waits and never fails. What has no room is dropped, the newest first, and counted.
 * Fails   a receiver that is away or busy is asked again after `againAfterMs`; what it refuses for good is dropped and counted. Where its
 *         answer was lost it gets the same spans again, with the same IDs.
 * Bound   `limits.spanQueueMax` spans wait; `batchMax` a call, one call at a time; at the end one last call of `lastCallMs`.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Life } from "./life.ts";
import { startLoop } from "./loop.ts";

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: it is the root of its trace. */
  readonly parentId?: string;
  /** Who did it: `service.name`. */
  readonly service: string;
  readonly name: string;
  readonly startAt: Instant;
  /** Not before `startAt`. */
  readonly endAt: Instant;
  readonly attributes: Readonly<Record<string, string | number | boolean | string[]>>;
  /** Why it failed. Absent: it did not, as far as anybody knows. */
  readonly failure?: string;
}

/** `away`: the same may be taken later. */
export type Sent = { readonly kind: "taken" } | { readonly kind: "refused" | "away"; readonly why: string };
export type SendSpans = (spans: readonly Span[]) => Promise<Sent>;

export interface SpanQueue {
  offer(spans: readonly Span[]): void;
  /** Since it was started; `queued` now. */
  standing(): { readonly queued: number; readonly sent: number; readonly dropped: number };
  /** Sends no more, after one last try. What is left is dropped. */
  end(): Promise<void>;
}

const batchMax = 256;
const everyMs = 1_000;
const againAfterMs = 15_000;
const lastCallMs = 2_000;

export function startSpanQueue(send: SendSpans, life: Life): SpanQueue {
  const { clock, log } = life;
  const queue: Span[] = [];
  let [sent, dropped, failures] = [0, 0, 0];

  async function sendBatch(): Promise<number> {
    const batch = queue.slice(0, batchMax);
    if (batch.length === 0) return everyMs;
    const answer = await send(batch);
    if (answer.kind === "away") {
      if (failures++ === 0) log.warn({ why: answer.why, queued: queue.length }, "the receiver of traces is away");
      return againAfterMs;
    }
    queue.splice(0, batch.length);
    if (failures > 0) log.info({ queued: queue.length }, "the receiver of traces answers again");
    failures = 0;
    if (answer.kind === "taken") sent += batch.length;
    else {
      dropped += batch.length;
      log.warn({ why: answer.why, spans: batch.length }, "the receiver of traces refuses what it is sent");
    }
    return queue.length > 0 ? 0 : everyMs;
  }

  const loop = startLoop(life, "spans", everyMs, sendBatch);
  return {
    offer(spans) {
      const room = limits.spanQueueMax - queue.length;
      queue.push(...spans.slice(0, room));
      dropped += Math.max(0, spans.length - room);
    },
    standing: () => ({ queued: queue.length, sent, dropped }),
    async end() {
      await Promise.race([loop.ended.then(sendBatch), clock.sleep(lastCallMs)]);
      dropped += queue.length;
      if (queue.length > 0) log.warn({ spans: queue.length }, "spans could not be sent before the end");
      queue.length = 0;
    },
  };
}
