/**
 * traceOnce: one pass of the loop that tells recoveries as traces.
 *
 * In the loop   records → spans → **told, offered** → receiver of traces
 * Writes        which spans are told. Nothing of a recovery waits for this or depends on it (invariant 13).
 * Keeps         a span is written down as told before it is offered: after a crash, or on another replica, it is not told again. What is
 *               lost between the two, or while the receiver is away for long, stays in the records and in `reprise explain`.
 * Bound         `perPassMax` stories a pass; a young recovery is looked at every pass, an old one ever more seldom.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { SpanQueue } from "@reprise/runtime/spans.ts";
import type { Manager } from "../context.ts";
import type { OpenTrace } from "../trace-store.ts";
import { deriveSpans } from "./derive-spans.ts";

const perPassMax = 50;
/** Longer than a pass takes. */
const claimMs = 30_000;
/** Where traces are switched on, yesterday's recoveries are told too. */
const lookBackMs = 24 * 3_600_000;
/** A run of its successor that takes longer than this is not told. */
const followMs = 60 * 24 * 3_600_000;
const againMinMs = 5_000;
const againMaxMs = 10 * 60_000;

type Deps = Pick<Manager, "store" | "clock">;

/** @returns Whether more is due. */
export async function traceOnce({ store, clock }: Deps, spans: Pick<SpanQueue, "offer">): Promise<boolean> {
  const now = clock.now();
  const open = await store.claimTraces({ from: now - lookBackMs, limit: perPassMax, claimMs }, now);
  for (const trace of open) await tell(store, trace, spans, now);
  return open.length === perPassMax;
}

async function tell(
  store: Deps["store"],
  trace: OpenTrace,
  queue: Pick<SpanQueue, "offer">,
  now: Instant,
): Promise<void> {
  const { sequenceId, heimdallJobId, startedAt } = trace;
  const stories = trace.jobId === "" ? [] : await store.story(trace.cluster, trace.jobId);
  const index = stories.findIndex(({ attempt }) => attempt.heimdallJobId === heimdallJobId);
  const story = stories[index];
  const sequences = await store.sequencesOf([heimdallJobId]);
  const sequence = sequences.find((one) => one.sequenceId === sequenceId);
  // Slurm has given its job ID to another job, or its details have gone.
  if (story === undefined || sequence === undefined) return void (await store.tellSpans(sequenceId, []));
  const { spans, isOver } = deriveSpans(sequence, story, stories.slice(index + 1), sequences, now);
  const isLast = isOver || now >= startedAt + followMs;
  const names = spans.map(({ key }) => key);
  const untold = new Set(await store.tellSpans(sequenceId, names, isLast ? undefined : againAt(startedAt, now)));
  queue.offer(spans.filter(({ key }) => untold.has(key)).map(({ span }) => span));
}

const againAt = (startedAt: Instant, now: Instant): Instant =>
  now + Math.min(againMaxMs, Math.max(againMinMs, Math.floor((now - startedAt) / 20)));
