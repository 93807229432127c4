/** wire-mode: what may be done on a cluster, as the server's JSON. See `wire.ts`. */
export interface WireNote {
  readonly reason?: string;
  readonly by?: string;
  readonly at?: string;
}

export interface WireClusterMode {
  readonly cluster?: string;
  readonly mode?: string;
  readonly partitions?: readonly string[];
  readonly orders?: {
    readonly generation?: string;
    readonly mode?: { readonly mode?: string; readonly partitions?: readonly string[]; readonly note?: WireNote };
    readonly stop?: WireNote;
  };
  readonly sac?: {
    readonly allowedMode?: string;
    readonly allowedPartitions?: readonly string[];
    readonly ordersGeneration?: string;
    readonly openHolds?: number;
    readonly brakes?: readonly { readonly kind?: string; readonly since?: string; readonly heldBack?: number }[];
  };
  readonly reportedAt?: string;
  readonly lease?: { readonly holder?: string; readonly term?: string; readonly expiresAt?: string };
}

export interface WireModeAnswer {
  readonly mode?: WireClusterMode;
  /** Of an order. */
  readonly effect?: string;
}

/** SAC has taken an order that the server does not know: its database was restored, or is another one. SAC only observes then. */
export const isLost = ({ orders, sac }: WireClusterMode): boolean =>
  Number(sac?.ordersGeneration ?? 0) > Number(orders?.generation ?? 0);

/** SAC has taken the newest order. */
export const isTaken = ({ orders, sac }: WireClusterMode): boolean =>
  Number(sac?.ordersGeneration ?? 0) >= Number(orders?.generation ?? 0);
