/**
 * In observe mode no command is sent; in act mode nothing is begun on a Slurm that recovery was not tried on, nor for a job with a partition that is not on the allowlist. (Slurm shows
 * only one partition of a job that has started: what nobody had seen before cannot be known. Nor can what only another SAC, or one that
 * has died, saw, whose pass was not taken in.)
 */
import { releaseRefusal } from "@reprise/core/fact/slurm-release.ts";
import type { Checker } from "./checker.ts";

export const nothingActedInObserveMode: Checker = {
  name: "nothing-acted-in-observe-mode",
  watch({ world, chronicle, holds }) {
    const partitions = new Map<string, Set<string>>();
    /** Of each program: what it has seen of jobs that ask for several partitions, while Slurm showed them. */
    const seenBy = new Map<string, Map<string, string>>();
    /** Of each program: what its last look said of slurmctld. */
    const versions = new Map<string, string>();
    const seenOf = (name: string) => {
      const seen = seenBy.get(name) ?? new Map<string, string>();
      seenBy.set(name, seen);
      return seen;
    };
    return {
      slurm({ kind, jobId }) {
        if (kind !== "submitted") return; // The ID may have been another job's.
        for (const known of [partitions, ...seenBy.values()])
          for (const key of known.keys()) if (key.split(/[#_]/)[0] === jobId) known.delete(key);
      },
      pass(report, isTaken) {
        if (!isTaken) return;
        for (const { jobId = "", attemptIndex, schedulerMetadata } of report.changed) {
          const { partition = "" } = (schedulerMetadata?.["slurm"] ?? {}) as { partition?: string };
          const key = `${jobId}#${attemptIndex}`;
          partitions.set(key, new Set([...(partitions.get(key) ?? []), ...partition.split(",")]));
        }
      },
      looked({ name }, seen) {
        if (seen.kind !== "seen") return;
        versions.set(name, seen.value.settings?.version ?? "");
        for (const { jobId, restartCount, partition } of seen.value.jobs.values())
          if (partition.includes(",")) seenOf(name).set(`${jobId}#${restartCount}`, partition);
      },
      command(actor, command, { expected }) {
        const { mode, watchdogMode, partitions: allowed } = world.spec.reprise;
        const own = actor.role === "sac" ? mode : watchdogMode;
        holds(own === "act", () => `${actor.name}: ${command.kind} of ${expected.jobId} in ${own} mode`);
        if (actor.role === "watchdog" || !["requeue-hold", "cancel"].includes(command.kind)) return;
        const untried = releaseRefusal(versions.get(actor.name), world.spec.reprise.slurmReleases ?? []);
        holds(untried === undefined, () => `${command.kind} of ${expected.jobId}: ${untried}`);
        const work = chronicle.workOf(expected.jobId);
        const attempt = `${expected.jobId}#${work?.attemptIndex}`;
        const known = [...(partitions.get(attempt) ?? []), ...(seenOf(actor.name).get(attempt)?.split(",") ?? [])];
        const outside = known.filter((p) => p !== "" && !allowed.includes(p));
        holds(
          outside.length === 0,
          () => `${command.kind} of ${expected.jobId} in ${outside.join(",")}; allowed are ${allowed.join(",")}`,
        );
      },
    };
  },
};
