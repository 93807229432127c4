/**
 * A program that runs and has not failed is never requeued: not for a line after which it went on, not because nobody was looking.
 *
 * Excuses   what the policy itself takes for an end: a fatal line, and then silence for three of its own step times; or before a
 *           watcher has seen two steps, when nobody knows how long its steps take.
 */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

export const healthyIsLeftAlone: Checker = {
  name: "healthy-is-left-alone",
  watch({ world, chronicle, holds }) {
    const failed = new Set<string>();
    const steps = new Map<string, { at: number; spacingMs: number | undefined }>();
    return {
      // A watcher that starts knows no step times yet.
      started: (role) => void (role.startsWith("watcher") && steps.clear()),
      failed: ({ jobId, restartCount }) => void failed.add(`${jobId}#${restartCount}`),
      printed({ jobId, restartCount }, lines) {
        if (!lines.some((line) => line.startsWith(" iteration "))) return;
        const name = `${jobId}#${restartCount}`;
        const [now, last] = [world.clock.now(), steps.get(name)];
        steps.set(name, { at: now, spacingMs: last === undefined ? undefined : now - last.at });
      },
      slurm(event) {
        if (event.kind !== "requeued" || !isOurs(event)) return;
        const [from = ""] = event.detail.split(",");
        if (from !== "RUNNING" && from !== "SUSPENDED") return;
        const attempt = event.restartCount! - 1;
        const name = `${event.jobId}#${attempt}`;
        const last = steps.get(name);
        const isSilent = last?.spacingMs === undefined || event.at - last.at >= 3 * last.spacingMs * 0.9;
        // After a crash of slurmctld a program that has ended may be shown as running.
        const hasEnded = chronicle.everEnded(event.jobId!, attempt);
        holds(
          failed.has(name) || hasEnded || isSilent,
          () => `${name} was requeued while it ran and nothing was wrong with it`,
        );
      },
    };
  },
};
