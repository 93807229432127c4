/**
 * parse-reservations: one `scontrol show reservation -o` as the reservations that hold each node now.
 *
 * Takes         one line a reservation: `ReservationName=kept StartTime=… Nodes=n[5-6] … State=ACTIVE …`; without any the one line
 *               "No reservations in the system".
 * Gives         for each node that is held, whose it is, by name; `undefined` when a line has another shape.
 * Keeps         one that begins later holds nothing yet.
 * Pure, total
 * Source        real output of 22.05.8.
 */
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import { isUnset } from "./parse-value.ts";

export type ReservationsOf = ReadonlyMap<string, readonly string[]>;

export function parseReservations(text: string): ReservationsOf | undefined {
  const held = new Map<string, string[]>();
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    if (line.startsWith("No reservations")) continue;
    const field = (key: string) => new RegExp(`(?:^| )${key}=(\\S*)`).exec(line)?.[1];
    const [name, nodes, state] = [field("ReservationName"), field("Nodes"), field("State")];
    if (name === undefined || nodes === undefined || state === undefined) return undefined;
    const names = isUnset(nodes) ? [] : expandHostlist(nodes);
    if (names === undefined) return undefined;
    if (state !== "ACTIVE") continue;
    for (const node of names) held.set(node, [...(held.get(node) ?? []), name].toSorted());
  }
  return held;
}
