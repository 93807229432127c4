/**
 * node-line: lines of nodes' own logs, and how far their files were read, on the wire.
 *
 * In the loop   a node's log, or whoever forwards it → **NodeLine, NodeLogPosition** → server → the attempts that it concerns
 * Pure          `…ToWire` is total; `…FromWire` refuses with its field named.
 * Keeps         a line has a node and a time: without either it concerns nobody, and is refused. Without a key it gets one of its
 *               time and its words.
 * Bound         a line is cut at `limits.evidenceLineBytesMax` bytes.
 */
import { create } from "@bufbuild/protobuf";
import type { Instant } from "@reprise/core/nouns.ts";
import {
  type NodeLine as WireNodeLine,
  type NodeLogPosition as WireNodeLogPosition,
  NodeLineSchema,
  NodeLogPositionSchema,
} from "../gen/reprise/v1/reprise_pb.ts";
import { freeText, invalid, nodeNames, present, wholeNumber } from "./check.ts";
import { cut } from "./evidence.ts";
import { instantFromWire, instantToWire, optionalInstantFromWire, optionalInstantToWire } from "./instant.ts";
import { keyOf } from "./signal.ts";

/** One line that a node wrote. */
export interface NodeLine {
  readonly node: string;
  /** When the node wrote it. */
  readonly at: Instant;
  readonly line: string;
  /** Unique for the node: the same line has the same one however often it is read. */
  readonly key: string;
  /** Absent: it came from no file. */
  readonly path?: string;
  /** Of its first byte in the file. */
  readonly offset?: number;
}

/** How far one file of one node was read. */
export interface NodeLogPosition {
  readonly node: string;
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  /** Fingerprint of the bytes before `offset`. */
  readonly mark: string;
  readonly offset: number;
  readonly readAt?: Instant;
  readonly unreadable?: string;
}

export function nodeLineToWire({ node, at, line, key, path, offset }: NodeLine): WireNodeLine {
  const where = present({ offset: offset === undefined ? undefined : BigInt(offset) });
  return create(NodeLineSchema, { node, at: instantToWire(at), line, key, path: path ?? "", ...where });
}

export function nodeLineFromWire(field: string, wire: WireNodeLine): NodeLine {
  const at = instantFromWire(`${field}.at`, wire.at);
  const line = cut(freeText(wire.line));
  if (line.trim() === "") throw invalid(`${field}.line`, "is required");
  return {
    node: nodeName(`${field}.node`, wire.node),
    at,
    line,
    key: wire.key === "" ? keyOf(`${field}.line`, `${at} ${cut(line, 1_024)}`) : keyOf(`${field}.key`, wire.key),
    ...present({
      path: wire.path === "" ? undefined : freeText(wire.path),
      offset: wire.offset === undefined ? undefined : wholeNumber(`${field}.offset`, wire.offset),
    }),
  };
}

export function nodeLogPositionToWire(position: NodeLogPosition): WireNodeLogPosition {
  const { node, path, device, inode, mark, offset, readAt, unreadable } = position;
  return create(NodeLogPositionSchema, {
    node,
    path,
    device,
    inode,
    mark,
    offset: BigInt(offset),
    unreadable: unreadable ?? "",
    ...present({ readAt: optionalInstantToWire(readAt) }),
  });
}

export function nodeLogPositionFromWire(field: string, wire: WireNodeLogPosition): NodeLogPosition {
  if (wire.path === "") throw invalid(`${field}.path`, "is required");
  return {
    node: nodeName(`${field}.node`, wire.node),
    path: freeText(wire.path),
    device: freeText(wire.device),
    inode: freeText(wire.inode),
    mark: freeText(wire.mark),
    offset: wholeNumber(`${field}.offset`, wire.offset),
    ...present({
      readAt: optionalInstantFromWire(`${field}.readAt`, wire.readAt),
      unreadable: wire.unreadable === "" ? undefined : freeText(wire.unreadable),
    }),
  };
}

function nodeName(field: string, name: string): string {
  if (name === "") throw invalid(field, "is required");
  nodeNames(field, [name]);
  return name;
}
