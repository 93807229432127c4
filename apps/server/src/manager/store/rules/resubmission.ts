/** resubmission: when a job counts as another one submitted anew: the same name, user and workflow, soon after its end. */

/** A day: who comes later has probably not come because of that failure. */
export const resubmittedWithinMs = 24 * 3_600_000;

/** Tasks of one array have one name, and none is another one anew: `12_3` → `12`. */
export const arrayOf = (jobId: string): string => jobId.split("_")[0] ?? jobId;
