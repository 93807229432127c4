/**
 * Goal    the simulated Slurm does what the real one does, by whichever way SAC looks at it.
 * Method  the stories that `e2e/slurm-contract` tells on the real one, each in a world of its own; once through the port as the worlds use it,
 *         once through its text, with SAC's own programs and parsers.
 */
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { createHoldReasons } from "@reprise/sac/slurm/command/hold-reasons.ts";
import { createLook } from "@reprise/sac/slurm/command/look.ts";
import { everyRowIsTold, slurmContract } from "@reprise/sac/slurm/slurm.contract.ts";
import { type Release, releases, type Story } from "@reprise/sac/slurm/contract/story.ts";
import { directPort, type PortOf, storyWorld } from "./story-world.ts";

const settingsOf = (cluster: Story["cluster"], release: Release) => ({
  release,
  ...(cluster === "forgetful" ? { minJobAgeSeconds: 5, noHoldOnPrologFail: true } : {}),
  ...(cluster === "expediting" ? { requeueDelaySeconds: 0, expeditedRequeue: true } : {}),
  ...(cluster === "accounted" ? { operators: ["operator"] } : {}),
});

everyRowIsTold();
for (const release of releases)
  slurmContract(`the simulated Slurm ${release}`, {
    worldFor: async (cluster) => storyWorld(settingsOf(cluster, release)),
    release,
  });

const textPort: PortOf = (sim, clock) => {
  const { chance, log } = fakeLife();
  const run = sim.runnerFor({ clock });
  return {
    ...directPort(sim, clock),
    look: createLook({ run, clock, chance, log, env: {}, cluster: "lab" }),
    holdReasons: createHoldReasons({ run, clock, env: {} }),
  };
};
for (const release of ["22.05", "25.11"] as const) // 26.05 prints as 25.11 does.
  slurmContract(`the simulated Slurm ${release}, read as text,`, {
    worldFor: async (cluster) => storyWorld(settingsOf(cluster, release), textPort),
    release,
  });
