/**
 * cluster-orders: what people have ordered about a whole cluster: observe or act and where, stop and go; and what may be done by it.
 *
 * In the loop   a person → order → server → SAC → **mode in force** → gate
 * Pure, total
 * Keeps         SAC's configuration is the upper bound: an order narrows it and never widens it. Orders are numbered; one that is older
 *               than what was taken already allows nothing.
 * Source        docs/decisions/0038.
 */
import type { Instant } from "../nouns.ts";

export const modes = ["observe", "act"] as const;
export type Mode = (typeof modes)[number];

/** Who ordered it, why, and when. */
export interface Said {
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
}

export interface ModeOrder extends Said {
  readonly mode: Mode;
  /** Where SAC may act; empty for `observe`. */
  readonly partitions: readonly string[];
}

export interface ClusterOrders {
  /** Raised by every order about the cluster. 0: none was ever given. */
  readonly generation: number;
  /** Absent: SAC's configuration holds. */
  readonly mode?: ModeOrder;
  /** Nothing new is begun. Absent: nobody stopped it, or somebody let it go on. */
  readonly stop?: Said;
  /** SAC's own finding: its server has lost some of them. Never on the wire. */
  readonly isLost?: true;
}

export const noOrders: ClusterOrders = { generation: 0 };

/** What SAC may do, and where. */
export interface Allowed {
  readonly mode: Mode;
  readonly partitions: readonly string[];
}

export interface ModeInForce extends Allowed {
  /** The order by which it only observes. Absent: its configuration says so, or it acts. */
  readonly observes?: Said;
}

/** @param allowed What its configuration allows. */
export function modeInForce(allowed: Allowed, { mode: ordered }: ClusterOrders): ModeInForce {
  const { mode, partitions } = allowed;
  if (mode === "observe" || ordered === undefined) return { mode, partitions };
  if (ordered.mode === "observe") return { mode: "observe", partitions: [], observes: ordered };
  return { mode, partitions: partitions.filter((partition) => ordered.partitions.includes(partition)) };
}

/** What a brake says that somebody has put on. */
export const switchWords = "the kill switch is on";
export const stopWords = ({ by, reason }: Said): string => `stopped by ${by}: ${reason}`;
export const observeWords = ({ by, reason }: Said): string => `observe mode, ordered by ${by}: ${reason}`;

/**
 * Why nothing new may be begun anywhere, whatever the configuration allows. Undefined: it may.
 *
 * @param orders Absent: none are known.
 */
export function whyNothingNew(isKillSwitchOn: boolean, orders: ClusterOrders | undefined): string | undefined {
  if (isKillSwitchOn) return switchWords;
  const { mode, stop } = orders ?? noOrders;
  if (stop !== undefined) return stopWords(stop);
  return mode?.mode === "observe" ? observeWords(mode) : undefined;
}

/**
 * The orders as the server has them now. A server that knows fewer than were taken already has lost some (its database was restored, or
 * is another one): which ones nobody knows, so that nothing is begun until somebody orders again.
 */
export function takeOrders(taken: ClusterOrders, given: ClusterOrders, now: Instant): ClusterOrders {
  if (given.generation >= taken.generation) return given;
  if (taken.isLost === true) return taken;
  const reason = `the server knows order ${given.generation} and this SAC has taken order ${taken.generation}: order the mode again`;
  return { ...taken, isLost: true, mode: { mode: "observe", partitions: [], reason, by: "SAC", at: now } };
}

/** What may hold new steps back while SAC acts. */
export const brakeKinds = ["kill-switch", "stop-order", "restarts-per-minute"] as const;
export type BrakeKind = (typeof brakeKinds)[number];

/** A brake that is on, or that holds something back: an alarm. */
export interface Brake {
  readonly kind: BrakeKind;
  readonly since: Instant;
  /** Advice whose next step waits for it. */
  readonly heldBack: number;
}

/** What SAC tells of its mode with every pass. */
export interface ModeReport {
  /** By its configuration. */
  readonly allowed: Allowed;
  /** The orders that it has taken. */
  readonly ordersGeneration: number;
  /** Holds of ours that are there or may still come. */
  readonly openHolds: number;
  readonly brakes: readonly Brake[];
}
