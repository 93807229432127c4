/**
 * desk-events: what is told in the audit trail of the attempts that a transaction has changed.
 *
 * In the loop   report → desk → **events**, and the rows they tell of
 * Pure, total
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { type OwnEvent, sightEvents } from "../../audit/own-events.ts";
import type { Desk } from "./desk.ts";

export function deskEvents(desk: Desk, changed: ReturnType<Desk["changed"]>, at: Instant): OwnEvent[] {
  const sights = changed.flatMap(({ before, after }) => sightEvents(before, after, at));
  const others = desk.audits.map(
    ({ row: attempt, type, payload }): OwnEvent => ({ attempt, producer: "job-manager", type, payload, at }),
  );
  return [...sights, ...others];
}
