/**
 * resubmission: when a job counts as another one submitted anew: the same name, user and workflow, soon after its end. Tasks of one array
 * have one name, and none is another one anew.
 */

/** A day: who comes later has probably not come because of that failure. */
export const resubmittedWithinMs = 24 * 3_600_000;
