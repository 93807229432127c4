/**
 * notify: changes, told to every replica on one PostgreSQL.
 *
 * In the loop   commit → NOTIFY → **LISTEN** → a loop of another process wakes
 * Fails         when the connection that listens breaks it is made anew after `reconnectEveryMs`; what was told meanwhile is lost:
 *               `anew` says so, and the slow poll finds it.
 * Bound         `changesPerNotification` (PostgreSQL takes 8,000 bytes), at most `notificationsMax` a transaction; then `anew`.
 */
import pg from "pg";
import { sql } from "kysely";
import type { Life } from "@reprise/runtime/life.ts";
import type { Change } from "../../store.ts";
import { ahead } from "./ahead.ts";
import { createLocalChanges, type Changes } from "./changes.ts";

const channel = "reprise_change";
const reconnectEveryMs = 2_000;
const changesPerNotification = 100;
const notificationsMax = 10;

const anew: Change = { kind: "anew", heimdallJobId: "" };

interface Notification {
  /** Who told it: a process does not listen to itself. */
  readonly from: string;
  readonly changes: readonly Change[];
}

export function createNotifiedChanges(connection: pg.ClientConfig, life: Life): Changes {
  const local = createLocalChanges();
  const from = life.chance.uuid();
  const stop = new AbortController();
  const hear = ({ payload = "" }: pg.Notification) => {
    const notification = JSON.parse(payload) as Notification;
    if (notification.from !== from) local.emit(notification.changes);
  };
  const listening = listen(connection, hear, () => local.emit([anew]), { ...life, signal: stop.signal });
  return {
    ...local,
    async announce(tx, changes) {
      const payloads: string[] = [];
      const isTooMuch = changes.length > changesPerNotification * notificationsMax;
      const toTell = isTooMuch ? [anew] : changes;
      for (let at = 0; at < toTell.length; at += changesPerNotification) {
        payloads.push(
          JSON.stringify({ from, changes: toTell.slice(at, at + changesPerNotification) } satisfies Notification),
        );
      }
      if (payloads.length === 0) return;
      await sql`${ahead} select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(tx);
    },
    async close() {
      stop.abort();
      await listening;
      await local.close();
    },
  };
}

async function listen(
  connection: pg.ClientConfig,
  hear: (notification: pg.Notification) => void,
  onBegin: () => void,
  life: Life,
): Promise<void> {
  while (!life.signal.aborted) {
    const client = new pg.Client(connection);
    try {
      const broken = Promise.withResolvers<void>();
      client.on("error", (error) => {
        life.log.warn({ error }, "the connection that hears of changes broke");
        broken.resolve();
      });
      client.on("end", () => broken.resolve());
      client.on("notification", hear);
      await client.connect();
      await client.query(`listen ${channel}`);
      onBegin();
      const stopped = new Promise<void>((resolve) => {
        if (life.signal.aborted) resolve();
        life.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([broken.promise, stopped]);
    } catch (error) {
      life.log.warn({ error }, "cannot listen for changes; trying again");
    }
    await client.end().catch(() => undefined); // It may be broken: then there is nothing to end.
    await life.clock.sleep(reconnectEveryMs, life.signal);
  }
}
