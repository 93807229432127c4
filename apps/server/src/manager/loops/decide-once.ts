/**
 * decideOnce: one pass of the decide loop: claims attempts with changed facts and records what is decided about each.
 *
 * In the loop   facts → fold → decide → **record** → Advice
 * Writes        decisions, Advice, audit; through the store, one transaction a batch.
 * Keeps         a decision is fenced by the facts it was made from: when they changed meanwhile it is `stale` and made again. An
 *               attempt that fails its batch is found by halving it: the others are decided about all the same.
 * Fails         an attempt that cannot be decided is logged and comes again after its claim has run out.
 * Bound         `limits.decideBatchMax` attempts a pass; of those who wait for others as many as `limits.decideWaitingMax`.
 */
import { type Gates, gatesOf } from "@reprise/core/dag/gates.ts";
import { isWaiting } from "@reprise/core/dag/graph.ts";
import { decide } from "@reprise/core/decide/decide.ts";
import type { Ledger } from "@reprise/core/evidence/ledger.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { traceOf } from "@reprise/core/sequence/sequence.ts";
import { fold } from "@reprise/core/situation/situation.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Manager } from "../context.ts";
import type { Decided, Recorded } from "../decisions.ts";
import type { AttemptFacts } from "../store.ts";
import { accuse, isInQuestion } from "./accuse.ts";

const claimMs = 10_000;

/** @returns Whether the last batch was full, so that more may be undecided. */
export async function decideOnce(manager: Manager, log: Log): Promise<boolean> {
  const { store, clock } = manager;
  const { facts, isFull } = await claim(manager, log);
  const known = await withNeighbours(facts, manager, log);
  const now = clock.now();
  const made = known.flatMap((one) => decideAbout(one, now, log) ?? []);
  const record = async (some: readonly Made[]) => {
    const recorded = await store.recordDecisions(some, now);
    return some.map((one, i) => ({ made: one, recorded: recorded[i] }));
  };
  for (let from = 0; from < made.length; from += limits.decideBatchMax) {
    const batch = made.slice(from, from + limits.decideBatchMax);
    for (const one of await together(batch, uuidOf, record, log)) tell(one.made, one.recorded, log);
  }
  return isFull;
}

/** A batch; and further ones while all in them wait for others: little is known of these, and the graph is read once for all. */
async function claim(
  { store, clock }: Manager,
  log: Log,
): Promise<{ readonly facts: readonly AttemptFacts[]; readonly isFull: boolean }> {
  const facts: AttemptFacts[] = [];
  const load = (some: readonly string[]) => store.loadFacts(some, clock.now());
  for (;;) {
    const claimed = await store.claimUndecided(limits.decideBatchMax, claimMs, clock.now());
    const loaded = await together(claimed, (uuid) => uuid, load, log);
    facts.push(...loaded);
    const isFull = claimed.length === limits.decideBatchMax;
    const doAllWait = loaded.length === claimed.length && loaded.every(({ attempt }) => isWaiting(attempt));
    if (!isFull || !doAllWait || facts.length >= limits.decideWaitingMax) return { facts, isFull };
  }
}

const uuidOf = ({ heimdallJobId }: Pick<Decided, "heimdallJobId">) => heimdallJobId;
const nameOf = ({ attempt }: AttemptFacts) => attempt.heimdallJobId;

/** All in one call. When it fails, in halves, down to the one that fails alone; but a refusal, as of a database that is away, is of all. */
async function together<One, Answer>(
  all: readonly One[],
  name: (one: One) => string,
  act: (some: readonly One[]) => Promise<readonly Answer[]>,
  log: Log,
): Promise<readonly Answer[]> {
  if (all.length === 0) return [];
  try {
    return await act(all);
  } catch (error) {
    if (all.length === 1 || error instanceof Refusal) {
      gaveUp(all.map(name), error, log);
      return [];
    }
    const half = Math.ceil(all.length / 2);
    const first = await together(all.slice(0, half), name, act, log);
    return [...first, ...(await together(all.slice(half), name, act, log))];
  }
}

function gaveUp(heimdallJobIds: readonly string[], error: unknown, log: Log): void {
  const fields = { heimdallJobId: heimdallJobIds[0], attempts: heimdallJobIds.length, error };
  log.error(fields, "could not be decided; decided about again later");
}

/** The facts of one attempt, and what other jobs have to do with it. */
interface KnownFacts extends AttemptFacts {
  readonly gates?: Gates;
  readonly ledger?: Ledger;
}

/** Read once for all of a batch, after their facts. Without those of which it could not be read. */
async function withNeighbours(
  facts: readonly AttemptFacts[],
  manager: Manager,
  log: Log,
): Promise<readonly KnownFacts[]> {
  const waiting = facts.filter(({ attempt }) => isWaiting(attempt));
  const rest = facts.filter(({ attempt }) => !isWaiting(attempt));
  const inQuestion = await together(rest.filter(isInQuestion), nameOf, (some) => withLedger(some, manager), log);
  return [...rest.filter((one) => !isInQuestion(one)), ...inQuestion, ...(await withGates(waiting, manager, log))];
}

/** Those of which a node may be to blame. */
async function withLedger(facts: readonly AttemptFacts[], manager: Manager): Promise<readonly KnownFacts[]> {
  const ledgers = await accuse(facts, manager);
  return facts.map((one) => ({ ...one, ...present({ ledger: ledgers.get(one.attempt.cluster) }) }));
}

/**
 * Those who wait for others: often published, and let go, together. Whoever finds something new in the graph (`gateOnce`) raises the
 * facts, and what was decided from an older graph is stale.
 */
async function withGates(
  waiting: readonly AttemptFacts[],
  { store }: Manager,
  log: Log,
): Promise<readonly KnownFacts[]> {
  if (waiting.length === 0) return [];
  try {
    const gates = gatesOf(await store.loadGraph());
    return waiting.map((one) => ({ ...one, ...present({ gates: gates.get(nameOf(one)) }) }));
  } catch (error) {
    gaveUp(waiting.map(nameOf), error, log); // It is the graph that failed, whichever of them asks for it.
    return [];
  }
}

interface Made extends Decided {
  readonly attempt: AttemptFacts["attempt"];
}

/** @returns Undefined where it throws, which is a bug of ours: it is one attempt's, and is logged. */
function decideAbout(facts: KnownFacts, now: Instant, log: Log): Made | undefined {
  const { attempt, factsSeq } = facts;
  const { heimdallJobId, coverage } = attempt;
  try {
    return { attempt, heimdallJobId, factsSeq, decision: decide(fold(facts, now), coverage, now) };
  } catch (error) {
    gaveUp([heimdallJobId], error, log);
    return undefined;
  }
}

function tell(
  { attempt: { jobId, attemptIndex, heimdallJobId }, decision }: Made,
  recorded: Recorded | undefined,
  log: Log,
): void {
  if (recorded?.kind !== "recorded") return;
  const { because, sentence } = decision;
  const advised =
    decision.kind === "advise"
      ? { desired: decision.desired, trace: traceOf({ heimdallJobId, desired: decision.desired }) }
      : { desired: "none" };
  const { generation } = recorded;
  log.info({ job: jobId, attempt: attemptIndex, generation, ...advised, because }, sentence);
}
