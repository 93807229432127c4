/**
 * report-name: gives each report a name of its own, and remembers which one the server has taken last.
 *
 * In the loop   look → **named** → report
 * Keeps         a name is used once: a server that still has the report of this name has it from us, and with it all that it took before;
 *               whichever database it comes back with.
 * Source        docs/decisions/0061
 */
import type { Published } from "./loops/published.ts";
import type { Server } from "./server.ts";

export function named(
  server: Pick<Server, "reportPass">,
  published: Published,
  newName: () => string,
): Pick<Server, "reportPass"> {
  return {
    async reportPass(report) {
      const reportId = newName();
      const answer = await server.reportPass({ ...report, reportId });
      if (answer.isTaken) published.lastReportId = reportId;
      return answer;
    },
  };
}
