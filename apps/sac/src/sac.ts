/**
 * sac: the Slurm Advisor Controller, put together: look, publish, ask for work, reconcile; again and again.
 *
 * In the loop   **look → report → listWork → reconcile** → the next look
 * Takes         its parts (ports); the simulator gives others. Nothing in here reads a clock, a file or the network itself.
 * Keeps         one pass at a time. Without the server it goes on with what its journal says it holds, and takes nothing new. While
 *               another SAC has the lease it only reports what it sees, and counts as no living recovery to its watchdog.
 * Fails         a pass that could not read Slurm reports so and does nothing else (invariant 6).
 * Bound         a pass every `pollMs`; every `busyMs` while something is under way.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant, Seen } from "@reprise/core/nouns.ts";
import { isSingleton } from "@reprise/core/plan/dependents.ts";
import type { Known } from "@reprise/core/plan/step.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { atMostMs, type Clock, type Moment, momentOf } from "@reprise/runtime/clock.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Beside } from "./beside.ts";
import { type Blindness, createBlindness } from "./blindness.ts";
import type { SacConfig } from "./config.ts";
import type { GateFacts } from "./gate.ts";
import type { Journal, StepWithKey } from "./journal.ts";
import { forgetPublished, nothingPublished, type Published, publish } from "./loops/observe-once.ts";
import { reconcileOnce } from "./loops/reconcile-once.ts";
import type { GateRefusal, Server } from "./server.ts";
import type { Fence, Pass, Slurm } from "./slurm/slurm.ts";
import { createStepAges, type StepsAsSeen } from "./step-ages.ts";

/** While a recovery is under way Slurm is looked at this often. */
const busyMs = 300;

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
  readonly gateFacts: (state: State) => GateFacts;
  readonly fence: (state: State) => Omit<Fence, "expected">;
}

/** What is remembered between passes. All of it may be lost: it is only found again. */
export interface State {
  readonly published: Published;
  /** By Advice and generation: what every look has said since then. */
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
  holdReasons: Map<string, NonNullable<Known["holdReason"]>> | undefined;
  /** Of the last look. Undefined: it did not tell, and nothing is begun. */
  slurm: Pass["settings"];
  /** Counted on this host, from before it was asked for: two hosts' clocks may differ. */
  lease: { readonly term: number; readonly asked: Moment } | undefined;
  /** For a while after this nothing new is begun: a command of the SAC that had the lease then may still arrive. */
  takenOver: Moment | undefined;
  /** Another SAC had the lease when the server was last heard of it. */
  isLeaseElsewhere: boolean;
  serverOk: Moment;
  /** When the work was asked for that is now being done. */
  workAsked: Moment;
  passOk: Moment;
  /** When the view was asked for that is now being judged. */
  lookAsked: Moment;
  /** The epoch under which this SAC acts; the watchdog raises it when it goes on without the lock. */
  epoch: number;
}

export function newState(epoch: number, clock: Pick<Clock, "now" | "elapsed">): State {
  const now = momentOf(clock);
  return {
    published: nothingPublished(),
    settling: new Map(),
    finished: new Set(),
    refused: new Map(),
    confirmedSteps: new Map(),
    confirmed: [],
    blindness: createBlindness(),
    stepsAsSeen: createStepAges(clock),
    singletons: new Set(),
    holdReasons: undefined,
    slurm: undefined,
    lease: undefined,
    takenOver: undefined,
    isLeaseElsewhere: false,
    serverOk: now,
    workAsked: now,
    passOk: now,
    lookAsked: now,
    epoch,
  };
}

/** One pass. @returns How long to wait before the next one (ms); 0: at once. */
export async function pass(parts: Parts, state: State): Promise<number> {
  const { clock, journal, config } = parts;
  state.holdReasons = undefined;
  journal.refresh();
  state.lookAsked = momentOf(clock);
  const view = await parts.slurm.look();
  state.blindness.looked(view.kind === "seen" ? "answered" : "silent", clock.now());
  if (view.kind === "seen") remember(state, view.value);
  const work = await talkToServer(parts, state, view);
  // Whose hold it sees, and what became of Advice, only the SAC that acts can know.
  if (view.kind !== "seen" || state.isLeaseElsewhere) {
    beat(parts, state);
    return config.pollMs;
  }
  // So long without a pass, the server has decided nothing: it thinks again about what it has just been told.
  const wasSilent = atMostMs(state.passOk, momentOf(clock)) > limits.passAgeMaxMs;
  if (wasSilent) {
    state.passOk = momentOf(clock);
    beat(parts, state);
    return Math.min(busyMs, config.pollMs);
  }
  const { isBusy, acted } = await reconcileOnce(parts, state, work, view);
  state.passOk = momentOf(clock);
  beat(parts, state);
  forgetOld(state, work);
  return acted ? 0 : isBusy ? Math.min(busyMs, config.pollMs) : config.pollMs;
}

function remember(state: State, { jobs, unreadable, settings }: Pass): void {
  const { singletons } = state;
  state.slurm = settings;
  for (const jobId of singletons) if (!jobs.has(jobId) && !unreadable.has(jobId)) singletons.delete(jobId);
  for (const { jobId, dependency } of jobs.values()) if (isSingleton(dependency)) singletons.add(jobId);
}

