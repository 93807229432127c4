/**
 * What an operator has forbidden does not begin: once `never` stands, no requeue of the job is sent, but what was under way when he said
 * it; until he orders otherwise.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Checker } from "./checker.ts";

/** A SAC may know only what it asked for so long ago, and its command takes its time. */
const underWayMs = Math.max(limits.workAgeMaxMs, limits.leaseMs) + limits.commandLimitMs;

export const ordersAreKept: Checker = {
  name: "orders-are-kept",
  watch({ world, holds }) {
    const forbiddenAt = new Map<string, number>();
    return {
      ordered(jobId, action) {
        if (action === "never") forbiddenAt.set(jobId, world.clock.now());
        else if (action !== "withdraw") forbiddenAt.delete(jobId);
      },
      slurm({ kind, jobId = "" }) {
        if (kind === "submitted") forbiddenAt.delete(jobId); // The ID is given out again.
      },
      command(actor, { kind }, { expected: { jobId } }) {
        const at = forbiddenAt.get(jobId);
        if (kind !== "requeue-hold") return;
        const standsForMs = at === undefined ? 0 : world.clock.now() - at;
        holds(
          standsForMs < underWayMs,
          () => `${actor.name}: requeue of ${jobId}, forbidden ${Math.round(standsForMs / 1000)} s ago`,
        );
      },
    };
  },
};
