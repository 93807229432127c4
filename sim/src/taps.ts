/** taps: what the store has committed, as lines of the diary and for the observers of a world. */
import type { Taps } from "./database.ts";
import type { World } from "./world.ts";

export function tapsOf(world: World): Taps {
  return {
    recordDecision([heimdallJobId, , decision], recorded) {
      if (recorded.kind === "recorded") {
        const what =
          decision.kind === "advise"
            ? `${decision.desired}${decision.exclusions.length > 0 ? ` without ${decision.exclusions.map((e) => e.node).join(" ")}` : ""}`
            : "none (withdrawn)";
        world.diary.write(
          "manager",
          `advice ${world.nameOf(heimdallJobId)} g${recorded.generation} ${what}, because ${decision.because}`,
        );
      }
      for (const o of world.observers) o.decided?.(heimdallJobId, decision, recorded);
    },
    observeStatus(_args, advice) {
      const { jobId, attemptIndex, generation, status } = advice;
      world.diary.write(
        "manager",
        `advice ${jobId}#${attemptIndex} g${generation} ${status.disposition} ${status.reason}`,
      );
      for (const o of world.observers) o.status?.(advice);
    },
    recordSignals([report]) {
      for (const s of report.signals)
        if (s.root)
          world.diary.write(
            "watcher",
            `${s.kind} ${world.nameOf(s.heimdallJobId)} ${s.cause ?? ""}${s.nodes.length > 0 ? ` on ${s.nodes.join(" ")}` : ""}`,
          );
      for (const o of world.observers) o.signals?.(report);
    },
    claimTargets([ask], targets) {
      for (const o of world.observers) o.claimed?.(ask.watcher, targets);
    },
    acquireLease(_args, lease) {
      for (const o of world.observers) o.lease?.(lease.holder);
    },
    reportPass([report]) {
      for (const o of world.observers) o.pass?.(report);
    },
  };
}
