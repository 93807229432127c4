/** A new step is begun only by the SAC that has the lease of the cluster, as the store has it, give or take one command's time. */
import type { Checker } from "./checker.ts";

/** From the answer that gave the lease to the last command that it may still authorise. */
const commandMs = 20_000;

export const oneActingSac: Checker = {
  name: "one-acting-sac",
  watch({ world, holds }) {
    let lease: { readonly holder: string; readonly since: number } | undefined;
    return {
      lease(holder) {
        if (holder !== lease?.holder) lease = { holder, since: world.clock.now() };
      },
      command(actor, command, { expected }) {
        if (actor.role !== "sac" || (command.kind !== "requeue-hold" && command.kind !== "cancel")) return;
        const isOwn = lease?.holder === `host-${actor.host.name}`;
        holds(
          isOwn || (lease !== undefined && world.clock.now() - lease.since < commandMs),
          () => `${actor.name}: ${command.kind} of ${expected.jobId} while ${lease?.holder ?? "nobody"} has the lease`,
        );
      },
    };
  },
};
