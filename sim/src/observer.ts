/**
 * observer: what a checker, a scenario or a count may see of a world: what Slurm did, what stands in the journal, what the store has
 * committed, what was asked of Slurm. Never the inside of the code under test.
 */
import type { ClusterOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Advice, Seen } from "@reprise/core/nouns.ts";
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Entry } from "@reprise/sac/journal.ts";
import type { Command, Fence, Outcome, Pass } from "@reprise/sac/slurm/slurm.ts";
import type { Notice } from "@reprise/server/manager/notice/notice.ts";
import type { Recorded } from "@reprise/server/manager/decisions.ts";
import type { ClaimedTargets, PassReport, SignalReport } from "@reprise/server/manager/store.ts";
import type { FaultKind } from "./fault-kinds.ts";
import type { RunningAttempt, SlurmEvent } from "./slurm/sim-slurm.ts";
import type { SacHost } from "./world.ts";

/** Which program speaks to Slurm: `sac`, `watchdog`; its host tells whose journal it has. */
export interface Actor {
  readonly role: "sac" | "watchdog";
  /** Unique: `sac.2` is the second life of it. */
  readonly name: string;
  readonly host: SacHost;
}

export interface Observer {
  slurm?(event: SlurmEvent): void;
  /** Before the command's own last look. */
  command?(actor: Actor, command: Command, fence: Fence): void;
  outcome?(actor: Actor, command: Command, fence: Fence, outcome: Outcome): void;
  looked?(actor: Actor, seen: Seen<Pass>): void;
  holdAsked?(actor: Actor): void;
  entry?(host: SacHost, entry: Entry): void;
  decided?(heimdallJobId: string, decision: Decision, recorded: Recorded): void;
  status?(advice: Advice): void;
  signals?(report: SignalReport): void;
  /** @param isTaken It says how things are now: it came in order, and from nobody who was overruled. */
  pass?(report: PassReport, isTaken: boolean): void;
  claimed?(watcher: string, claimed: ClaimedTargets): void;
  printed?(attempt: RunningAttempt, lines: readonly string[], is: "root" | "other"): void;
  /** A program fails, and does not go on. */
  failed?(attempt: RunningAttempt, kind: string, node: string): void;
  /** A program prints a line that looks fatal, and goes on. */
  alarmed?(attempt: RunningAttempt, node: string): void;
  /** A person has ordered something about a job; what was withdrawn by it is a generation of its own. */
  ordered?(jobId: string, action: string, withdrawn: readonly Advice[]): void;
  /** A person has ordered something about the cluster: all orders as they stand now. */
  clusterOrdered?(orders: ClusterOrders): void;
  /** Who has the lease of the cluster now. */
  lease?(holder: string): void;
  /** It has arrived at who is told by webhook. */
  told?(notice: Notice): void;
  fault?(kind: FaultKind): void;
  started?(role: string): void;
  died?(role: string): void;
}
