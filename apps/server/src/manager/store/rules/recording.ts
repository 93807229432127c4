/**
 * recording: what recording one decision writes.
 *
 * In the loop   Decision → **recording** → rows of decisions, Advice, audit
 * Takes         the decision, and what is stored of its attempt, read behind the fence of its facts.
 * Gives         undefined where the decision is stale: nothing is written of it.
 * Pure, total
 * Keeps         nothing is advised about an attempt whose facts have changed since, or whose successor has started.
 */
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Advice, Instant } from "@reprise/core/nouns.ts";
import { decisionEvents, type OwnEvent } from "../../audit/own-events.ts";
import type { Decided, Recorded } from "../../decisions.ts";
import { auditOf, type Course, fulfils, nextGeneration, type NewGeneration } from "./next-generation.ts";

export interface Source extends Course {
  readonly heimdallJobId: string;
  readonly cluster: string;
  readonly jobId: string;
  readonly attemptIndex: number;
}

export interface Stored {
  /** The number of its facts now. */
  readonly factsSeq: number;
  readonly source: Source;
  /** What was decided last. */
  readonly before?: Pick<Decision, "kind" | "because"> | undefined;
  readonly advice?: Advice | undefined;
}

export interface Recording {
  readonly decided: Decided;
  readonly source: Source;
  readonly events: readonly OwnEvent[];
  readonly advised?: NewAdvice;
}

interface NewAdvice {
  readonly generation: number;
  readonly said: NewGeneration;
  /** The restart that a person has ordered is this Advice. */
  readonly isOrdered: boolean;
}

/** @param stored Absent: nobody knows the attempt. */
export function recordingOf(decided: Decided, stored: Stored | undefined, now: Instant): Recording | undefined {
  if (stored?.factsSeq !== decided.factsSeq) return undefined;
  const { decision } = decided;
  const { source, before, advice } = stored;
  if (source.isOvertaken && decision.kind === "advise") return undefined;
  const made = decisionEvents(before, decision, source, now);
  const said = nextGeneration(advice, decision, source, now);
  if (said === undefined) return { decided, source, events: made };
  const generation = (advice?.generation ?? 0) + 1;
  const events = [...made, auditOf(generation, said, decision, source, now)];
  return { decided, source, events, advised: { generation, said, isOrdered: fulfils(decision, source) } };
}

export function answerOf(recording: Recording | undefined): Recorded {
  if (recording === undefined) return { kind: "stale" };
  const { advised } = recording;
  return advised === undefined ? { kind: "unchanged" } : { kind: "recorded", generation: advised.generation };
}

/** @throws A batch that names an attempt twice is a bug of its maker: which of the two would count? */
export function requireDistinct(batch: readonly Decided[]): void {
  const named = new Set(batch.map(({ heimdallJobId }) => heimdallJobId));
  if (named.size < batch.length)
    throw new Error(`a batch of ${batch.length} decisions is about ${named.size} attempts: expected one of each`);
}
