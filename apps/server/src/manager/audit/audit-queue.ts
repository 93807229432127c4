/**
 * audit-queue: audit events that were accepted from other programs and are not yet stored.
 *
 * In the loop   CreateAuditEvents → **queue** → batches → audit trail
 * Takes         events that were checked. `offer` answers at once, whatever the database does.
 * Keeps         nothing else waits for it (invariant 13). A batch is stored whole or tried again; the idempotency keys make a
 *               batch whose answer was lost harmless.
 * Fails         a database that is away: the queue fills, and then takes nothing more. An event that the database will never take
 *               is dropped, counted, logged and told in the trail (`audit.lost`). A crash loses what is queued.
 * Bound         `limits.auditQueueMax` events of together `auditQueueCharsMax`; `auditWriteMax` a transaction; a wait of
 *               `retryMs` to `retryMaxMs` after a failure; `auditDrainMs` at the end.
 */
import { limits } from "@reprise/core/limits.ts";
import { within } from "@reprise/runtime/clock.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { AuditEvent, AuditTrail } from "./audit-trail.ts";
import { asAuditEvent } from "./own-events.ts";

export interface AuditQueue {
  /** Takes all of them, or none: false when there is no room for all. */
  offer(events: readonly AuditEvent[]): boolean;
  /** Waits until everything is stored, at most `limits.auditDrainMs`. What is left then is lost, and logged. Takes nothing more. */
  drain(): Promise<void>;
  /** Now, and since the process began. */
  standing(): { readonly queued: number; readonly chars: number; readonly lost: number; readonly turnedAway: number };
}

const retryMs = 250;
const retryMaxMs = 30_000;

/** Some of its bounds, for a test. */
type Bounds = Readonly<Record<"auditQueueMax" | "auditQueueCharsMax" | "auditWriteMax" | "auditDrainMs", number>>;

export function createAuditQueue(
  trail: Pick<AuditTrail, "recordAuditEvents">,
  { clock, log }: Pick<Life, "clock" | "log">,
  bounds: Bounds = limits,
): AuditQueue {
  const waiting = new WaitingLine();
  const hurry = new AbortController(); // The end is near: no long wait any more.
  const stop = new AbortController();
  let isWriting = false;
  let [lost, turnedAway] = [0, 0];
  let written = Promise.resolve();

  const write = () => {
    if (!isWriting && waiting.length > 0) written = writeAll();
  };

  async function writeAll(): Promise<void> {
    isWriting = true;
    let [size, failures] = [bounds.auditWriteMax, 0];
    while (waiting.length > 0 && !stop.signal.aborted) {
      const batch = waiting.first(size);
      try {
        await trail.recordAuditEvents(batch);
        if (stop.signal.aborted) break; // It has been counted as lost.
        waiting.drop(batch.length);
        if (failures > 0) log.info({ queued: waiting.length }, "audit events are stored again");
        [size, failures] = [bounds.auditWriteMax, 0];
      } catch (error) {
        failures++;
        if (failures === 1) log.warn({ error, queued: waiting.length }, "audit events cannot be stored; tried again");
        if (!isRefusedForGood(error)) await wait(failures);
        else if (batch.length > 1)
          size = Math.ceil(batch.length / 2); // One of them spoils it for all.
        else lose(error, batch[0]);
      }
    }
    isWriting = false;
  }

  const wait = (failures: number): Promise<void> =>
    hurry.signal.aborted
      ? clock.sleep(retryMs, stop.signal)
      : clock.sleep(Math.min(retryMs * 2 ** (failures - 1), retryMaxMs), hurry.signal);

  function lose(error: unknown, event: AuditEvent | undefined): void {
    waiting.drop(1);
    lost++;
    const { producer, type } = event ?? {};
    log.error({ error, producer, type }, "an audit event is lost: the database refuses it for good");
    if (type === "audit.lost") return;
    const payload = { count: 1, error: codeOf(error) };
    waiting.add(measured([asAuditEvent({ producer: "job-manager", type: "audit.lost", payload, at: clock.now() })]));
  }

  function take(events: readonly AuditEvent[]): boolean {
    if (hurry.signal.aborted || waiting.length + events.length > bounds.auditQueueMax) return false;
    const coming = measured(events);
    if (waiting.chars + charsOf(coming) > bounds.auditQueueCharsMax) return false;
    waiting.add(coming);
    write();
    return true;
  }

  return {
    offer(events) {
      const isTaken = take(events);
      if (!isTaken) turnedAway += events.length;
      return isTaken;
    },
    async drain() {
      hurry.abort();
      await within(clock, bounds.auditDrainMs, written);
      stop.abort();
      if (waiting.length === 0) return;
      lost += waiting.length;
      log.error({ lost: waiting.length }, "accepted audit events could not be stored before the end");
    },
    standing: () => ({ queued: waiting.length, chars: waiting.chars, lost, turnedAway }),
  };
}

/** An event with its size as JSON. */
interface Measured {
  readonly event: AuditEvent;
  readonly chars: number;
}

const measured = (events: readonly AuditEvent[]): readonly Measured[] =>
  events.map((event) => ({ event, chars: JSON.stringify(event).length }));
const charsOf = (some: readonly Measured[]): number => some.reduce((sum, { chars }) => sum + chars, 0);

/** In the order of their coming. */
class WaitingLine {
  chars = 0;
  private readonly line: Measured[] = [];

  get length(): number {
    return this.line.length;
  }

  add(coming: readonly Measured[]): void {
    this.line.push(...coming);
    this.chars += charsOf(coming);
  }

  first(count: number): readonly AuditEvent[] {
    return this.line.slice(0, count).map(({ event }) => event);
  }

  drop(count: number): void {
    this.chars -= charsOf(this.line.splice(0, count));
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);
/** SQLSTATE: data exception, integrity constraint violation, program limit exceeded. Nothing that waiting mends. */
const isRefusedForGood = (error: unknown): boolean => /^(?:22|23|54)[0-9A-Z]{3}$/.test(codeOf(error));
