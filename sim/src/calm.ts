/**
 * calm: how long an idle wait may be: rarely looked at while nothing is under way, and once more just before something happens.
 *
 * Takes   what observers see; and what the world knows beforehand (`foretell`).
 * Keeps   while something is under way, every freshness holds that the programs judge by: heartbeats, leases and passes are younger
 *         than 30 s, targets are renewed before their lease ends. While nothing is, nobody judges; and just before something happens
 *         SAC and the watchdog have looked. So the programs meet what they would meet with their real intervals.
 * Source  `limits.ts`; `targetLeaseMs` of the server.
 */
import { coldEveryMs, warmForMs } from "@reprise/watcher/heat.ts";
import type { Advice, Seen } from "@reprise/core/nouns.ts";
import type { Pass } from "@reprise/sac/slurm/slurm.ts";
import type { ClaimedTargets } from "@reprise/server/manager/store.ts";
import type { Planned } from "./clock.ts";
import type { Actor, Observer } from "./observer.ts";
import type { Idle } from "./sim-process.ts";
import type { IdleMax } from "./spec.ts";
import type { Running, SacHost, World } from "./world.ts";

/** A look before something happens. */
interface Foretold {
  readonly at: number;
  /** How many things are to happen then, of which none was taken back. */
  wanted: number;
  readonly planned: Planned;
}

/** The real intervals (ms), as each `main.ts` has them; by them a wait is known for what it is. */
export const every = {
  decide: 250,
  gates: 1_000,
  tail: 225,
  claim: 1_000,
  sac: 2_000,
  busy: 300,
  stream: 1_000,
  milestones: 5_000,
  notices: 10_000,
  watchdog: 2_000,
};

/** The longest that a step waits by the clock: for a late command (`lateUntil`), and some. */
const clockedMs = 20_000;

/** What may end a program that runs is begun only while its log is read (`workHeardAgeMs`). */
const heardMs = 8_000;

/** For so long whoever decides has claimed what he decides about (`decide-once.ts`). */
const claimedMs = 10_000;

/** Of what is told and follows from no decision or status a minute must have passed (`lastsMs` of the notices). */
const noticesMs = 60_000;

/** Nothing is to be found but what it is nudged for. */
const idleForGoodMs = 3_600_000;

/** Twice the real interval of whoever has to look before something happens, and some. */
const foretoldMs = 4_500;

