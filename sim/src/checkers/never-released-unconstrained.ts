/**
 * SAC releases a successor only when Slurm has every exclusion that its Advice asks for, but those dropped for want of nodes. (The last
 * look before a command is not atomic with it: an owner who takes the exclusion away in that very moment is not seen.)
 */
import type { Checker } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

const blindMs = 15_000;

export const neverReleasedUnconstrained: Checker = {
  name: "never-released-unconstrained",
  watch: ({ world, chronicle, holds }) => ({
    slurm(event) {
      if (event.kind !== "released" || !isOurs(event) || event.detail === "was not held") return;
      const sent = chronicle.sent.get(event.jobId!);
      if (sent === undefined || sent.actor.role === "watchdog") return;
      const work = sent.begun?.work;
      if (work === undefined || work.withdrawn) return; // `every-effect-was-begun` judges the one, and nothing is asked for by the other.
      const now = sent.actor.host.clock.now();
      if (now >= work.expiresAt) return;
      const dropped = new Set(
        sent.actor.host.disk.entries.flatMap((e) =>
          e.kind === "begin" && e.work.heimdallJobId === work.heimdallJobId && e.work.generation === work.generation
            ? (e.droppedNodes ?? [])
            : [],
        ),
      );
      const isTakenAway = chronicle
        .lifeOf(event.jobId!)
        .some(
          (e) => e.kind === "updated" && !isOurs(e) && e.detail.includes("excnodelist") && event.at - e.at < blindMs,
        );
      if (isTakenAway) return;
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
  }),
};

/** The author asked for exactly this node. */
function isRequired(
  world: { specOf(jobId: string): { readonly nodelist?: string } | undefined },
  jobId: string,
  node: string,
): boolean {
  return world.specOf(jobId)?.nodelist === node;
}
