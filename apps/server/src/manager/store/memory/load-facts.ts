/** load-facts: everything that a decision about one attempt may use; and the whole story of a job. See `postgres/load-facts.ts`. */
import { madeOnce } from "@reprise/core/made-once.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { PassState } from "../../pass-state.ts";
import type { AttemptFacts, EarlierAttempt } from "../../store.ts";
import type { AttemptStoryRecord } from "../../story-store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { present } from "../postgres/storable.ts";
import { chainLinksMax, isOfChain, isOnJob, namesakesMax, waitedFor } from "../rules/chain-link.ts";
import { generationsOf, getAdvice, wasLaunchReleaseAdvised } from "./advice-table.ts";
import { attemptOf, newestIncarnation, siblingsOf } from "./job-table.ts";
import { nodesOf } from "./node-table.ts";
import { overridesOf } from "./order-rows.ts";
import { positionsOf, shownProgress, signalsOf } from "./signal-table.ts";
import { isOrMayBeDone, stepsOf, wasCancelled, wasRequeued } from "./step-table.ts";
import type { PassRow, Tables } from "./tables.ts";

export const loadFacts = (t: Tables, heimdallJobIds: readonly string[], now: Instant): readonly AttemptFacts[] =>
  heimdallJobIds.flatMap((uuid) => factsOf(t, uuid.toLowerCase(), now) ?? []);

function factsOf(t: Tables, uuid: string, now: Instant): AttemptFacts | undefined {
  const [row, facts] = [t.jobs.get(uuid), t.facts.get(uuid)];
  if (row === undefined || facts === undefined) return undefined;
  const family = siblingsOf(t, row);
  const before = family.filter(({ attemptIndex }) => attemptIndex < row.attemptIndex);
  const successor = family.find(({ attemptIndex }) => attemptIndex > row.attemptIndex);
  return {
    factsSeq: facts.seq,
    ...tell(t, row),
    earlier: [...chainBefore(t, row), ...before].map((other) => tell(t, other)),
    overrides: overridesOf(t, family),
    ...present({ successor: successor && attemptOf(t, successor), pass: passState(t, row.cluster) }),
    nodes: nodesOf(t, row.cluster),
    now,
  };
}

/** The attempts of the jobs for which it was let go, oldest first. */
function chainBefore(t: Tables, row: NumberedRow): readonly NumberedRow[] {
  const chain: NumberedRow[] = [];
  const known = new Set([row.heimdallJobId]);
  let next: NumberedRow | undefined = isOfChain(row) ? row : undefined;
  for (let links = 0; next !== undefined && links < chainLinksMax; links++) {
    const source = letGoFor(t, next) ?? waitedForBy(t, next);
    if (source === undefined || known.has(source.heimdallJobId)) break;
    const family = siblingsOf(t, source);
    for (const { heimdallJobId } of family) known.add(heimdallJobId);
    chain.unshift(...family);
    next = family.at(-1);
  }
  return chain;
}

function letGoFor(t: Tables, row: NumberedRow): NumberedRow | undefined {
  const since = row.incarnationSubmitAt ?? 0;
  const releases = [...t.steps.values()].filter(
    (step) => isOrMayBeDone(step, "release") && step.begunAt >= since && isOnJob(step.detail, row.jobId),
  );
  return releases
    .toSorted((a, b) => b.begunAt - a.begunAt)
    .map(({ heimdallJobId }) => t.jobs.get(heimdallJobId))
    .find(
      (source) =>
        source !== undefined &&
        source.cluster === row.cluster &&
        source.workflowId === row.workflowId &&
        source.user === row.user &&
        source.jobId !== row.jobId,
    );
}

function waitedForBy(t: Tables, row: NumberedRow): NumberedRow | undefined {
  const namesakes = [...t.jobs.values()].filter(
    ({ cluster, workflowId, user, jobName }) =>
      cluster === row.cluster && workflowId === row.workflowId && user === row.user && jobName === row.jobName,
  );
  return waitedFor(row, namesakes.toSorted((a, b) => b.createdSeq - a.createdSeq).slice(0, namesakesMax));
}

function tell(t: Tables, row: NumberedRow): EarlierAttempt {
  const uuid = row.heimdallJobId;
  return {
    attempt: attemptOf(t, row),
    progress: shownProgress(t, uuid),
    signals: signalsOf(t, uuid),
    ...present({ advice: getAdvice(t, uuid) }),
    requeuedByUs: wasRequeued(t, uuid),
    ...(row.status === "CANCELLED" ? { cancelledByUs: wasCancelled(t, uuid) } : {}),
    launchReleaseAdvised: wasLaunchReleaseAdvised(t, uuid),
  };
}

export function passState(t: Tables, cluster: string): PassState | undefined {
  const row = t.passes.get(cluster);
  return row && stateOf(row);
}

/** What leaves the store: it is asked for much more often than it changes. */
const stateOf = madeOnce(({ leaseTerm: _, ...state }: PassRow): PassState => state);

export function story(t: Tables, cluster: string, jobId: string): readonly AttemptStoryRecord[] {
  return newestIncarnation(t, cluster, jobId).map((row) => attemptStory(t, row));
}

export function attemptStory(t: Tables, row: NumberedRow): AttemptStoryRecord {
  const uuid = row.heimdallJobId;
  return {
    attempt: attemptOf(t, row),
    progress: shownProgress(t, uuid),
    signals: signalsOf(t, uuid),
    ...present({ decision: t.decisions.get(uuid), advised: t.advised.get(uuid) }),
    advice: generationsOf(t, row),
    overrides: overridesOf(t, [row]),
    steps: stepsOf(t, uuid),
    unread: positionsOf(t, uuid).filter(({ unreadable }) => unreadable !== undefined),
  };
}
