/**
 * node-logs: the logs of all nodes that this watcher holds.
 *
 * In the loop   claim nodes → **read each node's files once, for all attempts on it** → ReportNodeLines
 * Keeps         as `watch-once.ts`: a position counts only when the server has it, with the lines before it; a report that was not
 *               acknowledged is sent again; after a lapsed lease everything begins anew from the server's positions.
 * Bound         a claim every `claimEveryMs`; `limits.nodeLinesPerReportMax` lines a report.
 * Source        docs/decisions/0028
 */
import { limits } from "@reprise/core/limits.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { lookAt } from "../attempt-clock.ts";
import type { NodeLinesReport, Server } from "../server.ts";
import { type NodeParts, NodeWatch } from "./node-watch.ts";

const claimEveryMs = 5_000;
const positionsPerReportMax = 500;

export interface NodeLogsDeps extends NodeParts {
  readonly watcherId: string;
  readonly nodesMax: number;
  readonly server: Pick<Server, "claimNodeLogs" | "reportNodeLines">;
  readonly clock: Pick<Clock, "now" | "elapsed">;
}

export class NodeLogs {
  private readonly deps: NodeLogsDeps;
  /** By cluster and name. */
  private readonly watches = new Map<string, NodeWatch>();
  private unsent: NodeLinesReport[] = [];
  private claimedAfter = Number.NEGATIVE_INFINITY;
  private leaseEndsAfter = Number.NEGATIVE_INFINITY;

  constructor(deps: NodeLogsDeps) {
    this.deps = deps;
  }

  async claimOnce(): Promise<void> {
    const { server, clock, watcherId, nodesMax } = this.deps;
    const askedAfter = clock.elapsed();
    if (askedAfter - this.claimedAfter < claimEveryMs) return;
    const { nodeLogs, leaseMs } = await server.claimNodeLogs(watcherId, nodesMax);
    if (askedAfter >= this.leaseEndsAfter) this.forget();
    [this.claimedAfter, this.leaseEndsAfter] = [askedAfter, askedAfter + leaseMs];
    const held = new Map(nodeLogs.map((one) => [`${one.cluster} ${one.node}`, one]));
    for (const [name, watch] of this.watches) {
      if (held.has(name)) continue;
      watch.close();
      this.watches.delete(name);
    }
    for (const [name, one] of held) {
      const known = this.watches.get(name);
      if (known !== undefined) known.update(one);
      else this.watches.set(name, new NodeWatch(one, this.deps));
    }
  }

  /** @returns whether there is more to read at once. */
  async tailOnce(): Promise<boolean> {
    await this.send();
    const moment = lookAt(this.deps.clock);
    if (moment.elapsedMs >= this.leaseEndsAfter) return false;
    let hasMore = false;
    for (const watch of this.watches.values()) {
      const pass = watch.pass(moment);
      hasMore ||= pass.hasMore;
      if (pass.lines.length > 0 || pass.positions.length > 0) this.add(watch.cluster, pass);
    }
    await this.send();
    return hasMore;
  }

  /** Sends what is not acknowledged, and gives all nodes back. */
  async close(): Promise<void> {
    await this.send();
    if (this.watches.size > 0) await this.deps.server.claimNodeLogs(this.deps.watcherId, 0);
  }

  forget(): void {
    for (const watch of this.watches.values()) watch.close();
    this.watches.clear();
    this.unsent = [];
  }

  /** The lines of one node and its positions stay together. */
  private add(cluster: string, { lines, positions }: Pick<NodeLinesReport, "lines" | "positions">): void {
    const last = this.unsent.at(-1);
    const fits =
      last?.cluster === cluster &&
      last.lines.length + lines.length <= limits.nodeLinesPerReportMax &&
      last.positions.length + positions.length <= positionsPerReportMax;
    if (fits) {
      const joined = { lines: [...last.lines, ...lines], positions: [...last.positions, ...positions] };
      this.unsent[this.unsent.length - 1] = { ...last, ...joined };
    } else this.unsent.push({ reporter: this.deps.watcherId, cluster, lines, positions });
  }

  private async send(): Promise<void> {
    for (let next = this.unsent[0]; next !== undefined; next = this.unsent[0]) {
      await this.deps.server.reportNodeLines(next);
      // A claim may have forgotten everything while this was on its way.
      if (this.unsent[0] === next) this.unsent.shift();
    }
  }
}
