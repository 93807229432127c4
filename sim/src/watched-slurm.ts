/**
 * watched-slurm: Slurm, as one program of ours has it: everything that passes is seen, and the answer of a command may be lost.
 *
 * Keeps   an observer is told of a command before its last look, and of its outcome when it is known.
 */
import type { Command, Fence, Outcome, Slurm } from "@reprise/sac/slurm/slurm.ts";
import type { Actor } from "./observer.ts";
import type { World } from "./world.ts";

export function watchedSlurm(world: World, actor: Actor): Slurm {
  const { clock, disk } = actor.host;
  const reads = { readFence: () => disk.fence(), isKillSwitchOn: () => disk.isKillSwitchOn };
  const slurm = world.slurm.slurmFor({ clock, ...reads });
  const chance = world.lots.of(`commands ${actor.name}`);
  const watched: Slurm = {
    look: async () => {
      const seen = await slurm.look();
      for (const o of world.observers) o.looked?.(actor, seen);
      return seen;
    },
    holdReasons: (ids) => {
      for (const o of world.observers) o.holdAsked?.(actor);
      return slurm.holdReasons(ids);
    },
    apply: async (command: Command, fence: Fence) => {
      for (const o of world.observers) o.command?.(actor, command, fence);
      if (!world.isHealed && chance.yes(world.spec.faults.loseCommandAnswer)) {
        world.fault("command answer lost");
        world.slurm.troubles.loseNextAnswer(chance.yes(0.6) ? "applied" : "not-applied");
      }
      const outcome = await slurm.apply(command, fence);
      const { jobId, restartCount } = fence.expected;
      world.diary.write(
        actor.name.split(".", 1)[0]!,
        `${jobId}#${restartCount} ${shown(command)}: ${outcome.kind}${"detail" in outcome ? ` (${outcome.detail})` : ""}`,
      );
      for (const o of world.observers) o.outcome?.(actor, command, fence, outcome);
      return outcome;
    },
    applyAll: async (orders) => {
      const outcomes: Outcome[] = [];
      for (const { command, fence } of orders) outcomes.push(await watched.apply(command, fence));
      return outcomes;
    },
  };
  return watched;
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
