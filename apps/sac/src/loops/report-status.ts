/** report-status: what SAC says to the server of one generation of one Advice. */
import type { Work } from "@reprise/core/plan/work.ts";
import { traceOf } from "@reprise/core/sequence/sequence.ts";
import type { StatusReport } from "../server.ts";
import type { Parts } from "../state.ts";

/** A report that does not arrive is derived again by the next pass; it must not keep the other recoveries waiting (invariant 13). */
export async function reportStatus(
  parts: Parts,
  work: Work,
  status: Pick<StatusReport, "disposition" | "reason" | "message">,
): Promise<boolean> {
  const { heimdallJobId, generation } = work;
  try {
    await parts.server.reportStatus({ heimdallJobId, generation, ...status, observedAt: parts.clock.now() });
    return true;
  } catch (error) {
    const { jobId: job, attemptIndex: attempt } = work;
    const what = { job, attempt, trace: traceOf(work), error: String(error) };
    parts.log.warn(what, "a status could not be reported; it is reported again");
    return false;
  }
}
