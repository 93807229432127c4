/**
 * evidence: the line that supports a statement, on the wire.
 *
 * Bound   a line is cut at `limits.evidenceLineBytesMax` bytes of UTF-8, never inside a character.
 */
import { create } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import type { Evidence } from "@reprise/core/nouns.ts";
import { EvidenceSchema, type Evidence as WireEvidence } from "../gen/heimdall/v1/heimdall_pb.ts";
import { freeText, invalid, present, shown, wholeNumber } from "./check.ts";
import { instantFromWire, instantToWire } from "./instant.ts";

export function evidenceToWire({ source, line, path, offset, at }: Evidence): WireEvidence {
  return create(EvidenceSchema, {
    source,
    line,
    at: instantToWire(at),
    ...present({ path, offset: offset === undefined ? undefined : BigInt(offset) }),
  });
}

export function evidenceFromWire(field: string, wire: WireEvidence | undefined): Evidence {
  if (wire === undefined) throw invalid(field, "is required");
  const { source, path, offset } = wire;
  if (source !== "log" && source !== "node-log" && source !== "slurm")
    throw invalid(`${field}.source`, `${shown(source)} is not one of log, node-log, slurm`);
  return {
    source,
    line: cut(freeText(wire.line)),
    at: instantFromWire(`${field}.at`, wire.at),
    ...present({
      path: path === undefined || path === "" ? undefined : freeText(path),
      offset: offset === undefined ? undefined : wholeNumber(`${field}.offset`, offset),
    }),
  };
}

/** A line as evidence keeps it: at most so many bytes of UTF-8, never half a character. */
export function cut(line: string, bytesMax: number = limits.evidenceLineBytesMax): string {
  if (line.length * 3 <= bytesMax) return line; // No character needs more.
  const { read } = new TextEncoder().encodeInto(line, new Uint8Array(bytesMax));
  return line.slice(0, read);
}
