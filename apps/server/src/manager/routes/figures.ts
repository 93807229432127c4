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
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import { manualOf, minuteMs, requireWhole, windowOf } from "./figures-request.ts";

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

const spreadToWire = (spread: Spread | undefined) => spread ?? { count: 0 };
