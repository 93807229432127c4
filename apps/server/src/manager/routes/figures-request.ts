/** figures-request: of which window figures are asked, and with which assumption. See `figures.ts` and `shadow.ts`. */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { FiguresRequest } from "@reprise/protocol/gen/reprise/v1/figures_pb.ts";
import { invalid, optionalIdentifier, present } from "@reprise/protocol/wire/check.ts";
import { optionalInstantFromWire } from "@reprise/protocol/wire/instant.ts";
import type { FiguresWindow } from "../figures-store.ts";

export const minuteMs = 60_000;
const windowDefaultMs = 7 * 24 * 60 * minuteMs;
const manualDefaultMinutes = 60;
const manualMinutesMax = 7 * 24 * 60;

type Asked = Pick<FiguresRequest, "from" | "to" | "cluster" | "partition" | "workflowId">;

export function windowOf(request: Asked, now: Instant): FiguresWindow {
  const to = optionalInstantFromWire("to", request.to) ?? now;
  const from = optionalInstantFromWire("from", request.from) ?? to - windowDefaultMs;
  if (from >= to) throw invalid("from", `${new Date(from).toISOString()}; expected a time before \`to\``);
  return {
    from,
    to,
    ...present({
      cluster: optionalIdentifier("cluster", request.cluster),
      partition: optionalIdentifier("partition", request.partition),
      workflowId: optionalIdentifier("workflowId", request.workflowId),
    }),
  };
}

/** Minutes. */
export function manualOf(given: number | undefined): number {
  const minutes = given ?? manualDefaultMinutes;
  if (minutes >= 0 && minutes <= manualMinutesMax) return minutes;
  throw invalid("manualRestartMinutes", `${minutes}; expected 0 to ${manualMinutesMax}`);
}

export function requireWhole(what: string, rows: number): void {
  if (rows > limits.figuresRowsMax)
    throw invalid("from", `the window holds more than ${limits.figuresRowsMax} ${what}; ask for a shorter one`);
}
