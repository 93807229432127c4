/**
 * node-log-store: the logs of nodes: who reads them, what was read, and which attempts it concerns. A part of the contract of
 * `store.ts`.
 *
 * In the loop   lines of a node → **store** → targets → the watcher of each attempt → signals
 * Keeps         a line is stored once, by its node and key. Which attempts it concerns is asked anew at every claim: what is learnt
 *               late of an attempt's nodes or times counts like what was known before. Positions are never ahead of lines.
 *               An attempt whose logs were read to their end is a target again when a line comes that concerns it.
 * Bound         `limits.nodeLogLateMs` after the end of an attempt nobody reads for it any more; a line is kept for
 *               `limits.nodeLineKeptMs`.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { NodeLine, NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";

export interface NodeLinesReport {
  readonly reporter: string;
  readonly cluster: string;
  readonly lines: readonly NodeLine[];
  /** Of one node always all of its files. */
  readonly positions: readonly NodeLogPosition[];
}

/** A line of a node as it concerns one attempt. */
export interface TargetLine extends NodeLine {
  /** Another job was on the node then. */
  readonly isShared: boolean;
}

/** A part of a target. */
export interface TargetLines {
  /** Of its nodes' own logs, within its time: the earliest first, at most `limits.nodeLinesPerTargetMax`. */
  readonly nodeLines: readonly TargetLine[];
  /** Grows when one has come. */
  readonly nodeLinesNumber: number;
}

/** The logs of one node, which this watcher should read. */
export interface NodeLog {
  readonly cluster: string;
  readonly node: string;
  /** The earliest attempt that lines may concern began then. */
  readonly since: Instant;
  readonly positions: readonly NodeLogPosition[];
}

export interface NodeLogStore {
  /** Lines and positions in one transaction. Safe to repeat. Positions of a node that another watcher holds now are left as they are. */
  reportNodeLines(
    report: NodeLinesReport,
    now: Instant,
  ): Promise<{ readonly recorded: number; readonly repeated: number }>;
  /**
   * Nodes on which covered attempts run, or have run within `limits.nodeLogLateMs`: up to `limit`, those first that this watcher
   * holds, by cluster and name. One that is not claimed again goes to another watcher after `leaseMs`.
   */
  claimNodeLogs(
    ask: { readonly watcher: string; readonly limit: number },
    leaseMs: number,
    now: Instant,
  ): Promise<readonly NodeLog[]>;
}