/** Reports the pass, renews the lease, asks for work. Without an answer: what the journal says is held. */
async function talkToServer(parts: Parts, state: State, view: Seen<Pass>): Promise<readonly Work[]> {
  const { server, journal, config, cluster, clock, log } = parts;
  try {
    if (config.mode === "act") await renewLease(parts, state);
    // The newest first: what the next decision depends on must not wait behind a week of old steps after a restart.
    const steps = unconfirmed(state, journal.all()).slice(-stepsPerPassMax);
    const context = { ...config, cluster, leaseTerm: state.lease?.term ?? 0, steps };
    const confirmed = await publish(view, state.published, context, server);
    for (const step of steps) if (confirmed.includes(step.key)) state.confirmedSteps.set(step.key, phaseOf(step));
    const asked = momentOf(clock);
    const work = await server.listWork(cluster);
    [state.serverOk, state.workAsked] = [momentOf(clock), asked];
    return [...work, ...forgotten(work, journal)];
  } catch (error) {
    log.warn({ error: String(error) }, "the server does not answer; only what is already held is carried on");
    forgetPublished(state.published); // What it holds after this is not known: publish everything again.
    return journal.open().map(({ work }) => work);
  }
}

/** What the journal still holds and the server no longer speaks of (it was closed by another SAC, or lost) is let go. */
function forgotten(work: readonly Work[], journal: Journal): readonly Work[] {
  const known = new Set(work.map((w) => w.heimdallJobId));
  return journal.open().flatMap((open) => (known.has(open.heimdallJobId) ? [] : [{ ...open.work, withdrawn: true }]));
}

const stepsPerPassMax = 200;

/** A step is reported when begun and again when ended. */
const phaseOf = ({ endedAt }: { readonly key: string; readonly endedAt?: Instant }) =>
  endedAt === undefined ? "begun" : "ended";
const isConfirmed = ({ confirmedSteps }: State, step: { readonly key: string; readonly endedAt?: Instant }) =>
  confirmedSteps.get(step.key) === phaseOf(step);

function unconfirmed(state: State, all: readonly StepWithKey[]): readonly (StepWithKey | GateRefusal)[] {
  const ours = all === state.confirmed ? [] : all.filter((step) => !isConfirmed(state, step));
  if (ours.length === 0) state.confirmed = all;
  return [...[...state.refused.values()].filter((step) => !isConfirmed(state, step)), ...ours];
}

/** Until when the lease may be used, by whichever clock ends it first: one may be set back, the other stands still in a sleep. */
export function leaseUntil({ lease }: State, clock: Parts["clock"]): Instant | undefined {
  if (lease === undefined) return undefined;
  return clock.now() + limits.leaseMs - atMostMs(lease.asked, momentOf(clock));
}

async function renewLease(parts: Parts, state: State): Promise<void> {
  const { server, clock, cluster, holder, beside } = parts;
  const asked = momentOf(clock);
  const until = leaseUntil(state, clock);
  if (until !== undefined && until - asked.at > limits.leaseMs / 2) return;
  const lease = await server.acquireLease(cluster, holder);
  state.isLeaseElsewhere = !lease.isHeld;
  state.lease = undefined;
  if (!lease.isHeld) return;
  // A term between the last one of this folder and this one was another SAC's: what it sent may still be on its way.
  if (lease.term > beside.fence().leaseTerm + 1) state.takenOver = momentOf(clock);
  if (!(await raiseTerm(parts, lease.term))) return;
  state.lease = { term: lease.term, asked };
}

/** Under the lock: a SAC that was stopped between reading and writing must not lower what another one of this folder has raised. */
async function raiseTerm({ beside, lock, log }: Parts, leaseTerm: number): Promise<boolean> {
  if (leaseTerm <= beside.fence().leaseTerm) return true;
  const held = await lock();
  if (held === undefined) {
    log.warn({ leaseTerm }, "the lock is taken by the watchdog; the lease is not used before it is given up");
    return false;
  }
  try {
    beside.raiseFence({ leaseTerm });
    return true;
  } finally {
    held.release();
  }
}

function beat({ beside, clock, config }: Parts, state: State): void {
  beside.beat({ at: clock.now(), passOkAt: state.passOk.at, serverOkAt: state.serverOk.at, mode: config.mode });
  state.epoch = beside.fence().epoch;
}

/** What is remembered of Advice that is no longer open is of no use. */
function forgetOld(state: State, work: readonly Work[]): void {
  const open = new Set(work.map((w) => `${w.heimdallJobId} ${w.generation}`));
  for (const key of state.settling.keys()) if (!open.has(key)) state.settling.delete(key);
  for (const key of state.finished) if (!open.has(key)) state.finished.delete(key);
  for (const [key, refusal] of state.refused) {
    if (!open.has(`${refusal.work.heimdallJobId} ${refusal.work.generation}`) && isConfirmed(state, refusal))
      state.refused.delete(key);
  }
}
