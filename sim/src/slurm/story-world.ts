/** story-world: the world of the contract's stories on the simulated Slurm. Time passes only while a story waits. */
import type { Clock } from "@reprise/runtime/clock.ts";
import { seededChance } from "@reprise/runtime/testing/fake-life.ts";
import { clusterOfStories, type Does, type JobSpec, type World } from "@reprise/sac/slurm/contract-world.ts";
import type { Slurm } from "@reprise/sac/slurm/slurm.ts";
import { createSimSlurm } from "./create-sim-slurm.ts";
import { traitsOf } from "./releases.ts";
import { parseSbatchArgs } from "./sbatch-args.ts";
import type { ProgramSpec, SimSettings, SimSlurm } from "./sim-slurm.ts";

const features = new Map<string, readonly string[]>(Object.entries(clusterOfStories.features));
const lookEveryMs = 50;
/** Less than has passed since the stories made it save. */
const losesMs = 900;

export interface StoryWorld extends World {
  readonly sim: SimSlurm;
  readonly clock: Clock;
}

export type PortOf = (sim: SimSlurm, clock: Clock) => Slurm;
export const directPort: PortOf = (sim, clock) =>
  sim.slurmFor({ clock, readFence: () => undefined, whyStopped: () => undefined });

export function storyWorld(settings: Partial<SimSettings> = {}, portOf: PortOf = directPort): StoryWorld {
  let now = Date.UTC(2030, 0, 1);
  const clock: Clock = { now: () => now, elapsed: () => now, sleep: async (ms) => pass(ms) };
  const starts = new Map<string, string[]>();
  const sim = createSimSlurm({
    clock,
    chance: () => chance.number(),
    nodes: clusterOfStories.nodes.map((name) => ({ name, features: features.get(name) ?? [] })),
    partitions: clusterOfStories.partitions,
    settings: {
      cluster: "lab",
      credExpireSeconds: clusterOfStories.credExpireSeconds,
      killWaitSeconds: clusterOfStories.killWaitSeconds,
      requeueExit: [clusterOfStories.requeueExit],
      requeueExitHold: [clusterOfStories.requeueExitHold],
      reservations: { [clusterOfStories.reservation.name]: clusterOfStories.reservation.nodes },
      licenses: { [clusterOfStories.license]: 1 },
      ...settings,
    },
    start(attempt) {
      const seen = starts.get(attempt.jobId) ?? [];
      starts.set(attempt.jobId, [...seen, attempt.restartCount === 0 ? "unset" : String(attempt.restartCount)]);
      return undefined;
    },
  });
  const chance = seededChance(1);
  const pass = (ms: number) => {
    now += ms;
    sim.advance(now);
  };
  const submit = ({ does, afterSeconds = 0, args = [], user }: JobSpec) =>
    sim.submit({
      ...parseSbatchArgs(args, now),
      user: user ?? "root",
      program: programOf(does, afterSeconds, args, traitsOf(settings.release ?? "22.05").makesOutputFolder),
    });
  return {
    sim,
    clock,
    slurm: portOf(sim, clock),
    submit: async (job) => submit(job),
    submitHet: async (does = "run") => sim.submit({ hetComponents: [{ nodes: 1 }], program: programOf(does, 0, []) }),
    submitInteractive: async () => sim.submit({ batch: false }),
    async type(user, program, ...args) {
      const run = sim.runnerFor({ user, clock });
      const { rc = -1, stderr } = await run(program, args, { limitMs: 30_000, env: {} });
      return { rc, stderr };
    },
    starts: async (jobId) => starts.get(jobId) ?? [],
    loseNextAnswer: (how) => sim.troubles.loseNextAnswer(how),
    stopController: async () => sim.troubles.down(),
    startController: async () => sim.troubles.up(),
    crashController: async () => sim.troubles.crash(losesMs),
    pauseController: async () => sim.troubles.pause(),
    resumeController: async () => sim.troubles.resume(),
    nodeLost: async (name) => sim.site.nodeLost(name),
    nodeBack: async (name) => sim.site.nodeBack(name),
    failProlog: (name) => sim.site.failProlog(name),
    failEpilog: (name) => sim.site.failEpilog(name),
    pass: async (ms) => pass(ms),
    async until(what, look, withinMs = 30_000) {
      for (const since = now; now - since <= withinMs; pass(lookEveryMs)) {
        const seen = await look();
        if (seen !== undefined && seen !== false) return seen;
      }
      throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    },
  };
}

function programOf(does: Does, afterSeconds: number, args: readonly string[], makesFolders = false): ProgramSpec {
  const endsAfterMs = afterSeconds * 1000;
  // As slurmstepd ends what it cannot open a file for.
  if (!makesFolders && args.some((arg) => arg.startsWith("--output=/no-such-folder/")))
    return { endsAfterMs, exit: { exitCode: 15, signal: 53 } };
  switch (does) {
    case "run":
      return {};
    case "trap":
      return { trapsTermMs: 2_000 };
    case "die":
      return { endsAfterMs, exit: { signal: 9 } };
    default:
      return { endsAfterMs, exit: { exitCode: does === "fail" ? 7 : does === "complete" ? 0 : does } };
  }
}
