/**
 * SAC releases a successor only when Slurm has every exclusion that its Advice asks for, but those dropped for want of nodes, and those
 * that Slurm has not taken in `updatesMax` updates. (The last look before a command is not atomic with it: an owner who takes the
 * exclusion away in that very moment is not seen, nor a slurmctld that crashes then and forgets it.)
 */
import type { Work } from "@reprise/core/plan/work.ts";
import type { Entry } from "@reprise/sac/journal.ts";
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

const updatesMax = 8;

export const neverReleasedUnconstrained: Checker = {
  name: "never-released-unconstrained",
  watch({ world, chronicle, holds }) {
    let crashedAt = 0;
    return {
      slurm(event) {
        if (event.kind === "crashed") crashedAt = event.at;
        if (event.kind !== "released" || !isOurs(event) || event.detail === "was not held") return;
        const sent = chronicle.sent.get(event.jobId!);
        if (sent === undefined || sent.actor.role === "watchdog") return;
        const work = sent.begun?.work;
        if (work === undefined || work.withdrawn) return; // `every-effect-was-begun` judges the one, and nothing is asked for by the other.
        const now = sent.actor.host.clock.now();
        if (now >= work.expiresAt) return;
        const begun = begunFor(sent.actor.host.disk.entries, work);
        if (begun.filter((e) => e.action === "update-constraints").length >= updatesMax) return;
        const dropped = new Set(begun.flatMap((e) => e.droppedNodes ?? []));
        const isTakenAway = chronicle
          .lifeOf(event.jobId!)
          .some((e) => e.kind === "updated" && !isOurs(e) && e.detail.includes("excnodelist") && e.at >= sent.at);
        if (isTakenAway || crashedAt >= sent.at) return;
        const truth = world.slurm.job(event.jobId!);
        const missing = work.exclusions.filter(
          (e) =>
            e.expiresAt > now &&
            !dropped.has(e.node) &&
            truth?.excludedNodes.includes(e.node) === false &&
            !isRequired(world, event.jobId!, e.node),
        );
        holds(
          missing.length === 0,
          () => `${event.jobId}: released without the exclusion of ${missing.map((e) => e.node).join(", ")}`,
        );
      },
    };
  },
};

const begunFor = (entries: readonly Entry[], { heimdallJobId, generation }: Work) =>
  entries.flatMap((e) =>
    e.kind === "begin" && e.work.heimdallJobId === heimdallJobId && e.work.generation === generation ? [e] : [],
  );

/** The author asked for exactly this node. */
function isRequired(
  world: { specOf(jobId: string): { readonly nodelist?: string } | undefined },
  jobId: string,
  node: string,
): boolean {
  return world.specOf(jobId)?.nodelist === node;
}
