/** shadow-table: what SAC only observed, from the stories of the jobs. See `postgres/shadow-store.ts`. */
import { arrayOf } from "@reprise/core/dag/graph.ts";
import type { ShadowRecord } from "@reprise/core/figures/shadow.ts";
import type { FiguresWindow } from "../../figures-store.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { present } from "../postgres/storable.ts";
import { resubmittedWithinMs } from "../rules/resubmission.ts";
import { generationsOf } from "./advice-table.ts";
import { askedRows, isRecovery, isWithin } from "./figures-table.ts";
import { siblingsOf } from "./job-table.ts";
import { stepsOf } from "./step-table.ts";
import type { Tables } from "./tables.ts";

export function shadowIn(t: Tables, window: FiguresWindow, limit: number): readonly ShadowRecord[] {
  return askedRows(t, window)
    .flatMap((row) => recordOf(t, row, window) ?? [])
    .slice(0, limit);
}

function recordOf(t: Tables, row: NumberedRow, window: FiguresWindow): ShadowRecord | undefined {
  const head = t.heads.get(row.heimdallJobId);
  if (head === undefined || !isWithin(head.createdAt, window)) return undefined;
  if (!wasObserved(t, row) || wasTouched(t, row)) return undefined;
  const [first] = generationsOf(t, row);
  const [issue] = first?.issues ?? [];
  if (first === undefined || issue === undefined || !isRecovery(first)) return undefined;
  const { desired, because } = first;
  const { heimdallJobId, cluster, jobId, attemptIndex, workflowId, jobName, status, endedAt } = row;
  const after = siblingsOf(t, row).filter((other) => other.attemptIndex > attemptIndex);
  const anew = resubmissionOf(t, row);
  return {
    heimdallJobId,
    cluster,
    jobId,
    attemptIndex,
    workflowId,
    desired,
    because,
    rootAt: issue.detectedAt,
    decidedAt: head.createdAt,
    nodes: row.nodes.length,
    status,
    ...present({
      jobName,
      endedAt,
      lastStepAt: t.progress.get(heimdallJobId)?.lastStepAt,
      requeuedAt: after[0]?.createdAt,
      restartedAt: after[0]?.startedAt,
      completedAt: after.find((other) => other.status === "COMPLETED")?.endedAt,
      resubmittedAs: anew?.jobId,
      resubmittedAt: anew?.createdAt,
      resubmitStartedAt: anew?.startedAt,
    }),
  };
}

const wasObserved = (t: Tables, { heimdallJobId }: NumberedRow): boolean =>
  (t.statuses.get(heimdallJobId) ?? []).some(({ status }) => status.reason === "OBSERVE_MODE");

const wasTouched = (t: Tables, { heimdallJobId }: NumberedRow): boolean =>
  stepsOf(t, heimdallJobId).some(({ outcome }) => outcome !== "refused");

function resubmissionOf(t: Tables, source: NumberedRow): NumberedRow | undefined {
  const { endedAt } = source;
  if (endedAt === undefined || source.jobName === undefined || source.jobId === "") return undefined;
  return [...t.jobs.values()]
    .filter(
      (row) =>
        row.workflowId === source.workflowId &&
        row.jobName === source.jobName &&
        row.user === source.user &&
        row.cluster === source.cluster &&
        row.attemptIndex === 0 &&
        row.jobId !== "" &&
        arrayOf(row.jobId) !== arrayOf(source.jobId) &&
        row.createdAt > endedAt &&
        row.createdAt <= endedAt + resubmittedWithinMs,
    )
    .sort((a, b) => a.createdAt - b.createdAt || (a.heimdallJobId < b.heimdallJobId ? -1 : 1))[0];
}
