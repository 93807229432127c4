/**
 * figures: what recovery has achieved in a window of time: `Figures` of `reprise.v1.RecoveryService`.
 *
 *     GET /reprise/v1/figures    viewer, operator, controller
 *
 * Gives   counts, spreads and the ETTR, computed here from records. Read only; safe to repeat.
 * Fails   `invalid` names the field; also for a window that holds more than `limits.figuresRowsMax` recoveries or attempts: a part of
 *         them would be another figure.
 * Source  docs/figures.md.
 */
import { effectiveOf } from "@reprise/core/figures/effective.ts";
import type { Spread } from "@reprise/core/figures/quantile.ts";
import { recoveryFiguresOf } from "@reprise/core/figures/recovery.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { FiguresRequest } from "@reprise/protocol/gen/reprise/v1/figures_pb.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { invalid, optionalIdentifier, present } from "@reprise/protocol/wire/check.ts";
import { instantToWire, optionalInstantFromWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import type { FiguresWindow } from "../figures-store.ts";

const minuteMs = 60_000;
const windowDefaultMs = 7 * 24 * 60 * minuteMs;
const manualDefaultMinutes = 60;
const manualMinutesMax = 7 * 24 * 60;

export function figuresRoute({
  store,
  clock,
}: Pick<Manager, "store" | "clock">): Pick<RpcHandlers<typeof RecoveryService, Caller>, "figures"> {
  return {
    async figures(request) {
      const now = clock.now();
      const window = windowOf(request, now);
      const manualMinutes = manualOf(request.manualRestartMinutes);
      const { recoveries, runs } = await store.figuresIn(window, limits.figuresRowsMax + 1);
      requireWhole("recoveries", recoveries.length);
      requireWhole("attempts", runs.length);
      const { times, saved, ...counts } = recoveryFiguresOf(recoveries, manualMinutes * minuteMs, now);
      const { detect, decide, act, running, converged, resumed } = times;
      return {
        from: instantToWire(window.from),
        to: instantToWire(window.to),
        recoveries: counts.recoveries,
        withoutDetails: counts.withoutDetails,
        byCause: [...counts.byCause],
        stoppedBy: [...counts.stoppedBy],
        stages: counts.stages,
        times: {
          detect: spreadToWire(detect),
          decide: spreadToWire(decide),
          act: spreadToWire(act),
          running: spreadToWire(running),
          converged: spreadToWire(converged),
          resumed: spreadToWire(resumed),
        },
        effective: effectiveOf(runs, window, now),
        saved: { manualRestartMinutes: manualMinutes, ...saved },
      };
    },
  };
}

function windowOf(request: FiguresRequest, now: Instant): FiguresWindow {
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

function manualOf(given: number | undefined): number {
  const minutes = given ?? manualDefaultMinutes;
  if (minutes >= 0 && minutes <= manualMinutesMax) return minutes;
  throw invalid("manualRestartMinutes", `${minutes}; expected 0 to ${manualMinutesMax}`);
}

function requireWhole(what: string, rows: number): void {
  if (rows > limits.figuresRowsMax)
    throw invalid("from", `the window holds more than ${limits.figuresRowsMax} ${what}; ask for a shorter one`);
}

const spreadToWire = (spread: Spread | undefined) => spread ?? { count: 0 };
