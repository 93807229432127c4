/**
 * desk: the attempts that one transaction works on, as they were read and as they are to be saved.
 *
 * In the loop   rows → **desk** ← `applyReport`, `settle` → changed rows
 * Gives         what is to be written: rows that differ from what was read, and the audit rows that say why.
 * Writes        nothing but itself.
 */
import type { JsonObject } from "@reprise/core/nouns.ts";
import { areEqual } from "@reprise/core/equal.ts";
import type { JobRow } from "./job-row.ts";

export interface AttemptAudit {
  readonly row: JobRow;
  readonly type: "job.workflow-changed" | "job.repeated" | "job.rolled-back" | "job.new-incarnation";
  readonly payload: JsonObject;
}

export class Desk {
  readonly audits: AttemptAudit[] = [];
  private readonly before = new Map<string, JobRow>();
  private readonly rows = new Map<string, JobRow>();
  /** UUIDs by job, in the order of their arrival. */
  private readonly families = new Map<string, Set<string>>();

  constructor(rows: readonly JobRow[]) {
    for (const row of rows) {
      this.before.set(row.heimdallJobId, row);
      this.put(row);
    }
  }

  get(heimdallJobId: string): JobRow | undefined {
    return this.rows.get(heimdallJobId);
  }

  uuids(): string[] {
    return [...this.rows.keys()];
  }

  /** All attempts under one job ID, of every incarnation: incarnations oldest first, then attempts oldest first. */
  family(cluster: string, jobId: string): JobRow[] {
    const members = [...(this.families.get(`${cluster}/${jobId}`) ?? [])].flatMap((uuid) => this.rows.get(uuid) ?? []);
    const named = members.filter((row) => row.jobId === jobId); // A row may have got its job ID since.
    return named.sort((a, b) => a.incarnation - b.incarnation || a.attemptIndex - b.attemptIndex);
  }

  /** The attempts of the same job, not of another one that had its ID. */
  siblings(row: JobRow): JobRow[] {
    if (row.jobId === "") return [row];
    return this.family(row.cluster, row.jobId).filter((other) => other.incarnation === row.incarnation);
  }

  put(row: JobRow): void {
    this.rows.set(row.heimdallJobId, row);
    const name = `${row.cluster}/${row.jobId}`;
    const family = this.families.get(name) ?? new Set();
    this.families.set(name, family.add(row.heimdallJobId));
  }

  audit(row: JobRow, type: AttemptAudit["type"], payload: JsonObject): void {
    this.audits.push({ row, type, payload });
  }

  /** Rows whose content is new. That an attempt was merely seen again is no change. */
  changed(): { readonly before: JobRow | undefined; readonly after: JobRow }[] {
    return [...this.rows.values()].flatMap((after) => {
      const before = this.before.get(after.heimdallJobId);
      if (before === after) return [];
      return before !== undefined && isSameContent(before, after) ? [] : [{ before, after }];
    });
  }

  /** Rows that only left the list: their job ID is another job's now, or their attempt's successor was seen. */
  unlisted(): JobRow[] {
    return [...this.rows.values()].filter((after) => {
      const before = this.before.get(after.heimdallJobId);
      return before?.isListed === true && !after.isListed && isSameContent(before, after);
    });
  }

  /** Rows that were only seen again. */
  seenAgain(): JobRow[] {
    return [...this.rows.values()].filter((after) => {
      const before = this.before.get(after.heimdallJobId);
      return before !== undefined && before.lastSeenAt !== after.lastSeenAt && isSameContent(before, after);
    });
  }
}

/** But for when it was seen, and listed. */
const isSameContent = (before: JobRow, after: JobRow): boolean =>
  areEqual({ ...before, lastSeenAt: after.lastSeenAt, updatedAt: after.updatedAt, isListed: after.isListed }, after);
