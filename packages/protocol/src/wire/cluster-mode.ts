/**
 * cluster-mode: what may be done on a cluster, on the wire and in our words.
 *
 * Fails   `Refusal("invalid", …)` names the field.
 */
import {
  type Brake,
  brakeKinds,
  type ClusterOrders,
  type Mode,
  type ModeReport,
  modes,
  type Said,
} from "@reprise/core/mode/cluster-orders.ts";
import type { ClusterOrders as WireOrders, OrderNote, SacReport } from "../gen/reprise/v1/mode_pb.ts";
import { identifier, invalid, oneOf, wholeNumber } from "./check.ts";
import { instantFromWire, instantToWire } from "./instant.ts";

export const modeFromWire = (field: string, given: string): Mode => oneOf(field, given, modes);

export function ordersToWire({ generation, mode, stop }: ClusterOrders) {
  return {
    generation: BigInt(generation),
    ...(mode === undefined
      ? {}
      : { mode: { mode: mode.mode, partitions: [...mode.partitions], note: noteToWire(mode) } }),
    ...(stop === undefined ? {} : { stop: noteToWire(stop) }),
  };
}

export function ordersFromWire(field: string, given: WireOrders | undefined): ClusterOrders {
  if (given === undefined) throw invalid(field, "is required");
  const { generation, mode, stop } = given;
  return {
    generation: wholeNumber(`${field}.generation`, generation),
    ...(mode === undefined
      ? {}
      : {
          mode: {
            mode: modeFromWire(`${field}.mode.mode`, mode.mode),
            partitions: mode.partitions,
            ...noteFromWire(`${field}.mode.note`, mode.note),
          },
        }),
    ...(stop === undefined ? {} : { stop: noteFromWire(`${field}.stop`, stop) }),
  };
}

const noteToWire = ({ reason, by, at }: Said) => ({ reason, by, at: instantToWire(at) });

function noteFromWire(field: string, note: OrderNote | undefined): Said {
  return { reason: note?.reason ?? "", by: note?.by ?? "", at: instantFromWire(`${field}.at`, note?.at) };
}

export const sacReportToWire = ({ allowed, ordersGeneration, openHolds, brakes }: ModeReport) => ({
  allowedMode: allowed.mode,
  allowedPartitions: [...allowed.partitions],
  ordersGeneration: BigInt(ordersGeneration),
  openHolds,
  brakes: brakes.map(({ kind, since, heldBack }) => ({ kind, since: instantToWire(since), heldBack })),
});

export function sacReportFromWire(field: string, given: SacReport): ModeReport {
  return {
    allowed: {
      mode: modeFromWire(`${field}.allowedMode`, given.allowedMode),
      partitions: given.allowedPartitions.map((name, i) => identifier(`${field}.allowedPartitions[${i}]`, name)),
    },
    ordersGeneration: wholeNumber(`${field}.ordersGeneration`, given.ordersGeneration),
    openHolds: wholeNumber(`${field}.openHolds`, given.openHolds),
    brakes: given.brakes.map((brake, i) => brakeFromWire(`${field}.brakes[${i}]`, brake)),
  };
}

function brakeFromWire(field: string, { kind, since, heldBack }: SacReport["brakes"][number]): Brake {
  return {
    kind: oneOf(`${field}.kind`, kind, brakeKinds),
    since: instantFromWire(`${field}.since`, since),
    heldBack: wholeNumber(`${field}.heldBack`, heldBack),
  };
}
