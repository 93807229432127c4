/** no-faults: a world in which nothing goes wrong but what a job does to itself. */
import { sound } from "./database.ts";
import { prompt } from "./logs.ts";
import { perfect } from "./network.ts";
import type { FaultPlan } from "./spec.ts";

export const noFaults: FaultPlan = {
  network: perfect,
  database: sound,
  logs: prompt,
  partitionEveryMs: 0,
  killEveryMs: { server: 0, sac: 0, watchdog: 0, watcher: 0 },
  pauseEveryMs: 0,
  killUnderWay: 0,
  hostCrashEveryMs: 0,
  diskFullEveryMs: 0,
  clockStepEveryMs: 0,
  clockStepMaxMs: 0,
  slurmCrashEveryMs: 0,
  slurmDownEveryMs: 0,
  slurmPauseEveryMs: 0,
  slurmSlowEveryMs: 0,
  slurmGarbleEveryMs: 0,
  slurmCutEveryMs: 0,
  loseCommandAnswer: 0,
  loseWake: 0,
  peopleEveryMs: 0,
  peopleAtOnce: 0,
  people: [],
  prologEveryMs: 0,
  clusterLossEveryMs: 0,
  logTruncatedEveryMs: 0,
};
