/**
 * gateOnce: one pass over all jobs that wait for others: whose gates say something new is decided about again.
 *
 * In the loop   graph → gates → **decide again** → decide
 * Writes        nothing but that an attempt is to be decided about; `decideOnce` reads the graph again and decides.
 * Keeps         no truth: what it has told is only remembered so as not to repeat it. Another replica, or this one after a restart,
 *               tells it once more, and the same is decided.
 * Bound         one snapshot of the graph a pass.
 */
import { type Gates, gatesOf } from "@reprise/core/dag/gates.ts";
import type { Manager } from "../context.ts";

/** By UUID of the waiting attempt, what its gates said when it was last decided about. */
export type Told = Map<string, string>;

export async function gateOnce({ store, clock }: Pick<Manager, "store" | "clock">, told: Told): Promise<void> {
  const now = clock.now();
  const gates = gatesOf(await store.loadGraph());
  const said = [...gates].map(([uuid, those]) => [uuid, shown(those)] as const);
  const fresh = said.filter(([uuid, words]) => told.get(uuid) !== words).map(([uuid]) => uuid);
  if (fresh.length > 0) await store.reconsider(fresh, now);
  told.clear();
  for (const [uuid, words] of said) told.set(uuid, words);
}

const shown = (gates: Gates): string => JSON.stringify(gates.map(({ state, why }) => [state, why]));