export class Calm {
  readonly observer: Observer;
  private readonly world: World;
  private readonly open = new Set<string>();
  private readonly blind = new Set<SacHost>();
  /** Of each watcher: how many targets it has, and which of them are to be read to their end. */
  private readonly targets = new Map<string, { readonly count: number; readonly ending: Set<string> }>();
  private isUnseen = false;
  /** By the server's clock: when the last decision made while Slurm could not be read is made again. */
  private unseenAgainAt = 0;
  private holder = "";
  private foretold: Foretold | undefined;
  /** By attempt: takes back the look that the last decision about it had asked for. */
  private readonly again = new Map<string, () => void>();
  /** When Slurm or a journal last moved: what a step waits for by the clock (`settleMs`, `logEndWaitMs`) counts from then. */
  private movedAt = 0;
  private readonly hasGates: boolean;
  /** By log. */
  private readonly writtenAt = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
    this.hasGates = world.spec.jobs.some(({ submit }) => submit.comment?.includes('"dag_dependencies"') === true);
    this.observer = {
      decided: (id, decision, { kind }) => {
        this.nudgeGates(); // A parent's end counts once it is decided about; and whoever waits, once he is.
        if (kind === "recorded" && decision.kind === "advise") this.open.add(id);
        if (kind === "recorded") for (const ms of [every.sac, every.busy]) world.nudge("sac", ms);
        world.nudge("server", every.notices);
        if (kind === "stale") return; // It was about facts that are none any more: another one comes.
        this.again.get(id)?.();
        this.again.delete(id);
        if (decision.kind === "none" && decision.reconsiderAt !== undefined)
          this.look(id, decision.because, decision.reconsiderAt);
      },
      status: ({ heimdallJobId, status }: Advice) =>
        void (this.nudgeGates(),
        world.nudge("server", every.notices),
        status.disposition === "PENDING" && status.reason !== "OBSERVE_MODE"
          ? this.open.add(heimdallJobId)
          : this.open.delete(heimdallJobId)),
      looked: ({ host }: Actor, seen: Seen<Pass>) =>
        void (seen.kind === "seen" && seen.value.unreadable.size === 0
          ? this.blind.delete(host)
          : this.blind.add(host)),
      pass: ({ unavailable }) => {
        if (!this.isUnseen || unavailable !== undefined) return;
        this.isUnseen = false;
        world.nudge("server", every.decide);
        const afterMs = this.unseenAgainAt - world.serverHost.now();
        if (afterMs > 0) world.clock.after(afterMs, () => world.nudge("server", every.decide));
      },
      lease: (holder) => void (this.holder = holder),
      entry: (_host, { kind }) => {
        this.movedAt = world.clock.now();
        if (kind === "end") world.nudge("sac", every.milestones);
      },
      claimed: (watcher, claimed) => this.claimed(watcher, claimed),
      signals: ({ reporter, positions }) => {
        const ending = this.targets.get(reporter)?.ending;
        for (const { heimdallJobId, ended } of positions) if (ended) ending?.delete(heimdallJobId);
      },
      slurm: ({ kind }) => {
        if (kind === "refused") return;
        this.movedAt = world.clock.now();
        this.nudgeActing(every.sac);
        this.nudgeActing(every.busy);
        if (kind === "completing" || kind === "ended" || kind === "requeued" || this.isAnythingOpen())
          world.nudge("watchdog");
      },
      started: (role) => {
        if (role !== "server") return;
        world.nudge("sac");
        world.nudge("watcher");
      },
    };
  }

  /** As long after the longest wait between two claims as the server's own is after a real one that was missed. */
  get targetLeaseMs(): number {
    const max = this.world.spec.reprise.idleMaxMs;
    return max === undefined ? 15_000 : this.claimMs(max) + 5_000;
  }

  /** Where there is no other watcher, nobody waits for its leases to run out. */
  private claimMs(max: IdleMax): number {
    return this.world.spec.reprise.watchers === 1 ? max.calm : max.claim;
  }

  /** Another SAC than the one with the lease only reports what it sees: it looks for the lease, not for what Slurm does. */
  private nudgeActing(ms: number): void {
    const isActing = (host: SacHost | undefined) => this.holder === "" || this.holder === `host-${host?.name}`;
    for (const { kind, host, process } of this.world.running.values())
      if (kind === "sac" && isActing(host)) process.nudge(ms);
  }

  /** A log that was silent for long is not looked at in every pass of its watcher: one that comes later sees what was written. */
  logWritten(path: string): void {
    const { world } = this;
    const [now, before] = [world.clock.now(), this.writtenAt.get(path) ?? 0];
    this.writtenAt.set(path, now);
    world.nudge("watcher", every.tail);
    if (now - before >= warmForMs) world.clock.after(coldEveryMs, () => world.nudge("watcher", every.tail));
  }

  private nudgeGates(): void {
    if (this.hasGates) this.world.nudge("server", every.gates);
  }

  idleOf(kind: Running["kind"], name: string, host: SacHost | undefined): readonly Idle[] {
    const max = this.world.spec.reprise.idleMaxMs;
    if (max === undefined) return [];
    // What a pass could not do is done again once its claim has run out.
    const decideMs = (_: boolean, sinceTroubleMs: number) => (sinceTroubleMs > claimedMs ? max.decide : claimedMs);
    const unlessUnderWay = (busyMs: number) => (hadTrouble: boolean) =>
      hadTrouble || (host !== undefined && this.isUnderWay(host)) ? busyMs : max.calm;
    switch (kind) {
      case "server":
        return [
          { ms: every.decide, maxMs: decideMs },
          { ms: every.gates, maxMs: this.hasGates ? decideMs : () => idleForGoodMs },
          { ms: every.notices, maxMs: () => noticesMs },
        ];
      case "sac":
        return [
          { ms: 0, loop: "pass", maxMs: () => 0 },
          { ms: every.sac, loop: "pass", maxMs: unlessUnderWay(max.sac) },
          {
            ms: every.busy,
            loop: "pass",
            maxMs: () => (this.world.clock.now() - this.movedAt < clockedMs ? max.busy : max.sac),
          },
          { ms: every.stream, maxMs: () => max.sac },
          { ms: every.milestones, maxMs: (hadTrouble) => (hadTrouble ? max.sac : idleForGoodMs) },
        ];
      case "watchdog":
        return [{ ms: every.watchdog, maxMs: unlessUnderWay(max.watchdog) }];
      case "watcher":
        return [
          {
            ms: every.tail,
            growth: () => (this.isReadingToEnd(name) ? 8 : 64),
            maxMs: (hadTrouble) =>
              hadTrouble || this.isAnythingOpen() ? heardMs : this.isReadingToEnd(name) ? max.tail : max.calm,
          },
          {
            ms: every.claim,
            maxMs: (hadTrouble) =>
              hadTrouble ? heardMs : (this.targets.get(name)?.count ?? 1) === 0 ? max.calm : this.claimMs(max),
          },
        ];
    }
  }

  /**
   * Something happens after so many milliseconds by which SAC, or a decision about what it sees, is judged.
   *
   * @returns Takes it back: it does not happen after all.
   */
  foretell(afterMs: number): () => void {
    const { world } = this;
    if (world.spec.reprise.idleMaxMs === undefined) return () => {};
    const at = world.clock.now() + Math.max(0, afterMs - foretoldMs);
    const last = this.foretold;
    // What is foretold for the same moment is looked at once.
    const isShared = last !== undefined && last.wanted > 0 && last.at > at - every.sac && last.at <= at;
    const look = isShared ? last : { at, wanted: 0, planned: this.lookAt(at) };
    this.foretold = look;
    look.wanted++;
    let isWanted = true;
    return () => {
      if (!isWanted) return;
      isWanted = false;
      if (--look.wanted === 0) look.planned.cancel();
    };
  }

  private lookAt(at: number): Planned {
    const { world } = this;
    return world.clock.at(at, () => {
      // Who had the lease last gets it again, as he would have kept it.
      const [first = "sac", second = "sac-b"] = this.holder === "host-b" ? ["sac-b", "sac"] : [];
      world.running.get(first)?.process.nudge(every.sac);
      if (world.running.has(second))
        world.clock.after(every.sac, () => world.running.get(second)?.process.nudge(every.sac));
      world.nudge("watchdog");
    });
  }

  /** Somebody said that he looks again then: the server decides, and a log may have to be read past that instant. */
  private look(id: string, because: string, at: number): void {
    const { world } = this;
    if (because === "scheduler-unseen") {
      // Nothing is decided before Slurm has been seen again.
      this.isUnseen = true;
      this.unseenAgainAt = Math.max(this.unseenAgainAt, at);
      return world.nudge("sac", every.sac);
    }
    const afterMs = at - world.serverHost.now();
    const takeBack = this.foretell(afterMs);
    const planned = world.clock.after(afterMs, () => {
      world.nudge("watcher", every.tail);
      world.nudge("server", every.decide);
    });
    this.again.set(id, () => {
      takeBack();
      planned.cancel();
    });
  }

  private claimed(watcher: string, { targets, unchanged }: ClaimedTargets): void {
    const before = this.targets.get(watcher);
    const told = targets.filter(({ ended }) => ended).map(({ attempt }) => attempt.heimdallJobId);
    const ending = new Set([...told, ...unchanged.filter((uuid) => before?.ending.has(uuid) === true)]);
    const count = targets.length + unchanged.length;
    this.targets.set(watcher, { count, ending });
    if (ending.size > 0 || (before?.count ?? 0) !== count)
      this.world.running.get(watcher)?.process.beAttentive(every.tail);
  }

  private isReadingToEnd(watcher: string): boolean {
    return (this.targets.get(watcher)?.ending.size ?? 0) > 0;
  }

  private isUnderWay(host: SacHost): boolean {
    return this.isAnythingOpen() || this.blind.has(host) || host.disk.isFull;
  }

  private isAnythingOpen(): boolean {
    return this.open.size > 0 || this.world.hosts.some(({ disk }) => disk.isAnythingOpen());
  }
}
