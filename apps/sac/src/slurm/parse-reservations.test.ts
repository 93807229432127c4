/**
 * Goal    a node is a reservation's from its beginning to its end, and what cannot be read is not taken for "none".
 * Method  lines as 22.05.8 printed them.
 */
import { expect, test } from "vitest";
import { parseReservations } from "./parse-reservations.ts";

const line = (name: string, nodes: string, state: string) =>
  `ReservationName=${name} StartTime=2026-11-30T01:39:59 EndTime=2026-11-30T02:39:59 Duration=01:00:00 Nodes=${nodes} NodeCnt=2 CoreCnt=32 Features=(null) PartitionName=(null) Flags=SPEC_NODES TRES=cpu=32 Users=root Groups=(null) Accounts=(null) Licenses=(null) State=${state} BurstBuffer=(null) Watts=n/a MaxStartDelay=(null) \n`;

// biome-ignore format: a table
test.each<[what: string, text: string, held: unknown]>([
  ["one that has begun holds its nodes",      line("kept", "n[5-6]", "ACTIVE"),                                 [["n5", ["kept"]], ["n6", ["kept"]]]],
  ["one that begins later holds none yet",    line("kept", "n[5-6]", "INACTIVE"),                               []],
  ["two may hold the same node",              line("b", "n5", "ACTIVE") + line("a", "n5", "ACTIVE"),            [["n5", ["a", "b"]]]],
  ["one of licenses has no nodes",            line("lic", "(null)", "ACTIVE"),                                  []],
  ["there are none",                          "No reservations in the system\n",                                []],
  ["a line without its nodes is not read",    "ReservationName=kept State=ACTIVE\n",                            undefined],
  ["nor is one whose nodes make no list",     line("kept", "n[5-", "ACTIVE"),                                   undefined],
  ["nor any other text",                      "slurm_load_reservations error\n",                                undefined],
])("%s", (_what, text, held) => {
  const read = parseReservations(text);
  expect(read === undefined ? undefined : [...read]).toEqual(held);
});
