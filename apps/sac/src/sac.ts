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
import type { Work } from "@reprise/core/plan/work.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { atMostMs, momentOf } from "@reprise/runtime/clock.ts";
import type { Journal, StepWithKey } from "./journal.ts";
import { leaseUntil, renewLease } from "./lease.ts";
import { byOurClock, dated } from "./look-age.ts";
import { type ObserveContext, publish } from "./loops/observe-once.ts";
import { forgetPublished, rememberPartitions } from "./loops/published.ts";
import { reconcileOnce } from "./loops/reconcile-once.ts";
import { named } from "./report-name.ts";
import { inForce, readOrders } from "./orders.ts";
import type { GateRefusal } from "./server.ts";
import type { Pass } from "./slurm/slurm.ts";
import { modeOfHeartbeat, modeReport, takeStock } from "./standing.ts";
import { adviceKey, lookBegins, type Parts, type State } from "./state.ts";

/** While a recovery is under way Slurm is looked at this often. */
const busyMs = 300;

/** One pass. @returns How long to wait before the next one (ms); 0: at once. */
export async function pass(parts: Parts, state: State): Promise<number> {
  const { clock, journal, config } = parts;
  state.holdReasons = new Map();
  state.bitten.clear();
  journal.refresh();
  const told = await look(parts, state, isAtRest(parts, state) ? "at-rest" : "whole");
  const work = await talkToServer(parts, state, told);
  // What is planned is planned from a whole look.
  const isEnough = work.length === 0 || told.kind !== "seen" || told.value.isAtRest !== true;
  const view = isEnough ? told : await look(parts, state, "whole");
  // Whose hold it sees, and what became of Advice, only the SAC that acts can know.
  if (view.kind !== "seen" || state.isLeaseElsewhere) {
    beat(parts, state, view);
    return config.pollMs;
  }
  // So long without a pass, the server has decided nothing: it thinks again about what it has just been told.
  const wasSilent = atMostMs(state.passOk, momentOf(clock)) > limits.passAgeMaxMs;
  if (wasSilent) {
    state.passOk = momentOf(clock);
    beat(parts, state, view);
    return Math.min(busyMs, config.pollMs);
  }
  const { isBusy, acted } = await reconcileOnce(parts, state, work, view);
  state.passOk = momentOf(clock);
  beat(parts, state, view);
  forgetOld(state, work);
  return acted ? 0 : isBusy ? Math.min(busyMs, config.pollMs) : config.pollMs;
}

async function look({ slurm, clock }: Parts, state: State, how: "whole" | "at-rest"): Promise<Seen<Pass>> {
  lookBegins(state, clock);
  const view = await slurm.look(how);
  state.blindness.looked(view.kind === "seen" ? "answered" : "silent", momentOf(clock));
  if (view.kind === "seen") remember(state, view.value);
  return view;
}

/** No Advice is open, and nothing of ours is held. */
const isAtRest = ({ journal }: Parts, { openWork }: State): boolean => openWork === 0 && journal.open().length === 0;

function remember(state: State, seen: Pass): void {
  const { jobs, unreadable, settings } = seen;
  rememberPartitions(state.published, seen);
  const { singletons } = state;
  state.slurm = settings;
  for (const jobId of singletons) if (!jobs.has(jobId) && !unreadable.has(jobId)) singletons.delete(jobId);
  for (const { jobId, dependency } of jobs.values()) if (isSingleton(dependency)) singletons.add(jobId);
  for (const [jobId, { shown }] of unreadable) if (isSingleton(shown?.dependency)) singletons.add(jobId);
}

/** Reports the pass, renews the lease, asks for work. Without an answer: what the journal says is held. */
async function talkToServer(parts: Parts, state: State, view: Seen<Pass>): Promise<readonly Work[]> {
  const { server, journal, config, cluster, clock, log } = parts;
  try {
    // Also while it is ordered to observe: the SAC that has it speaks for the cluster.
    if (config.mode === "act") await renewOrTell(parts, state, view);
    await readOrders(parts, state);
    // The newest first: what the next decision depends on must not wait behind a week of old steps after a restart.
    const steps = unconfirmed(state, journal.all()).slice(-stepsPerPassMax);
    const confirmed = await tell(parts, state, view, steps);
    for (const step of steps) if (confirmed.includes(step.key)) state.confirmedSteps.set(step.key, phaseOf(step));
    const asked = momentOf(clock);
    const work = byOurClock(await server.listWork(cluster), state, clock);
    [state.serverOk, state.workAsked, state.openWork] = [momentOf(clock), asked, work.length];
    hear(state, work);
    return [...work, ...forgotten(work, journal)];
  } catch (error) {
    log.warn({ error: String(error) }, "the server does not answer; only what is already held is carried on");
    // One that is away, or whose database fails, may come back with an older one. What was only late is told again by itself.
    if (!isLate(error)) state.published.isInDoubt = true;
    // What the server last said of it may have been that it is undecided: what is held is carried on, and nothing is begun.
    return journal.open().map(({ work }) => ({ ...work, isUndecided: true }));
  }
}

