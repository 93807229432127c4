/**
 * decideOnce: one pass of the decide loop: claims attempts with changed facts and records what is decided about each.
 *
 * In the loop   facts → fold → decide → **record** → Advice
 * Writes        decisions, Advice, audit; through the store, one transaction an attempt.
 * Keeps         a decision is fenced by the facts it was made from: when they changed meanwhile it is `stale` and made again.
 * Fails         an attempt that cannot be decided is logged and comes again after its claim has run out; the others go on.
 * Bound         `limits.decideBatchMax` attempts a pass.
 */
import { decide } from "@reprise/core/decide/decide.ts";
import { limits } from "@reprise/core/limits.ts";
import { fold } from "@reprise/core/situation/situation.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Manager } from "../context.ts";

const claimMs = 10_000;

/** @returns Whether the batch was full, so that more may be waiting. */
export async function decideOnce({ store, clock }: Manager, log: Log): Promise<boolean> {
  const claimed = await store.claimUndecided(limits.decideBatchMax, claimMs, clock.now());
  for (const heimdallJobId of claimed) {
    try {
      await decideAbout(heimdallJobId, { store, clock }, log);
    } catch (error) {
      log.error({ heimdallJobId, error }, "an attempt could not be decided");
    }
  }
  return claimed.length === limits.decideBatchMax;
}

async function decideAbout(
  heimdallJobId: string,
  { store, clock }: Pick<Manager, "store" | "clock">,
  log: Log,
): Promise<void> {
  const now = clock.now();
  const facts = await store.loadFacts(heimdallJobId, now);
  if (facts === undefined) return;
  const decision = decide(fold(facts, now), facts.attempt.coverage, now);
  const recorded = await store.recordDecision(heimdallJobId, facts.factsSeq, decision, now);
  if (recorded.kind === "recorded") {
    const { jobId, attemptIndex } = facts.attempt;
    const desired = decision.kind === "advise" ? decision.desired : "none";
    log.info(
      { job: jobId, attempt: attemptIndex, generation: recorded.generation, desired, because: decision.because },
      decision.sentence,
    );
  }
}
