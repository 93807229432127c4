/** sequence-table: recoveries by their names, and the milestones of each. See `postgres/sequence-store.ts`. */
import type { DesiredState, Instant } from "@reprise/core/nouns.ts";
import { operationOf, sequenceIdOf, type RecoveryOperation } from "@reprise/core/sequence/sequence.ts";
import {
  knownMilestone,
  type Milestone,
  type RecoverySequence,
  type SequenceName,
} from "../../sequence/recovery-sequence.ts";
import { storable } from "../postgres/storable.ts";
import { familyOf } from "./job-table.ts";
import { requireWhole, type Tables } from "./tables.ts";

/** With the Advice that it begins with. */
export function beginSequence(t: Tables, heimdallJobId: string, desired: DesiredState, startedAt: Instant): void {
  const operation = operationOf(desired);
  const sequenceId = sequenceIdOf(heimdallJobId, operation);
  if (t.sequences.has(sequenceId)) return;
  t.sequences.set(sequenceId, { sequenceId, heimdallJobId, operation, startedAt, milestones: [] });
}

export function getSequence(
  t: Tables,
  { cluster, jobId, attemptIndex, operation }: SequenceName,
): RecoverySequence | undefined {
  const attempts = familyOf(t, cluster, jobId).filter((row) => row.attemptIndex === attemptIndex);
  return attempts
    .sort((a, b) => b.incarnation - a.incarnation)
    .flatMap(({ heimdallJobId }) => t.sequences.get(sequenceIdOf(heimdallJobId, operation)) ?? [])[0];
}

export function sequencesOf(t: Tables, heimdallJobIds: readonly string[]): readonly RecoverySequence[] {
  const operations: readonly RecoveryOperation[] = ["RESTART", "TERMINATE", "DAG_RELEASE"];
  return [...new Set(heimdallJobIds)]
    .sort()
    .flatMap((uuid) =>
      operations
        .flatMap((operation) => t.sequences.get(sequenceIdOf(uuid, operation)) ?? [])
        .sort((a, b) => a.startedAt - b.startedAt || (a.sequenceId < b.sequenceId ? -1 : 1)),
    );
}

export function recordMilestone(t: Tables, givenId: string, operation: RecoveryOperation, given: Milestone): Milestone {
  const [sequenceId, milestone] = [givenId.toLowerCase(), storable(given)];
  requireWhole("recovery_milestone", milestone, ["completedAt"]);
  const sequence = t.sequences.get(sequenceId);
  const known = knownMilestone(sequence, sequenceId, operation, milestone);
  if (known !== undefined || sequence === undefined) return known ?? milestone;
  const milestones = [...sequence.milestones, milestone].sort((a, b) => a.completedAt - b.completedAt);
  t.sequences.set(sequenceId, { ...sequence, milestones });
  return milestone;
}
