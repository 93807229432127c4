/**
 * watched-slurm: Slurm, as one program of ours has it: everything that passes is seen, and the answer of a command may be lost.
 *
 * Keeps   an observer is told of a command before its last look, and of its outcome when it is known.
 */
import { applyOver, type Command, type Slurm } from "@reprise/sac/slurm/slurm.ts";
import type { Actor } from "./observer.ts";
import type { World } from "./world.ts";

export function watchedSlurm(world: World, actor: Actor): Slurm {
  const { clock, disk } = actor.host;
  const reads = { readFence: () => disk.fence(), whyStopped: () => disk.whyStopped() };
  const slurm = world.slurm.slurmFor({ clock, ...reads });
  const chance = world.lots.of(`commands ${actor.name}`);
  const applyAll: Slurm["applyAll"] = async (orders) => {
    for (const { command, fence } of orders) {
      for (const o of world.observers) o.command?.(actor, command, fence);
      if (world.isHealed || !chance.yes(world.spec.faults.loseCommandAnswer)) continue;
      world.fault("command answer lost");
      world.slurm.troubles.loseNextAnswer(chance.yes(0.6) ? "applied" : "not-applied"); // That of the first that is sent.
    }
    const outcomes = await slurm.applyAll(orders);
    for (const [i, { command, fence }] of orders.entries()) {
      const outcome = outcomes[i] ?? { kind: "unknown", detail: "it was not told" };
      const { jobId, restartCount } = fence.expected;
      world.diary.write(
        actor.name.split(".", 1)[0]!,
        `${jobId}#${restartCount} ${shown(command)}: ${outcome.kind}${"detail" in outcome ? ` (${outcome.detail})` : ""}`,
      );
      for (const o of world.observers) o.outcome?.(actor, command, fence, outcome);
    }
    return outcomes;
  };
  return {
    look: async (how) => {
      const seen = await slurm.look(how);
      for (const o of world.observers) o.looked?.(actor, seen);
      return seen;
    },
    holdReasons: (ids) => {
      for (const o of world.observers) o.holdAsked?.(actor);
      return slurm.holdReasons(ids);
    },
    apply: applyOver(applyAll),
    applyAll,
  };
}

function shown(command: Command): string {
  switch (command.kind) {
    case "update-constraints":
      return `update-constraints exclude ${command.exclude.join(" ")}`;
    case "set-start":
      return `set-start in ${command.inSeconds} s`;
    default:
      return command.kind;
  }
}
