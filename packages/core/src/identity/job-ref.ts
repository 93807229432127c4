/**
 * job-ref: `{job_id}-{attempt_index}`, how a person or a URL names one attempt.
 *
 * Takes        text such as `123-0` or `95_1-2`. The last hyphen divides; a job ID may have hyphens of its own.
 * Gives        both parts, or undefined when the text is not such a name.
 * Pure, total  `parseJobRef(formatJobRef(x))` is x for every job ID that is not empty.
 */
import { limits } from "../limits.ts";

export interface JobRef {
  readonly jobId: string;
  readonly attemptIndex: number;
}

export function parseJobRef(text: string): JobRef | undefined {
  const hyphen = text.lastIndexOf("-");
  const jobId = text.slice(0, Math.max(hyphen, 0));
  const index = text.slice(hyphen + 1);
  if (jobId === "" || !/^(0|[1-9]\d{0,9})$/.test(index)) return undefined;
  const attemptIndex = Number(index);
  return attemptIndex <= limits.attemptIndexMax ? { jobId, attemptIndex } : undefined;
}

export function formatJobRef({ jobId, attemptIndex }: JobRef): string {
  return `${jobId}-${attemptIndex}`;
}
