/**
 * troubles: makes happen what a world's fault plan says: kills, pauses, cuts, people, and a Slurm that is not itself.
 *
 * Keeps   every trouble that lasts ends by itself; after `heal` none begins, and all are over.
 */
import type { Lots } from "./chance.ts";
import { every } from "./calm.ts";
import type { Host } from "./clock.ts";
import { orderOn } from "./orders.ts";
import { act, isOfCluster } from "./people.ts";
import { type FaultPlan, kindOf, type Role } from "./spec.ts";
import { logPathOf } from "./training.ts";
import type { World } from "./world.ts";

/** As long as `rewrite.ts` waits for a restart, and its next look. */
const emptiedMs = 31_000;
const [second, minute] = [1_000, 60_000];

export function makeTroubles(world: World, lots: Lots): void {
  const { faults, safetyMs } = world.spec;
  /** Again and again, at random, until the world is healed. */
  const often = (everyMs: number, concern: string, happen: (of: Lots) => void) => {
    if (everyMs <= 0) return;
    const of = lots.of(concern);
    const next = () => {
      const afterMs = of.exponential(everyMs);
      if (world.clock.now() + afterMs > world.spec.begunAt + safetyMs) return;
      world.clock.after(afterMs, () => {
        if (!world.isHealed) happen(of);
        next();
      });
    };
    next();
  };
  killing(world, faults, lots, often);
  hosts(world, faults, lots, often);
  slurm(world, faults, often);
  often(faults.peopleEveryMs, "people", (of) => {
    if (faults.people.length > 0) act(world, of, of.pick(faults.people));
  });
  atTheSameMoment(world, lots);
  often(faults.logTruncatedEveryMs, "log truncated", (of) => {
    const running = world.slurm
      .jobs()
      .flatMap((j) => (j.state === "RUNNING" ? (world.attempts.get(j.jobId) ?? []) : []));
    if (running.length === 0) return;
    world.fault("log truncated");
    world.logs.truncate(logPathOf(of.pick(running)));
    // Until then it is not read, and its watcher looks again and again, however calm the world is.
    world.clock.after(emptiedMs, () => world.nudge("watcher", every.tail));
  });
}

/** What is rare by itself, and hurts most, is done just when something of ours is under way. */
function atTheSameMoment(world: World, lots: Lots): void {
  const { faults } = world.spec;
  const of = lots.of("at the same moment");
  const acts = faults.people.filter((what) => !isOfCluster(what));
  const somebodyActs = (jobId: string) => {
    if (!world.isHealed && acts.length > 0) act(world, of, of.pick(acts), jobId);
  };
  const soon = (jobId: string, withinMs: number) => {
    if (of.yes(faults.peopleAtOnce)) world.clock.after(of.int(0, withinMs), () => somebodyActs(jobId));
  };
  world.observers.push({
    command: (_actor, _command, { expected }) => void (of.yes(faults.peopleAtOnce) && somebodyActs(expected.jobId)),
    decided: (id, _decision, { kind }) => void (kind === "recorded" && soon(world.nameOf(id).split("#")[0]!, 4_000)),
    slurm(event) {
      if (event.kind !== "requeued" || event.by !== "root") return;
      soon(event.jobId!, 8_000);
      if (faults.slurmCrashEveryMs === 0 || !of.yes(0.1)) return;
      world.clock.after(of.int(0, 5_000), () => {
        if (world.isHealed) return;
        world.fault("slurmctld crash");
        world.slurm.troubles.crash();
      });
    },
  });
}

type Often = (everyMs: number, concern: string, happen: (of: Lots) => void) => void;

function killing(world: World, faults: FaultPlan, lots: Lots, often: Often): void {
  for (const [kind, everyMs] of Object.entries(faults.killEveryMs) as [Role, number][]) {
    often(everyMs, `kill ${kind}`, (of) => {
      const role = of.pick([...world.running.keys(), kind].filter((r) => kindOf(r) === kind));
      world.fault(`${kind} killed`);
      world.kill(role);
    });
  }
  const under = lots.of("kill under way");
  /** Something is under way: the next boundaries are where it hurts. */
  const arm = () => {
    if (world.isHealed || !under.yes(faults.killUnderWay)) return;
    const role = under.pick([...world.running.keys(), "sac"]);
    const process = world.running.get(role)?.process;
    if (under.yes(0.6)) return process?.killAt(under.int(1, 40));
    process?.at(under.int(1, 40), () => pause(world, role, under));
  };
  const restart = lots.of("restart");
  world.observers.push({
    entry: (_host, entry) => void (entry.kind === "begin" && arm()),
    decided: (_id, _decision, { kind }) => void (kind === "recorded" && arm()),
    slurm: ({ kind }) => void ((kind === "ended" || kind === "requeued") && arm()),
    died: (role) => {
      if (world.isHealed) return;
      world.fault(`${kindOf(role)} died`);
      const host = world.hostOf(role);
      if (host !== undefined && restart.yes(0.2)) host.disk.tear('{"kind":"begin","key":"');
      const afterMs = restart.weighted([
        [restart.spread(200, 5 * second), 70],
        [restart.spread(5 * second, 20 * minute), 30],
      ]);
      world.clock.after(afterMs, () => world.start(role));
    },
  });
  often(faults.pauseEveryMs, "pause", (of) => {
    const role = of.pick([...world.running.keys(), "sac"]);
    pause(world, role, of);
  });
  often(faults.partitionEveryMs, "partition", (of) => {
    const run = world.running.get(of.pick([...world.running.keys(), "sac"]));
    const link = run?.link;
    if (link === undefined) return;
    world.fault("network cut");
    link.isCut = true;
    world.diary.write("network", `the way from ${run!.process.name} to the server is cut`);
    world.clock.after(of.spread(second, 20 * minute), () => {
      link.isCut = false;
    });
  });
}

