/**
 * known-rows: the rows of the listing before, as text: the same text is the same job, by identity, and the same rows are the same
 * listing. Whoever looks at them can leave out what has not changed.
 *
 * Keeps   a listing reads as it would by itself: a row is only remembered by everything that it is read from.
 * Bound   the rows of one listing.
 * Source  docs/decisions/0030
 */
import type { SlurmJob, UnreadableRow } from "@reprise/core/nouns.ts";

interface KnownRow {
  readonly text: string;
  readonly job: SlurmJob | UnreadableRow;
}

export class KnownRows {
  private rows = new Map<string, KnownRow>();
  private next = new Map<string, KnownRow>();
  private jobs: ReadonlyMap<string, SlurmJob> = new Map();

  read(jobId: string, text: string, parse: () => SlurmJob | UnreadableRow): SlurmJob | UnreadableRow {
    const before = this.rows.get(jobId);
    const row = before?.text === text ? before : { text, job: parse() };
    this.next.set(jobId, row);
    return row.job;
  }

  /** A listing is read. @returns The jobs of the one before where they are the same, in the same order. */
  listed(jobs: ReadonlyMap<string, SlurmJob>): ReadonlyMap<string, SlurmJob> {
    [this.rows, this.next] = [this.next, new Map<string, KnownRow>()];
    if (!isSame(jobs, this.jobs)) this.jobs = jobs;
    return this.jobs;
  }
}

function isSame(a: ReadonlyMap<string, SlurmJob>, b: ReadonlyMap<string, SlurmJob>): boolean {
  if (a.size !== b.size) return false;
  const others = b.values();
  for (const job of a.values()) if (job !== others.next().value) return false;
  return true;
}
