/** order-rows: the orders of people, row by row. See `postgres/override-store.ts`. */
import type { Override } from "@reprise/core/override/override.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import type { OverrideRow, Tables } from "./tables.ts";

const rowsOf = (t: Tables, uuid: string): readonly OverrideRow[] => t.overrides.get(uuid) ?? [];

/** Of all these attempts, oldest first. */
export function overridesOf(t: Tables, attempts: readonly NumberedRow[]): Override[] {
  const rows = attempts.flatMap(({ heimdallJobId }) => rowsOf(t, heimdallJobId));
  return rows.sort((a, b) => a.number - b.number).map(({ number: _, ...override }) => override);
}

/** A restart was ordered that has not become Advice yet. */
export const isOrdered = (t: Tables, uuid: string): boolean =>
  rowsOf(t, uuid).some(({ action, generation }) => action === "restart" && generation === undefined);

export function markFulfilled(t: Tables, uuid: string, generation: number): void {
  const rows = rowsOf(t, uuid).map((row) =>
    row.action === "restart" && row.generation === undefined ? { ...row, generation } : row,
  );
  t.overrides.set(uuid, rows);
}