/** SIGSTOP, and later SIGCONT. */
function pause(world: World, role: string, of: Lots): void {
  const process = world.running.get(role)?.process;
  if (process === undefined) return;
  world.fault(`${kindOf(role)} paused`);
  world.diary.write(role, "is paused");
  process.pause();
  world.clock.after(of.spread(second, 10 * minute), () => {
    world.diary.write(role, "goes on");
    process.resume();
  });
}

/** Hosts' clocks are out of step from the beginning, and stepped while everything runs. */
function clocks(world: World, faults: FaultPlan, lots: Lots, often: Often): void {
  const step = (clock: Host, of: Lots) => {
    clock.aheadMs = Math.round((of.number() * 2 - 1) * faults.clockStepMaxMs);
    world.fault("clock stepped");
    world.diary.write("host", `the clock of ${clock.name} is ${clock.aheadMs} ms ahead`);
  };
  const all = [world.serverHost, world.watcherHost, ...world.hosts.map((host) => host.clock)];
  const first = lots.of("first clocks");
  if (faults.clockStepEveryMs > 0) for (const clock of all) if (first.yes(0.5)) step(clock, first);
  often(faults.clockStepEveryMs, "clock step", (of) => step(of.pick(all), of));
}

function hosts(world: World, faults: FaultPlan, lots: Lots, often: Often): void {
  often(faults.hostCrashEveryMs, "host crash", (of) => {
    const host = world.hosts[0]!;
    world.fault("host crash");
    world.diary.write("host", `${host.name} loses its power`);
    for (const role of ["sac", "watchdog"]) world.kill(role, "dies with its host");
    host.disk.lose(of);
  });
  often(faults.diskFullEveryMs, "disk full", (of) => {
    const { disk } = world.hosts[0]!;
    world.fault("disk full");
    world.diary.write("host", "the disk is full");
    disk.isFull = true;
    world.clock.after(of.spread(second, 20 * minute), () => {
      disk.isFull = false;
    });
  });
  clocks(world, faults, lots, often);
}

function slurm(world: World, faults: FaultPlan, often: Often): void {
  const { troubles, site } = world.slurm;
  const during = (ms: number, end: () => void) => world.clock.after(ms, () => !world.isHealed && end());
  often(faults.slurmCrashEveryMs, "slurm crash", () => {
    world.fault("slurmctld crash");
    troubles.crash();
  });
  often(faults.slurmDownEveryMs, "slurm down", (of) => {
    world.fault("slurmctld down");
    troubles.down();
    during(of.spread(5 * second, 15 * minute), troubles.up);
  });
  often(faults.slurmPauseEveryMs, "slurm pause", (of) => {
    world.fault("slurmctld paused");
    troubles.pause();
    during(of.spread(second, 5 * minute), troubles.resume);
  });
  often(faults.slurmSlowEveryMs, "slurm slow", (of) => {
    world.fault("slurmctld slow");
    troubles.slow(Math.round(of.spread(50, 9_000)));
    during(of.spread(10 * second, 10 * minute), () => troubles.slow(0));
  });
  often(faults.slurmGarbleEveryMs, "slurm garble", (of) => {
    const jobs = world.slurm.jobs();
    if (jobs.length === 0) return;
    world.fault("listing garbled");
    troubles.garble(of.pick(jobs).jobId, of.yes(0.5) ? { kind: "unreadable" } : { kind: "state", word: "LAUNCHING" });
    during(of.spread(5 * second, 10 * minute), troubles.clear);
  });
  often(faults.slurmCutEveryMs, "slurm cut", (of) => {
    world.fault("listing cut");
    troubles.cutListings();
    during(of.spread(5 * second, 5 * minute), troubles.clear);
  });
  often(faults.clusterLossEveryMs, "cluster loss", (of) => {
    const [silent, backAfterMs] = [of.yes(0.5), of.spread(30 * second, 20 * minute)];
    world.fault("cluster lost");
    for (const { name } of world.spec.nodes) site.nodeLost(name, { silent });
    world.clock.after(backAfterMs, () => {
      for (const { name } of world.spec.nodes) world.repair(name);
    });
  });
  often(faults.prologEveryMs, "prolog", (of) => {
    const node = of.pick(world.spec.nodes).name;
    world.fault("prolog fails");
    site.failProlog(node, of.int(1, 3));
  });
}

/** Everything works again; nothing breaks any more. */
export function heal(world: World): void {
  world.isHealed = true;
  world.diary.write("world", "is healed");
  world.slurm.troubles.clear();
  for (const clock of [world.serverHost, world.watcherHost, ...world.hosts.map((h) => h.clock)]) clock.aheadMs = 0;
  for (const { disk } of world.hosts) {
    disk.isFull = false;
    disk.isKillSwitchOn = false;
  }
  void orderOn(world);
  for (const { process, link } of world.running.values()) {
    process.defuse();
    process.resume();
    if (link !== undefined) link.isCut = false;
  }
  const touched = new Set(
    world.slurm.history().flatMap((e) => (e.kind === "node" ? [e.detail.split(" ", 1)[0]!] : [])),
  );
  for (const name of touched) world.repair(name);
  for (const job of world.slurm.jobs()) {
    if (job.state === "SUSPENDED") world.slurm.type("root", "scontrol", "resume", job.jobId);
  }
  world.startAll();
}
