/**
 * A node is excluded for what happened on it: never for a line after which the program went on; and for what it did to others only if
 * it did something to two of them.
 */
import { failsOthers } from "@reprise/core/decide/exclusion.ts";
import type { Checker } from "./checker.ts";

export const excludedAreGuilty: Checker = {
  name: "excluded-are-guilty",
  watch({ world, holds }) {
    const guilty = new Map<string, Set<string>>();
    const alarmed = new Map<string, Set<string>>();
    /** Of each attempt: whether a root line was told, and how many steps after it. */
    const told = new Map<string, { alarm: number; steps: number }>();
    const wentOn = (id: string) => (told.get(id)?.steps ?? 0) > 2;
    /** Of each node: the jobs on which something happened there. */
    const failing = new Map<string, Set<string>>();
    const add = (to: Map<string, Set<string>>, jobId: string, node: string) =>
      to.set(jobId, (to.get(jobId) ?? new Set()).add(node));
    return {
      failed({ jobId }, _kind, node) {
        add(guilty, jobId, node);
        add(failing, node, jobId);
      },
      alarmed({ jobId }, node) {
        add(alarmed, jobId, node);
        add(failing, node, jobId);
      },
      decided(id, decision, { kind }) {
        if (kind !== "recorded" || decision.kind !== "advise") return;
        for (const { node, reason } of decision.exclusions) {
          if (reason !== failsOthers) continue;
          const jobs = failing.get(node)?.size ?? 0;
          holds(jobs > 1, () => `${world.nameOf(id)}: ${node} is excluded for many jobs, and failed ${jobs}`);
        }
        if (decision.because !== "hardware-node") return;
        const [jobId = ""] = world.nameOf(id).split("#");
        for (const { node } of decision.exclusions) {
          // A running program is judged by its silence: whether it goes on is not known yet.
          const isOver = world.slurm.job(jobId)?.state !== "RUNNING";
          const isFalse = alarmed.get(jobId)?.has(node) === true && guilty.get(jobId)?.has(node) !== true;
          holds(
            !isFalse || !isOver || !wentOn(id),
            () => `${world.nameOf(id)}: ${node} is excluded for a line after which training went on`,
          );
        }
      },
      signals(report) {
        for (const s of report.signals) {
          const seen = told.get(s.heimdallJobId) ?? { alarm: 0, steps: 0 };
          if (s.root) seen.alarm = 1;
          else if (s.kind === "progress" && seen.alarm === 1) seen.steps++;
          told.set(s.heimdallJobId, seen);
        }
      },
    };
  },
};
