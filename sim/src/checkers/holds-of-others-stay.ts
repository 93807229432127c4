/**
 * A hold that somebody else laid is not lifted by us: not one that an administrator laid over ours, nor one that came with another's
 * requeue. (An owner's hold laid over ours cannot be seen in Slurm; nor can his requeue be told from ours when he does the same within
 * the limit of a command of ours whose outcome is not known.)
 */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

/** Between the question why it is held and the release nobody can look: one command's time. */
const blindMs = 15_000;

export const holdsOfOthersStay: Checker = {
  name: "holds-of-others-stay",
  watch({ chronicle, holds, world }) {
    const askedAt = new Map<string, number>();
    const unknownAt = new Map<string, number>();
    return {
      outcome(_actor, { kind }, { expected }, outcome) {
        if (kind === "requeue-hold" && outcome.kind === "unknown") unknownAt.set(expected.jobId, world.clock.now());
      },
      holdAsked: (actor) => void askedAt.set(actor.name, world.clock.now()),
      slurm(event) {
        if (event.kind !== "released" || !isOurs(event) || event.detail === "was not held") return;
        const life = chronicle.lifeOf(event.jobId!).filter((e) => e !== event);
        const from = Math.max(
          0,
          life.findLastIndex((e) => e.kind === "released" && e.detail !== "was not held"),
        );
        const since = life.slice(from);
        const requeue = since.findLast((e) => e.kind === "requeued" && e.detail.includes("held"));
        const isAmbiguous =
          requeue !== undefined && Math.abs(requeue.at - (unknownAt.get(event.jobId!) ?? 0)) < blindMs;
        holds(
          requeue === undefined || isOurs(requeue) || isAmbiguous,
          () => `${event.jobId}: the hold that ${requeue?.by} laid was released`,
        );
        const sent = chronicle.sent.get(event.jobId!);
        const asked = askedAt.get(sent?.actor.name ?? "") ?? event.at;
        const admin = since.findLast((e) => e.kind === "held" && e.detail === "admin");
        holds(
          admin === undefined || admin.at >= Math.min(asked, event.at) - 1_000 || event.at - admin.at < blindMs,
          () => `${event.jobId}: the hold of the administrator ${admin?.by} was released`,
        );
      },
    };
  },
};
