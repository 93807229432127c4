/**
 * signal: what the Watcher reports, on the wire.
 *
 * In the loop   match → **Signal, LogPosition** → server → store
 * Pure          `…ToWire` is total; `…FromWire` refuses with its field named.
 * Keeps         an empty text is an absent one, both ways.
 */
import { create } from "@bufbuild/protobuf";
import type { Instant, Signal } from "@reprise/core/nouns.ts";
import {
  type LogPosition as WireLogPosition,
  LogPositionSchema,
  type Signal as WireSignal,
  SignalSchema,
} from "../gen/reprise/v1/reprise_pb.ts";
import { freeText, identifier, invalid, nodeNames, present, shown, uuid, wholeNumber } from "./check.ts";
import { causeClassFromWire, domainFromWire, issueKindFromWire } from "./enums.ts";
import { evidenceFromWire, evidenceToWire } from "./evidence.ts";
import { instantFromWire, instantToWire, optionalInstantFromWire, optionalInstantToWire } from "./instant.ts";

export interface ReportedSignal extends Signal {
  /** Unique within the reporter's attempt. */
  readonly key: string;
  readonly heimdallJobId: string;
  readonly stepSpacingMs?: number;
}

export function signalToWire(signal: ReportedSignal): WireSignal {
  return create(SignalSchema, {
    key: signal.key,
    heimdallJobId: signal.heimdallJobId,
    kind: signal.kind,
    at: instantToWire(signal.at),
    evidence: evidenceToWire(signal.evidence),
    cause: signal.cause ?? "",
    causeClass: signal.causeClass ?? "",
    domain: signal.domain ?? "",
    root: signal.root,
    exitIndependent: signal.exitIndependent,
    nodes: [...signal.nodes],
    ...present({
      rank: signal.rank,
      step: signal.step === undefined ? undefined : BigInt(signal.step),
      stepSpacingMs: signal.stepSpacingMs === undefined ? undefined : BigInt(Math.round(signal.stepSpacingMs)),
      detail: signal.detail,
    }),
  });
}

/** @param field Where it stands, e.g. `signals[3]`. */
export function signalFromWire(field: string, wire: WireSignal): ReportedSignal {
  const kind = issueKindFromWire(`${field}.kind`, wire.kind);
  if (kind === "exit") throw invalid(`${field}.kind`, `${shown(kind)} is what the scheduler says, not a log`);
  return {
    key: keyOf(`${field}.key`, wire.key),
    heimdallJobId: uuid(`${field}.heimdallJobId`, wire.heimdallJobId),
    kind,
    at: instantFromWire(`${field}.at`, wire.at),
    evidence: evidenceFromWire(`${field}.evidence`, wire.evidence),
    root: wire.root,
    exitIndependent: wire.exitIndependent,
    nodes: nodeNames(`${field}.nodes`, wire.nodes),
    ...present({
      cause: wire.cause === "" ? undefined : identifier(`${field}.cause`, wire.cause),
      causeClass: wire.causeClass === "" ? undefined : causeClassFromWire(`${field}.causeClass`, wire.causeClass),
      domain: wire.domain === "" ? undefined : domainFromWire(`${field}.domain`, wire.domain),
      rank: wire.rank === undefined ? undefined : wholeNumber(`${field}.rank`, wire.rank),
      step: wire.step === undefined ? undefined : wholeNumber(`${field}.step`, wire.step),
      stepSpacingMs:
        wire.stepSpacingMs === undefined ? undefined : wholeNumber(`${field}.stepSpacingMs`, wire.stepSpacingMs),
      detail: wire.detail === "" ? undefined : freeText(wire.detail),
    }),
  };
}

/** In bytes. It is part of a database key, and PostgreSQL indexes nothing above 2,700 of them. */
const keyBytesMax = 2_048;

export function keyOf(field: string, key: string): string {
  const bytes = new TextEncoder().encode(key).length;
  if (bytes === 0 || bytes > keyBytesMax) throw invalid(field, `has ${bytes} bytes; expected 1 to ${keyBytesMax}`);
  return freeText(key);
}

/** How far one file of one attempt has been read. */
export interface ReportedPosition {
  readonly heimdallJobId: string;
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  readonly offset: number;
  readonly start: number;
  readonly readAt?: Instant;
  readonly ended: boolean;
  readonly unreadable?: string;
  /** What the reader of the attempt remembers beyond the offset; only watchers know what it means. */
  readonly memory?: string;
}

/** In UTF-16 units. A reader's memory is a few hundred numbers. */
const memoryCharsMax = 16_384;

export function positionToWire(position: ReportedPosition): WireLogPosition {
  return create(LogPositionSchema, {
    heimdallJobId: position.heimdallJobId,
    path: position.path,
    device: position.device,
    inode: position.inode,
    offset: BigInt(position.offset),
    start: BigInt(position.start),
    ended: position.ended,
    unreadable: position.unreadable ?? "",
    memory: position.memory ?? "",
    ...present({ readAt: optionalInstantToWire(position.readAt) }),
  });
}

export function positionFromWire(field: string, wire: WireLogPosition): ReportedPosition {
  if (wire.path === "") throw invalid(`${field}.path`, "is required");
  if (wire.memory.length > memoryCharsMax)
    throw invalid(`${field}.memory`, `has ${wire.memory.length} characters; expected at most ${memoryCharsMax}`);
  return {
    heimdallJobId: uuid(`${field}.heimdallJobId`, wire.heimdallJobId),
    path: freeText(wire.path),
    device: freeText(wire.device),
    inode: freeText(wire.inode),
    offset: wholeNumber(`${field}.offset`, wire.offset),
    start: wholeNumber(`${field}.start`, wire.start),
    ended: wire.ended,
    ...present({
      readAt: optionalInstantFromWire(`${field}.readAt`, wire.readAt),
      unreadable: wire.unreadable === "" ? undefined : freeText(wire.unreadable),
      memory: wire.memory === "" ? undefined : freeText(wire.memory),
    }),
  };
}
