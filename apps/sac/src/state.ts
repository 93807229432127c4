/**
 * state: what SAC is made of, and what it remembers between passes.
 *
 * Keeps   everything that is remembered may be lost: it is only found again.
 */
import { type Brake, type BrakeKind, type ClusterOrders, noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Heartbeat } from "@reprise/core/watchdog/stranded.ts";
import type { Known } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { type Clock, type Moment, momentOf } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Beside } from "./beside.ts";
import { type Blindness, createBlindness } from "./blindness.ts";
import type { SacConfig } from "./config.ts";
import type { GateFacts } from "./gate.ts";
import type { Journal, StepWithKey } from "./journal.ts";
import { nothingPublished, type Published } from "./loops/published.ts";
import { firstTold, type Heard } from "./look-age.ts";
import type { GateRefusal, Server } from "./server.ts";
import type { Fence, Pass, Slurm } from "./slurm/slurm.ts";
import { createStepAges, type StepsAsSeen } from "./step-ages.ts";

export interface Parts {
  readonly config: Pick<
    SacConfig,
    | "mode"
    | "partitions"
    | "slurmReleases"
    | "environment"
    | "skipRequeueDelay"
    | "restartsPerMinuteMax"
    | "pollMs"
    | "requireWatchdog"
    | "failOpenAfterMs"
    | "serverGraceMs"
    | "stepsTogetherMax"
  >;
  readonly cluster: string;
  /** Identifies this SAC to the lease. */
  readonly holder: string;
  readonly slurm: Slurm;
  readonly server: Server;
  readonly journal: Journal;
  readonly beside: Beside;
  /** The one lock of this host's SAC and watchdog. Undefined: the other one has it. */
  readonly lock: () => Promise<{ release(): void } | undefined>;
  readonly clock: Clock;
  readonly log: Log;
  /** A name that nobody ever had: a UUID. */
  readonly newName: () => string;
  readonly gateFacts: (state: State) => GateFacts;
  readonly fence: (state: State) => Omit<Fence, "expected">;
}

/** Counted on this host, from before it was asked for: two hosts' clocks may differ. */
interface Lease {
  readonly term: number;
  readonly asked: Moment;
}

/** One Advice, as it was decided: a changed decision is another one. */
export const adviceKey = ({ heimdallJobId, generation }: Pick<Work, "heimdallJobId" | "generation">): string =>
  `${heimdallJobId} ${generation}`;

/** Slurm is looked at now: whatever was heard until now is not younger than what the look shows. */
export function lookBegins(state: State, clock: Clock): void {
  state.lookAsked = momentOf(clock);
  state.heardSinceLook = new Set();
}

/** What is remembered between passes. All of it may be lost: it is only found again. */
export interface State {
  readonly published: Published;
  /** Since when everything was last told anew, by the clock that nobody can set. */
  toldAllAfter: number;
  /** By `adviceKey`: what every look has said since then. */
  readonly settling: Map<
    string,
    { readonly verdict: NonNullable<Known["settling"]>["verdict"]; readonly since: Moment }
  >;
  readonly finished: Set<string>;
  readonly refused: Map<string, GateRefusal>;
  /** By key: what of the step the server has recorded last. */
  readonly confirmedSteps: Map<string, "begun" | "ended">;
  /** The journal's steps when all of them were confirmed: most passes find the same ones. */
  confirmed: readonly StepWithKey[];
  readonly blindness: Blindness;
  readonly stepsAsSeen: StepsAsSeen;
  /** Jobs that were seen to wait as singletons: Slurm shows it no more once they run. */
  readonly singletons: Set<string>;
  /** Of this look. */
  holdReasons: Map<string, NonNullable<Known["holdReason"]>>;
  /** Of the last look. Undefined: it did not tell, and nothing is begun. */
  slurm: Pass["settings"];
  lease: Lease | undefined;
  /** For a while after this nothing new is begun: a command of the SAC that had the lease then may still arrive. */
  takenOver: Moment | undefined;
  /** Another SAC had the lease when the server was last heard of it. */
  isLeaseElsewhere: boolean;
  /** What people have ordered about the cluster, and when it was asked for. Never in this life: not before the server answered. */
  orders: ClusterOrders;
  /** Of them, what is on the disk. */
  ordersKept: ClusterOrders;
  /** The last reading of them beside commands: the next one is asked for after it. */
  ordersReading: Promise<void>;
  ordersAsked: Moment | undefined;
  /** Holds of ours that are there or may still come. Undefined: Slurm has not been seen. */
  openHolds: number | undefined;
  /** Since when it is ordered to observe, and still holds something. */
  closing: Moment | undefined;
  /** By brake: whose next step it has held back in this pass. */
  readonly bitten: Map<BrakeKind, Set<string>>;
  brakes: readonly Brake[];
  serverOk: Moment;
  /** Undefined: no pass was answered in this life. */
  heard: Heard | undefined;
  /** The time of the last look that the server was told of, as it was told. 0: none was. */
  toldAt: Instant;
  /** Advice that was open when the server answered last. Undefined: it has not. */
  openWork: number | undefined;
  /** The Advice, by `adviceKey`, that the server listed last; and of it, what was first listed since Slurm was last looked at. */
  heardOf: ReadonlySet<string>;
  heardSinceLook: ReadonlySet<string>;
  /** When the work was asked for that is now being done. */
  workAsked: Moment;
  passOk: Moment;
  /** When the view was asked for that is now being judged. */
  lookAsked: Moment;
  /** The epoch under which this SAC acts; the watchdog raises it when it goes on without the lock. */
  epoch: number;
}

/**
 * @param orders   As they were taken by the SAC before.
 * @param left     As it left them: what it knew of slurmctld's silences, and the time of its last look.
 */
export function newState(
  epoch: number,
  clock: Pick<Clock, "now" | "elapsed">,
  orders: ClusterOrders = noOrders,
  left?: Pick<Heartbeat, "silences" | "toldAt">,
): State {
  const now = momentOf(clock);
  return {
    published: nothingPublished(),
    toldAllAfter: now.after,
    settling: new Map(),
    finished: new Set(),
    refused: new Map(),
    confirmedSteps: new Map(),
    confirmed: [],
    blindness: createBlindness(clock, left?.silences),
    stepsAsSeen: createStepAges(clock),
    singletons: new Set(),
    holdReasons: new Map(),
    slurm: undefined,
    lease: undefined,
    takenOver: undefined,
    isLeaseElsewhere: false,
    orders,
    ordersKept: orders,
    ordersReading: Promise.resolve(),
    ordersAsked: undefined,
    openHolds: undefined,
    closing: undefined,
    bitten: new Map(),
    brakes: [],
    serverOk: now,
    heard: undefined,
    toldAt: firstTold(left?.toldAt, now.at),
    openWork: undefined,
    heardOf: new Set(),
    heardSinceLook: new Set(),
    workAsked: now,
    passOk: now,
    lookAsked: now,
    epoch,
  };
}
