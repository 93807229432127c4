/**
 * orders: what people have ordered about the cluster, as SAC takes it: with every pass, and again right before anything is begun.
 *
 * In the loop   server → **orders** → mode in force → gate
 * Writes        `orders.json` beside the journal: a SAC that starts while its server is away knows what it was told last.
 * Keeps         nothing is begun on orders that were read more than `limits.ordersAgeMaxMs` ago, nor sent once a stop is written down: so a
 *               stop, or observe mode, is obeyed within a second, and a SAC that is cut off from its server begins nothing. The one that has the lease asks; no answer that comes
 *               late can replace a later one, since one is asked for after the other.
 * Fails         `readOrders` rejects as the server's port does.
 * Source        docs/decisions/0038.
 */
import { limits } from "@reprise/core/limits.ts";
import { type ModeInForce, modeInForce, takeOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { atMostMs, momentOf } from "@reprise/runtime/clock.ts";
import { settleDoubt } from "./loops/published.ts";
import type { Parts, State } from "./state.ts";

export const inForce = ({ config }: Pick<Parts, "config">, { orders }: State): ModeInForce =>
  modeInForce(config, orders);

export async function readOrders(parts: Parts, state: State): Promise<void> {
  await state.ordersReading;
  await askOrders(parts, state);
}

async function askOrders(parts: Parts, state: State): Promise<void> {
  const { server, cluster, clock, beside, log } = parts;
  const asked = momentOf(clock);
  const { orders: given, lastReportId } = await server.orders(cluster);
  if (state.published.isInDoubt) settleDoubt(state.published, lastReportId);
  const before = state.orders;
  state.orders = takeOrders(before, given, clock.now());
  state.ordersAsked = asked;
  if (!isSame(state.orders, before)) {
    const { mode, partitions, observes } = inForce(parts, state);
    const { generation, stop } = state.orders;
    log.warn(
      { generation, mode, partitions, observes, stop },
      "what people have ordered about the cluster has changed",
    );
  }
  if (isSame(state.orders, state.ordersKept)) return;
  beside.keepOrders(state.orders);
  state.ordersKept = state.orders;
}

/**
 * While commands are on their way: each child reads last of all what is written down here. Their outcome waits for no answer of the server;
 * where it gives none, the commands have a bound of their own (`ordersUseMaxMs`).
 */
export function readOrdersWhile<T>(parts: Parts, state: State, underWay: Promise<T>): Promise<T> {
  const over = new AbortController();
  const read = async () => {
    for (;;) {
      await parts.clock.sleep(limits.ordersReadEveryMs, over.signal);
      if (over.signal.aborted) return;
      await askOrders(parts, state);
    }
  };
  state.ordersReading = read().catch((error: unknown) =>
    parts.log.warn(
      { error: String(error) },
      "what people have ordered could not be read while commands were on their way",
    ),
  );
  return underWay.finally(() => over.abort());
}

const isSame = (a: State["orders"], b: State["orders"]) => a.generation === b.generation && a.isLost === b.isLost;

/** For a command that was begun on them. Undefined: they have not been read in this life, and nothing is begun. */
export function ordersUsableUntil({ ordersAsked }: State, clock: Parts["clock"]): Instant | undefined {
  if (ordersAsked === undefined) return undefined;
  return clock.now() + limits.ordersUseMaxMs - atMostMs(ordersAsked, momentOf(clock));
}

/** Asks the server at most once in vain: the lock that is held meanwhile is the watchdog's too. */
export function createOrdersCheck(parts: Parts, state: State): () => Promise<boolean> {
  const { clock, log } = parts;
  let isAway = false;
  const areFresh = () =>
    state.ordersAsked !== undefined && atMostMs(state.ordersAsked, momentOf(clock)) <= limits.ordersAgeMaxMs;
  return async () => {
    if (areFresh()) return true;
    if (isAway) return false;
    try {
      await readOrders(parts, state);
    } catch (error) {
      isAway = true;
      log.warn({ error: String(error) }, "what people have ordered could not be read; nothing is begun");
    }
    return !isAway && areFresh();
  };
}
