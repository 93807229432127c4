/**
 * The reason with which Advice is abandoned is what Slurm's history says: gone is gone, ended is ended, held by others is held by
 * others.
 *
 * Excuses   a second SAC, with a journal of its own, cannot know the other's hold before it is marked. A requeue of unknown outcome that
 *           was forgotten in a crash leaves nothing by which another's, that came before anybody looked, could be told from it. What ends
 *           while it is suspended keeps the priority 0 of the suspension and shows another reason: nothing tells it from a held one.
 */
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { Checker } from "./checker.ts";
import type { World } from "../world.ts";
import { type Chronicle, isOurs } from "./chronicle.ts";

/** A look may be answered so late. */
const answerMs = 30_000;

export const abandonedIsTrue: Checker = {
  name: "abandoned-is-true",
  watch({ world, chronicle, holds }) {
    /** Of each job: the host whose SAC requeued it last. And the host whose SAC acts. */
    const requeuedFrom = new Map<string, string>();
    let acting: string | undefined;
    /** When a job was purged, also where slurmctld has forgotten that in a crash since. */
    const purgedAt = new Map<string, number>();
    /** What was said once may be said again when nobody knows that it has arrived. */
    const judged = new Set<string>();
    /** Of a chain it is the next one that is let go, and that somebody may hold. */
    const isHeldByOthers = (sibling: string) => chronicle.lifeOf(sibling).some(isHoldOfOthers);
    return {
      lease: (holder) => void (acting = holder),
      slurm: ({ kind, jobId = "", at }) => void (kind === "purged" && purgedAt.set(jobId, at)),
      outcome(actor, { kind }, { expected }) {
        if (kind === "requeue-hold") requeuedFrom.set(expected.jobId, `host-${actor.host.name}`);
      },
      status({ jobId, attemptIndex, generation, desired, status }) {
        const said = `${jobId}#${attemptIndex} g${generation} ${status.reason}`;
        if (status.disposition !== "ABANDONED" || judged.has(said)) return;
        judged.add(said);
        const name = `${jobId}#${attemptIndex}`;
        const life = chronicle.lifeOf(jobId);
        const job = world.slurm.job(jobId);
        if (status.reason === "TARGET_GONE") {
          const hasAnother = chronicle.reissued(jobId);
          const isForgotten = job !== undefined && job.restartCount < attemptIndex; // It shows an earlier attempt again.
          const wasGone = world.clock.now() - (purgedAt.get(jobId) ?? Number.NEGATIVE_INFINITY) < answerMs;
          const isGone = job === undefined || hasAnother || isForgotten || wasGone;
          holds(isGone, () => `${name}: TARGET_GONE, and Slurm has it: ${job?.state}`);
        }
        if (status.reason === "HELD_BY_OTHERS") {
          const from = requeuedFrom.get(jobId);
          const isOtherSacs = from !== undefined && from !== acting;
          const isOther = life.some(isHoldOfOthers) || siblingsOf(world, chronicle, jobId).some(isHeldByOthers);
          holds(
            isOtherSacs || job?.hold === "launch" || isOther || endedSuspended(life, attemptIndex),
            () => `${name}: HELD_BY_OTHERS, and nobody else laid a hold`,
          );
        }
        // Who waits for others is ended only while he is held: somebody let him go.
        const isLetGo = desired === "TERMINATED" && job?.hold === undefined;
        if (status.reason === "SUPERSEDED")
          holds(
            job === undefined ||
              isLetGo ||
              hasStartedSibling(world, chronicle, jobId) ||
              chronicle.reissued(jobId) ||
              chronicle.everCounted(jobId) !== attemptIndex,
            () => `${name}: SUPERSEDED, and there is no other attempt`,
          );
      },
    };
  },
};

/** Another one of its chain (`--dependency=singleton`) has started, in its stead, or had its turn and may at any moment. */
const hasStartedSibling = (world: World, chronicle: Chronicle, jobId: string): boolean =>
  siblingsOf(world, chronicle, jobId).some((other) => {
    const job = world.slurm.job(other);
    const waitsForNodes = job?.state === "PENDING" && job.hold === undefined && !job.dependency.includes("singleton");
    return waitsForNodes || chronicle.lifeOf(other).some((e) => e.kind === "started");
  });

/** The others of its chain. */
function siblingsOf(world: World, chronicle: Chronicle, jobId: string): readonly string[] {
  const { name, user } = world.specOf(jobId) ?? {};
  return chronicle.jobIds().filter((other) => {
    const spec = world.specOf(other);
    const isOfIts = other !== jobId && spec?.name === name && spec?.user === user;
    return isOfIts && spec?.dependency?.includes("singleton") === true;
  });
}

const isHoldOfOthers = (e: SlurmEvent) => !isOurs(e) && (e.kind === "held" || e.detail.includes("held"));

function endedSuspended(life: readonly SlurmEvent[], attemptIndex: number): boolean {
  const ofAttempt = life.filter((e) => e.restartCount === attemptIndex);
  const last = ofAttempt.findLast((e) => ["suspended", "resumed", "released"].includes(e.kind));
  return last?.kind === "suspended" && ofAttempt.some((e) => e.kind === "ended");
}
