/**
 * Goal    nothing changes on the wire and back.
 * Method  a position through its message; a target and a signal as the messages have them.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { LogPositionSchema, SignalSchema, TargetSchema } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { expect, test } from "vitest";
import { positionOf, targetOf, wirePosition, wireSignal } from "./server-client.ts";
import type { LogPosition } from "./server.ts";

const position: LogPosition = {
  heimdallJobId: "a",
  path: "/l",
  device: "2",
  inode: "4711",
  mark: "9ae16a3b",
  offset: 5_000_000_000,
  start: 7,
  readAt: 1_700_000_000_123,
  ended: false,
};
const unread: LogPosition = {
  heimdallJobId: "a",
  path: "/l",
  device: "",
  inode: "",
  mark: "",
  offset: 0,
  start: 0,
  ended: true,
  unreadable: "EACCES",
};

const onTheWire = (p: LogPosition) =>
  positionOf(fromBinary(LogPositionSchema, toBinary(LogPositionSchema, create(LogPositionSchema, wirePosition(p)))));

test("a position comes back as it went", () => {
  expect([onTheWire(position), onTheWire(unread)]).toEqual([position, unread]);
});

test("a target without a word about sharing has none", () => {
  const target = targetOf(
    create(TargetSchema, { heimdallJobId: "a", jobId: "1", slurm: { stdout: "/l", startTime: 5 } }),
  );
  expect(target).toMatchObject({ jobId: "1", slurm: { stdout: "/l", startTime: 5 }, positions: [] });
  expect("sharedAcrossAttempts" in target).toBe(false);
  expect(targetOf(create(TargetSchema, { sharedAcrossAttempts: false })).sharedAcrossAttempts).toBe(false);
});

test("a signal keeps its absent fields absent, its zeros and its milliseconds", () => {
  const evidence = { source: "log" as const, line: "x", path: "/l", offset: 0, at: 1_700_000_000_123 };
  const wire = create(
    SignalSchema,
    wireSignal({
      key: "k",
      heimdallJobId: "a",
      kind: "progress",
      at: 1_700_000_000_123,
      evidence,
      root: false,
      exitIndependent: false,
      nodes: [],
      step: 0,
    }),
  );
  expect([wire.step, wire.rank, wire.stepSpacingMs, wire.evidence?.offset]).toEqual([0n, undefined, undefined, 0n]);
  expect(timestampMs(wire.at ?? timestampFromMs(0))).toBe(1_700_000_000_123);
});
