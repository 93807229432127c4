/**
 * decideOnce: one pass of the decide loop: claims attempts with changed facts and records what is decided about each.
 *
 * In the loop   facts → fold → decide → **record** → Advice
 * Writes        decisions, Advice, audit; through the store, one transaction an attempt.
 * Keeps         a decision is fenced by the facts it was made from: when they changed meanwhile it is `stale` and made again.
 * Fails         an attempt that cannot be decided is logged and comes again after its claim has run out; the others go on.
 * Bound         `limits.decideBatchMax` attempts a pass.
 */
import { type Gates, gatesOf } from "@reprise/core/dag/gates.ts";
import { isWaiting } from "@reprise/core/dag/graph.ts";
import { decide } from "@reprise/core/decide/decide.ts";
import type { Ledger } from "@reprise/core/evidence/ledger.ts";
import { limits } from "@reprise/core/limits.ts";
import { fold } from "@reprise/core/situation/situation.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Manager } from "../context.ts";
import type { AttemptFacts } from "../store.ts";
import { accuse, isInQuestion } from "./accuse.ts";

const claimMs = 10_000;

/** @returns Whether the batch was full, so that more may be waiting. */
export async function decideOnce(manager: Manager, log: Log): Promise<boolean> {
  const { store, clock } = manager;
  const claimed = await store.claimUndecided(limits.decideBatchMax, claimMs, clock.now());
  const waiting: AttemptFacts[] = [];
  const inQuestion: AttemptFacts[] = [];
  for (const heimdallJobId of claimed) {
    await unlessItFails(heimdallJobId, log, async () => {
      const facts = await store.loadFacts(heimdallJobId, clock.now());
      if (facts === undefined) return;
      if (isWaiting(facts.attempt)) waiting.push(facts);
      else if (isInQuestion(facts)) inQuestion.push(facts);
      else await record(facts, {}, manager, log);
    });
  }
  if (inQuestion.length > 0) await decideInQuestion(inQuestion, manager, log);
  if (waiting.length > 0) await decideWaiting(waiting, manager, log);
  return claimed.length === limits.decideBatchMax;
}

/**
 * Those who wait for others: often published, and let go, together, so the graph is read once for all. It is read after their facts:
 * whoever finds something new in it (`gateOnce`) raises the facts, and what was decided from an older graph is stale.
 */
async function decideWaiting(waiting: readonly AttemptFacts[], manager: Manager, log: Log): Promise<void> {
  let gates: ReadonlyMap<string, Gates>;
  try {
    gates = gatesOf(await manager.store.loadGraph());
  } catch (error) {
    return log.error(
      { attempts: waiting.length, error },
      "the graph could not be read; who waits is decided about later",
    );
  }
  for (const facts of waiting) {
    const { heimdallJobId } = facts.attempt;
    await unlessItFails(heimdallJobId, log, () =>
      record(facts, present({ gates: gates.get(heimdallJobId) }), manager, log),
    );
  }
}

/** Those of which a node may be to blame: what all jobs say against nodes is read once for all of them, after their facts. */
async function decideInQuestion(inQuestion: readonly AttemptFacts[], manager: Manager, log: Log): Promise<void> {
  let ledgers: ReadonlyMap<string, Ledger>;
  try {
    ledgers = await accuse(inQuestion, manager);
  } catch (error) {
    return log.error(
      { attempts: inQuestion.length, error },
      "the evidence against nodes could not be kept or read; whose attempts failed is decided about later",
    );
  }
  for (const facts of inQuestion) {
    const { heimdallJobId, cluster } = facts.attempt;
    await unlessItFails(heimdallJobId, log, () =>
      record(facts, present({ ledger: ledgers.get(cluster) }), manager, log),
    );
  }
}

/** One that fails comes again after its claim has run out; the others go on. */
async function unlessItFails(heimdallJobId: string, log: Log, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    log.error({ heimdallJobId, error }, "an attempt could not be decided");
  }
}

async function record(
  facts: AttemptFacts,
  about: { readonly gates?: Gates; readonly ledger?: Ledger },
  { store, clock }: Manager,
  log: Log,
): Promise<void> {
  const now = clock.now();
  const { heimdallJobId, jobId, attemptIndex, coverage } = facts.attempt;
  const decision = decide(fold({ ...facts, ...about }, now), coverage, now);
  const recorded = await store.recordDecision(heimdallJobId, facts.factsSeq, decision, now);
  if (recorded.kind !== "recorded") return;
  const desired = decision.kind === "advise" ? decision.desired : "none";
  const fields = {
    job: jobId,
    attempt: attemptIndex,
    generation: recorded.generation,
    desired,
    because: decision.because,
  };
  log.info(fields, decision.sentence);
}
