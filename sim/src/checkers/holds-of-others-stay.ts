/**
 * A hold that somebody else laid is not lifted by us: not one that an administrator laid, nor one that came with another's requeue.
 *
 * Excuses   an owner's hold laid over ours cannot be seen in Slurm. Another's requeue cannot be told from ours when no look of ours has shown
 *           what became of ours before it: Slurm shows one requeue, and no name. And between the question why a job is held and the command
 *           nobody can look.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Entry } from "@reprise/sac/journal.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { World } from "../world.ts";
import type { Checker } from "./checker.ts";
import { type Chronicle, isOurs } from "./chronicle.ts";

/** A requeue may be begun from a look of this age; and Slurm keeps whole seconds. */
const lookMs = limits.lookAgeMaxMs + 1_000;

export const holdsOfOthersStay: Checker = {
  name: "holds-of-others-stay",
  watch({ chronicle, holds, world }) {
    const askedAt = new Map<string, number>();
    const requeueSentAt = new Map<string, number>();
    /** When an entry was written, whatever its host's clock said. */
    const writtenAt = new WeakMap<Entry, number>();
    const timeOf = (entry: Entry) => writtenAt.get(entry) ?? entry.at;
    return {
      command(_actor, { kind }, { expected }) {
        if (kind === "requeue-hold") requeueSentAt.set(expected.jobId, world.clock.now());
      },
      entry: (_host, entry) => void writtenAt.set(entry, world.clock.now()),
      holdAsked: (actor) => void askedAt.set(actor.name, world.clock.now()),
      slurm(event) {
        if (event.kind !== "released" || !isOurs(event) || event.detail === "was not held") return;
        const life = chronicle.lifeOf(event.jobId!).filter((e) => e !== event);
        // Slurm itself lifts a hold when a job that was suspended goes on.
        const lifted = (e: SlurmEvent) =>
          (e.kind === "released" && e.detail !== "was not held") || e.kind === "resumed";
        const since = life.slice(Math.max(0, life.findLastIndex(lifted)));
        const requeue = since.findLast((e) => e.kind === "requeued" && e.detail.includes("held"));
        holds(
          requeue === undefined ||
            isOurs(requeue) ||
            isLaunchHold(chronicle, requeue) ||
            cameBeforeOurLook(world, timeOf, requeue),
          () => `${event.jobId}: the hold that ${requeue?.by} laid was released`,
        );
        const sent = chronicle.sent.get(event.jobId!);
        const asked = askedAt.get(sent?.actor.name ?? "") ?? event.at;
        const admin = since.findLast((e) => e.kind === "held" && e.detail === "admin");
        const lastRequeue = since.findLast((e) => e.kind === "requeued" && isOurs(e));
        // Laid when the requeue's last look had been taken, it looks like an owner's afterwards.
        const isRelabelled =
          admin !== undefined &&
          lastRequeue !== undefined &&
          admin.at <= lastRequeue.at &&
          admin.at >= (requeueSentAt.get(event.jobId!) ?? event.at);
        holds(
          admin === undefined || admin.at >= asked || isRelabelled,
          () => `${event.jobId}: the hold of the administrator ${admin?.by} was released`,
        );
      },
    };
  },
};

/** Slurm's own, after a failed launch: lifted on Advice for that, at most twice a job. */
function isLaunchHold(chronicle: Chronicle, { by, jobId = "" }: SlurmEvent): boolean {
  if (by !== "slurm" || chronicle.workOf(jobId)?.isOfLaunch !== true) return false;
  const life = chronicle.lifeOf(jobId);
  const isOfSlurm = (i: number) => life.slice(0, i).findLast((e) => e.kind === "requeued")?.by === "slurm";
  const lifted = life.filter(
    (e, i) => e.kind === "released" && isOurs(e) && e.detail !== "was not held" && isOfSlurm(i),
  );
  return lifted.length <= limits.launchReleasesMax;
}

type Begun = Entry & { kind: "begin" };

/** A requeue of ours of the same attempt may have landed then, and no journal says yet what became of it. */
function cameBeforeOurLook({ hosts }: World, timeOf: (entry: Entry) => number, theirs: SlurmEvent): boolean {
  return hosts.some(({ disk: { entries } }) => {
    const isSame = (e: Entry): e is Begun =>
      e.kind === "begin" &&
      e.action === "requeue-hold" &&
      e.work.jobId === theirs.jobId &&
      e.work.attemptIndex + 1 === theirs.restartCount &&
      timeOf(e) - lookMs <= theirs.at;
    return entries.filter(isSame).some((begun) => {
      const of = entries.filter((e) => e.key === begun.key);
      const sourceRan = begun.sourceRan === true || of.some((e) => e.kind === "leaving");
      const wasSent = !of.some((e) => e.kind === "end" && (e.outcome === "moved" || e.outcome === "refused"));
      // The submit time names it, but not it alone when the source ran: a crash while it leaves gives it another one.
      const isTold = (e: Entry) =>
        e.kind === "landed" && timeOf(e) <= theirs.at && !(sourceRan && e.submitAt !== undefined);
      return wasSent && !of.some(isTold);
    });
  });
}