/** What was decided about may be younger than the look: it may have been seen by another SAC. */
function hear(state: State, work: readonly Work[]): void {
  const heard = new Set(work.map(adviceKey));
  state.heardSinceLook = new Set([...heard].filter((key) => !state.heardOf.has(key)));
  state.heardOf = heard;
}

/** A right to act that cannot be had must not look like a SAC that is gone: once it has run out, what is seen is told before the pass fails. */
async function renewOrTell(parts: Parts, state: State, view: Seen<Pass>): Promise<void> {
  try {
    await renewLease(parts, state);
  } catch (error) {
    const hasRunOut = (leaseUntil(state, parts.clock) ?? 0) <= parts.clock.now();
    if (hasRunOut && !isLate(error) && !isAway(error)) await tell(parts, state, view, []);
    throw error;
  }
}

type Steps = ObserveContext["steps"];

function tell(parts: Parts, state: State, view: Seen<Pass>, steps: Steps): Promise<readonly string[]> {
  const { server, config, cluster, clock, newName } = parts;
  const [force, sac] = [inForce(parts, state), modeReport(parts, state)];
  const context = { ...config, cluster, leaseTerm: state.lease?.term ?? 0, steps, force, sac };
  tellAllNowAndThen(parts, state);
  const told = dated(named(server, state.published, newName), state, clock, view.at);
  return publish(view, state.published, context, told);
}

/** Whoever takes it in may have learnt to keep more of it since. */
function tellAllNowAndThen({ clock }: Parts, state: State): void {
  const now = clock.elapsed();
  if (now - state.toldAllAfter < limits.tellAllEveryMs) return;
  forgetPublished(state.published);
  state.toldAllAfter = now;
}

const isAway = (error: unknown): boolean => error instanceof Refusal && error.code === "unavailable";
const isLate = (error: unknown): boolean => error instanceof Refusal && error.code === "deadline";

/** What the journal still holds and the server no longer speaks of (it was closed by another SAC, or lost) is let go. */
function forgotten(work: readonly Work[], journal: Journal): readonly Work[] {
  const known = new Set(work.map((w) => w.heimdallJobId));
  return journal.open().flatMap((open) => (known.has(open.heimdallJobId) ? [] : [{ ...open.work, withdrawn: true }]));
}

const stepsPerPassMax = 200;
type Told = { readonly key: string; readonly endedAt?: Instant };
/** A step is reported when begun and again when ended. */
const phaseOf = ({ endedAt }: Told) => (endedAt === undefined ? "begun" : "ended");
const isConfirmed = ({ confirmedSteps }: State, step: Told) => confirmedSteps.get(step.key) === phaseOf(step);

function unconfirmed(state: State, all: readonly StepWithKey[]): readonly (StepWithKey | GateRefusal)[] {
  const ours = all === state.confirmed ? [] : all.filter((step) => !isConfirmed(state, step));
  if (ours.length === 0) state.confirmed = all;
  return [...[...state.refused.values()].filter((step) => !isConfirmed(state, step)), ...ours];
}

function beat(parts: Parts, state: State, view: Seen<Pass>): void {
  takeStock(parts, state, view);
  const { beside, clock } = parts;
  const mode = modeOfHeartbeat(parts, state);
  const { passOk, serverOk, blindness, toldAt } = state;
  const silences = blindness.silences();
  beside.beat({ at: clock.now(), passOkAt: passOk.at, serverOkAt: serverOk.at, mode, silences, toldAt });
  state.epoch = beside.fence().epoch;
}

/** What is remembered of Advice that is no longer open is of no use. */
function forgetOld(state: State, work: readonly Work[]): void {
  const open = new Set(work.map(adviceKey));
  for (const key of state.settling.keys()) if (!open.has(key)) state.settling.delete(key);
  for (const key of state.finished) if (!open.has(key)) state.finished.delete(key);
  for (const [key, refusal] of state.refused) {
    if (!open.has(adviceKey(refusal.work)) && isConfirmed(state, refusal)) state.refused.delete(key);
  }
}
