/**
 * report-batch: single reports that come while another one is written are written together, in one transaction.
 *
 * In the loop   reports → **batch** → one lock, one commit → an answer each
 * Keeps         each report is its own: a refusal is of its report alone, and a batch that fails is tried again one by one. Different
 *               reports that may be about one attempt are never in one batch, and keep their order: what each says was so once.
 * Bound         a report that comes alone waits for nobody; at most `reportsMax` are written together. What waits is bounded by the
 *               callers that the gateway lets in.
 */
import type { AttemptRecord, Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { JobReport } from "../../store.ts";
import { areEqual } from "@reprise/core/equal.ts";

export interface DatedReport {
  readonly report: JobReport;
  readonly now: Instant;
}

/** What became of one report: its attempt, or why it was refused. */
export type Taken = AttemptRecord | Refusal;

interface Waiting extends DatedReport {
  readonly answer: PromiseWithResolvers<AttemptRecord>;
}

type WriteReports = (reports: readonly DatedReport[]) => Promise<readonly Taken[]>;

const reportsMax = 64;

/** @param write One transaction; gives one answer a report, in their order. */
export function inBatches(write: WriteReports): (report: JobReport, now: Instant) => Promise<AttemptRecord> {
  let waiting: Waiting[] = [];
  let isWriting = false;
  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = nextBatch(waiting);
      waiting = waiting.filter((one) => !batch.includes(one));
      await writeBatch(write, batch);
    }
    isWriting = false;
  };
  return (report, now) => {
    const answer = Promise.withResolvers<AttemptRecord>();
    waiting.push({ report, now, answer });
    if (!isWriting) void writeAll();
    return answer.promise;
  };
}

/** Never throws: every error is somebody's answer. */
async function writeBatch(write: WriteReports, batch: readonly Waiting[]): Promise<void> {
  try {
    const taken = await write(batch);
    for (const [i, { answer }] of batch.entries()) {
      const one = taken[i];
      if (one === undefined)
        answer.reject(new Error(`a batch of ${batch.length} reports gave ${taken.length} answers`));
      else if (one instanceof Refusal) answer.reject(one);
      else answer.resolve(one);
    }
  } catch (error) {
    const isOfAll = batch.length === 1 || error instanceof Refusal; // As of a database that is away.
    for (const one of batch) {
      if (isOfAll) one.answer.reject(error);
      else await writeBatch(write, [one]);
    }
  }
}

/** The oldest, and all of its cluster behind it that overtake nothing which may be about the same attempt. */
function nextBatch(waiting: readonly Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  /** By name: what the batch says about it; `undefined`: it must wait for the next one. */
  const said = new Map<string, JobReport | undefined>();
  const cluster = waiting[0]?.report.cluster;
  for (const one of waiting) {
    const { report } = one;
    const names = namesIn(report);
    // Which attempt it is about only the database knows.
    if (names === undefined) return batch.length === 0 ? [one] : batch;
    const isFree =
      report.cluster === cluster && names.every((name) => !said.has(name) || areEqual(said.get(name), report));
    if (isFree) batch.push(one);
    for (const name of names) said.set(name, isFree ? report : undefined);
    if (batch.length === reportsMax) break;
  }
  return batch;
}

function namesIn({ jobId = "", heimdallJobId }: JobReport): string[] | undefined {
  if (jobId === "") return undefined;
  return heimdallJobId === undefined ? [jobId] : [jobId, heimdallJobId.toLowerCase()];
}
