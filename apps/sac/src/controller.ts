/**
 * controller: SAC's parts at work: its loop, what wakes it, what its gate is told, the lock that it shares with the watchdog, and the
 * reporter of milestones beside it.
 *
 * Takes         parts (ports) and a life; `controller.main.ts` makes the real ones, the simulator others.
 * Keeps         a wake-up only says *look*; polling is the truth, and goes on when every stream is broken.
 * Bound         `lockTries` tries for the lock, one in `lockTriesEveryMs`; a broken stream is opened again after a second.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { atLeastMs, atMostMs, type Clock, momentOf } from "@reprise/runtime/clock.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { type Loop, startLoop } from "@reprise/runtime/loop.ts";
import { type AgeOf, createAges } from "./ages.ts";
import type { GateFacts } from "./gate.ts";
import { inForce, ordersUsableUntil } from "./orders.ts";
import { startMilestoneReporter } from "./milestone-reporter.ts";
import { leaseUntil } from "./lease.ts";
import { pass } from "./sac.ts";
import type { SacStanding } from "./sac-metrics.ts";
import { newState, type Parts, type State } from "./state.ts";

const lockTriesEveryMs = 100;
const lockTries = 20;
/** A node without an epilog is COMPLETING for about 40 ms. */
const completingMs = 250;

export interface ControllerParts
  extends Pick<Parts, "config" | "cluster" | "holder" | "slurm" | "server" | "journal" | "beside" | "newName"> {
  readonly tryLock: () => { release(): void } | undefined;
}

export interface Controller {
  /** Slurm says that some job has just ended. */
  readonly jobEnded: () => void;
  /** For metrics. */
  readonly standing: () => SacStanding;
  /** Resolves when the life has ended and the last pass is over. */
  readonly ended: Promise<void>;
}

export function startController({ tryLock, ...given }: ControllerParts, life: Life): Controller {
  const { config, beside } = given;
  const { clock, log } = life;
  const ageOf = createAges(clock);
  const restartsBegunAt = restartTimes(given, clock);
  const parts: Parts = {
    ...given,
    lock: () => waitForLock(tryLock, life),
    clock,
    log,
    gateFacts: (state) => ({ ...gateFacts(parts, state, ageOf), restartsBegunAt: restartsBegunAt() }),
    fence: (state) => {
      const until = leaseUntil(state, clock);
      const ordersUntil = ordersUsableUntil(state, clock);
      return {
        leaseTerm: state.lease?.term ?? beside.fence().leaseTerm,
        epoch: state.epoch,
        ...(until === undefined ? {} : { leaseUntil: until }),
        ...(ordersUntil === undefined ? {} : { ordersUntil }),
      };
    },
  };
  const state = newState(beside.fence().epoch, clock, beside.orders(), beside.heartbeat());
  const loop = startLoop(life, "sac", config.pollMs, () => {
    restartsBegunAt(); // They grow old from when they are first asked about.
    return pass(parts, state);
  });
  const milestones = startMilestoneReporter(parts.journal, parts.server, life);
  const ended = Promise.all([loop.ended, watchServer(parts, life, loop), milestones]).then(() => {});
  return { jobEnded: waker(loop, life), standing: () => standingOf(parts, state), ended };
}

function standingOf(parts: Parts, state: State): SacStanding {
  const now = momentOf(parts.clock);
  const until = leaseUntil(state, parts.clock);
  const { lease, openHolds, brakes } = state;
  return {
    mode: inForce(parts, state).mode,
    passAgeMs: atMostMs(state.passOk, now),
    serverAgeMs: atMostMs(state.serverOk, now),
    ...(lease === undefined || until === undefined ? {} : { lease: { term: lease.term, leftMs: until - now.at } }),
    ...(openHolds === undefined ? {} : { openHolds }),
    heldBack: new Map(brakes.map(({ kind, heldBack }) => [kind, heldBack])),
  };
}

/**
 * Slurm tells of a job's end a moment before it shows it: what is still COMPLETING then is looked at once more. Wake-ups
 * in between are covered by that look, so that a cluster in which jobs end all the time does not make SAC look all the time.
 */
function waker(loop: Loop, { clock, signal }: Life): () => void {
  let isLookingAgain = false;
  return () => {
    if (isLookingAgain) return;
    isLookingAgain = true;
    loop.wake();
    void clock.sleep(completingMs, signal).then(() => {
      isLookingAgain = false;
      loop.wake();
    });
  };
}

interface RestartsAsked {
  readonly journal: Pick<Parts["journal"], "lastRequeues">;
  readonly config: Pick<Parts["config"], "restartsPerMinuteMax">;
}

/** When the last restarts were begun, as the host's clock would have it now, were it never set: the cap of a minute is by that. */
export function restartTimes(
  { journal, config }: RestartsAsked,
  clock: Pick<Clock, "now" | "elapsed">,
): () => readonly Instant[] {
  const ageOf = createAges(clock);
  return () =>
    journal.lastRequeues(config.restartsPerMinuteMax).map(({ key, begunAt }) => clock.now() - ageOf(key, begunAt));
}

function gateFacts(
  parts: Pick<Parts, "config" | "beside" | "clock">,
  state: State,
  ageOf: AgeOf,
): Omit<GateFacts, "restartsBegunAt"> {
  const { config, beside, clock } = parts;
  const until = leaseUntil(state, clock);
  const now = momentOf(clock);
  const watchdog = beside.watchdogBeat();
  return {
    ...inForce(parts, state),
    ...(until === undefined ? {} : { leaseExpiresAt: until }),
    serverOkAt: now.at - atMostMs(state.serverOk, now),
    ...(state.takenOver === undefined ? {} : { takenOverAt: now.at - atLeastMs(state.takenOver, now) }),
    serverGraceMs: config.serverGraceMs,
    requireWatchdog: config.requireWatchdog,
    watchdog: watchdog && { ...watchdog, at: now.at - ageOf("watchdog", watchdog.at) },
    ...(state.slurm?.version === undefined ? {} : { slurmVersion: state.slurm.version }),
    slurmReleases: config.slurmReleases,
    isKillSwitchOn: beside.isKillSwitchOn(),
    ...(state.orders.stop === undefined ? {} : { stop: state.orders.stop }),
    restartsPerMinuteMax: config.restartsPerMinuteMax,
  };
}

async function waitForLock(
  tryLock: ControllerParts["tryLock"],
  { clock, signal }: Life,
): Promise<{ release(): void } | undefined> {
  for (let i = 0; i < lockTries && !signal.aborted; i++) {
    const lock = tryLock();
    if (lock !== undefined) return lock;
    await clock.sleep(lockTriesEveryMs, signal);
  }
  return undefined;
}

/** A stream that breaks is opened again; the poll goes on meanwhile. */
async function watchServer({ server, cluster, log }: Parts, life: Life, loop: Loop): Promise<void> {
  while (!life.signal.aborted) {
    await server
      .watch(cluster, () => loop.wake(), life.signal)
      .catch((error: unknown) => log.debug({ error: String(error) }, "the change stream broke"));
    await life.clock.sleep(1_000, life.signal);
  }
}
