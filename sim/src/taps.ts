/** taps: what the store has committed, as lines of the diary and for the observers of a world. */
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Taps } from "./database.ts";
import type { World } from "./world.ts";

export function tapsOf(world: World): Taps {
  return {
    recordDecisions([decided], recorded) {
      for (const [i, one] of recorded.entries()) {
        const { heimdallJobId, decision } = decided[i]!;
        if (one.kind === "recorded") {
          const said = `g${one.generation} ${wantedBy(decision)}, because ${decision.because}`;
          world.diary.write("manager", `advice ${world.nameOf(heimdallJobId)} ${said}`);
        }
        for (const o of world.observers) o.decided?.(heimdallJobId, decision, one);
      }
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
    claimTargets([ask], claimed) {
      for (const o of world.observers) o.claimed?.(ask.watcher, claimed);
    },
    acquireLease(_args, lease) {
      for (const o of world.observers) o.lease?.(lease.holder);
    },
    reportPass([report], { isTaken }) {
      for (const o of world.observers) o.pass?.(report, isTaken);
    },
  };
}

function wantedBy(decision: Decision): string {
  if (decision.kind !== "advise") return "none (withdrawn)";
  const nodes = decision.exclusions.map(({ node }) => node);
  return `${decision.desired}${nodes.length > 0 ? ` without ${nodes.join(" ")}` : ""}`;
}
