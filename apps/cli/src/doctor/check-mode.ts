/**
 * check-mode: what people have ordered about the cluster, whether SAC obeys it, who holds its lease, and which brake is on. Pure.
 */
import { limits } from "@reprise/core/limits.ts";
import { isLost, isTaken, type WireClusterMode, type WireNote } from "../wire-mode.ts";
import { type Check, ok, warn } from "./check.ts";
import type { Facts } from "./facts.ts";

export function checkMode(facts: Facts): readonly Check[] {
  const { answer } = facts.server;
  if (answer.kind === "not-found") return [];
  const { mode } = answer.value;
  if (mode.kind === "not-found")
    return [warn("mode", mode.why, "Give a token that may read: --data of the server, or REPRISE_TOKEN_FILE.")];
  return [
    checkOrders(mode.value, facts),
    ...checkLease(mode.value, facts),
    ...checkBrakes(mode.value, facts.beats.isKillSwitchOn),
  ];
}

function checkOrders(mode: WireClusterMode, { now }: Facts): Check {
  const { orders = {}, sac } = mode;
  const where = mode.mode === "act" ? ` in ${(mode.partitions ?? []).join(", ") || "no partition"}` : "";
  const ordered = orders.mode === undefined ? "by SAC's configuration" : `ordered ${saidBy(orders.mode.note)}`;
  if (sac === undefined)
    return warn(
      "mode",
      "no SAC has reported yet",
      "Start it: `reprise sac`, or `reprise up`; its log says what it waits for.",
    );
  const says = `${mode.mode ?? ""}${where}, ${ordered}`;
  if (isLost(mode))
    return warn(
      "mode",
      `${says}; SAC has taken order ${sac.ordersGeneration ?? ""}, which this server does not know, and only observes`,
      "Was the database restored, or is it another one? Order the mode again: `reprise mode …`.",
    );
  if (isTaken(mode)) return ok("mode", says);
  const age = now - Date.parse(mode.reportedAt ?? "");
  return warn(
    "mode",
    `${says}; SAC has taken order ${sac.ordersGeneration ?? "0"}, the newest is ${orders.generation ?? ""}; it last reported ${Math.round(age / 1000)} s ago`,
    "Is SAC running, and does it reach this server? Without its answer it begins nothing.",
  );
}

/** Who may act. Nobody: only where somebody should. */
function checkLease({ lease, sac }: WireClusterMode, { now }: Facts): readonly Check[] {
  if (lease !== undefined) {
    const seconds = Math.max(0, Math.round((Date.parse(lease.expiresAt ?? "") - now) / 1000));
    return [ok("lease", `held by ${lease.holder ?? ""}, term ${lease.term ?? ""}, for ${seconds} s more`)];
  }
  if (sac?.allowedMode !== "act") return [];
  return [
    warn(
      "lease",
      "nobody holds the right to act on the cluster: nothing new is begun",
      `A SAC in act mode takes it within ${limits.leaseMs / 1000} s. Is one running, and does it reach this server?`,
    ),
  ];
}

function checkBrakes({ sac, orders }: WireClusterMode, isKnownHere: boolean): readonly Check[] {
  return (sac?.brakes ?? []).flatMap(({ kind = "", heldBack = 0 }) => {
    const waits = `; ${heldBack} advice wait`;
    switch (kind) {
      case "kill-switch":
        return isKnownHere
          ? []
          : [
              warn(
                "kill switch",
                `is on at SAC's host${waits}`,
                "Remove `kill-switch` from SAC's folder there when you are ready to go on.",
              ),
            ];
      case "stop-order":
        return [
          warn(
            "stop",
            `ordered ${saidBy(orders?.stop)}${waits}`,
            "`reprise go --reason …` when you are ready to go on.",
          ),
        ];
      default:
        return [
          warn(
            kind === "restarts-per-minute" ? "restarts a minute" : kind,
            `the cap is reached${waits}`,
            "So many failures at once have one cause: look at `reprise advice` and `reprise nodes` before you raise restarts_per_minute_max.",
          ),
        ];
    }
  });
}

const saidBy = (note: WireNote | undefined) => `by ${note?.by ?? ""}: ${note?.reason ?? ""}`;
