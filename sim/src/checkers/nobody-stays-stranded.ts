/**
 * A job that we hold, and about which nobody makes progress, is let go in time: while Slurm answers and somebody of ours lives (SAC
 * that acts, or a watchdog that acts), no hold of ours is older than `patienceMs`.
 *
 * Method  the patience counts only while nothing excuses the waiting: each trouble begins it anew.
 */
import { readSlurmState } from "@reprise/core/fact/slurm-state.ts";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

/** Fail-open, a lock that is not given up, a settle time after a lost answer, and the longest idle waits; twice. */
const patienceMs = 7 * 60_000;
/** What keeps a watchdog from doing its work; each lets go what its own host holds. */
const excuses =
  /^(slurmctld|listing|disk|host|command answer|people: (kill-switch|order-stop|order-observe)|sac paused)/;
const lookEveryMs = 60_000;

export const nobodyStaysStranded: Checker = {
  name: "nobody-stays-stranded",
  watch({ world, chronicle, holds }) {
    const watchdogs = world.spec.reprise.hasSecondSac ? ["watchdog", "watchdog-b"] : ["watchdog"];
    let excusedUntil = world.clock.now();
    const heldSince = new Map<string, number>();
    const begunAt = world.clock.now();
    let isPlanned = false;
    /** Once a minute, while anything is held. */
    const lookAgain = () => {
      if (isPlanned) return;
      isPlanned = true;
      const looks = Math.floor((world.clock.now() - begunAt) / lookEveryMs);
      world.clock.at(begunAt + (looks + 1) * lookEveryMs, look);
    };
    const look = () => {
      isPlanned = false;
      const isIdle = (role: string) => world.running.get(role)?.process.isPaused !== false;
      if (world.spec.reprise.watchdogMode !== "act" || watchdogs.some(isIdle)) excusedUntil = world.clock.now();
      for (const [jobId, since] of heldSince) {
        const job = world.slurm.job(jobId);
        const life = chronicle.lifeOf(jobId);
        const requeue = life.findLast((e) => e.kind === "requeued");
        const isStillOurs =
          job?.hold === "user" &&
          job.state === "PENDING" &&
          requeue !== undefined &&
          isOurs(requeue) &&
          !life.slice(life.indexOf(requeue)).some((e) => e.kind === "held");
        if (!isStillOurs) {
          heldSince.delete(jobId);
          continue;
        }
        const patience = world.clock.now() - Math.max(since, excusedUntil);
        holds(
          patience < patienceMs,
          () =>
            `${jobId}#${job.restartCount} has been held by us for ${Math.round((world.clock.now() - since) / 1000)} s`,
        );
      }
      if (heldSince.size > 0) lookAgain();
    };
    return {
      slurm(event) {
        if (event.kind === "requeued" && isOurs(event) && event.detail.includes("held")) {
          heldSince.set(event.jobId!, event.at);
          lookAgain();
        }
        if (["down", "up", "crashed"].includes(event.kind)) excusedUntil = event.at;
      },
      looked(actor, seen) {
        if (actor.host !== world.hosts[0] || heldSince.size === 0) return;
        const isUnclear = ({ state }: SlurmJob) => readSlurmState(state).phase === "unrecognised";
        if (seen.kind !== "seen" || seen.value.unreadable.size > 0 || [...seen.value.jobs.values()].some(isUnclear))
          excusedUntil = world.clock.now();
      },
      fault: (kind) => void (excuses.test(kind) && (excusedUntil = world.clock.now())),
      died: (role) => void (watchdogs.includes(role) && (excusedUntil = world.clock.now())),
      outcome: (_a, _c, _f, outcome) => {
        const isUnread = outcome.kind === "moved" && outcome.detail.includes("could not be read");
        if (outcome.kind === "unknown" || isUnread) excusedUntil = world.clock.now();
      },
    };
  },
};
