/**
 * chronicle: what every checker needs to know of the past: the lives of each job ID, the attempts in them, the Advice that was recorded,
 * and which command of ours is under way.
 *
 * Takes   observers' events, in order. It comes before all checkers, so that they see it up to date.
 * Keeps   what a crash of slurmctld has taken back is taken back here, too.
 */
import type { Advise } from "@reprise/core/decide/decision.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import type { Entry } from "@reprise/sac/journal.ts";
import type { Command, Fence } from "@reprise/sac/slurm/slurm.ts";
import type { Actor, Observer } from "../observer.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { World } from "../world.ts";

type Begun = Entry & { kind: "begin" };

/** A command of ours, from before its last look until its outcome; and its step in the journal, if there is one. */
export interface Sent {
  readonly actor: Actor;
  readonly command: Command;
  readonly fence: Fence;
  readonly begun: Begun | undefined;
  readonly at: number;
}

export interface Given {
  readonly generation: number;
  readonly advise: Advise | undefined;
  readonly at: number;
}

export class Chronicle {
  readonly observer: Observer;
  /** By job ID: the last command of ours that was sent for it. */
  readonly sent = new Map<string, Sent>();
  /** By heimdallJobId: every generation, oldest first. */
  readonly advice = new Map<string, Given[]>();
  /** By heimdallJobId: the keys of every root that was recorded. */
  readonly recorded = new Map<string, Set<string>>();
  private readonly world: World;
  private readonly events = new Map<string, SlurmEvent[]>();

  constructor(world: World) {
    this.world = world;
    this.observer = {
      slurm: (event) => {
        if (event.jobId === undefined) return;
        const known = this.events.get(event.jobId);
        if (known === undefined) this.events.set(event.jobId, [event]);
        else known.push(event);
      },
      command: (actor, command, fence) => {
        const { jobId } = fence.expected;
        this.sent.set(jobId, {
          actor,
          command,
          fence,
          begun: this.begunFor(actor, command, jobId),
          at: world.clock.now(),
        });
      },
      decided: (id, decision, recorded) => {
        if (recorded.kind !== "recorded") return;
        const given = this.advice.get(id) ?? [];
        const advise = decision.kind === "advise" ? decision : undefined;
        this.advice.set(id, [...given, { generation: recorded.generation, advise, at: world.clock.now() }]);
      },
      signals: ({ signals }) => {
        for (const { heimdallJobId: id, key, root } of signals)
          if (root) this.recorded.set(id, (this.recorded.get(id) ?? new Set()).add(key));
      },
      ordered: (_jobId, _action, withdrawn) => {
        for (const { heimdallJobId: id, generation } of withdrawn)
          this.advice.set(id, [
            ...(this.advice.get(id) ?? []),
            { generation, advise: undefined, at: world.clock.now() },
          ]);
      },
    };
  }

  /** What is left of a job's history in slurmctld, from the last time its ID was given out. A task's begins with its array. */
  lifeOf(jobId: string): readonly SlurmEvent[] {
    const from = this.submission(jobId)?.seq ?? 0;
    return (this.events.get(jobId) ?? []).filter((e) => e.survived && e.seq >= from);
  }

  /** Since when the job's ID has belonged to this life of it. */
  submittedAt(jobId: string): number | undefined {
    return this.submission(jobId)?.at;
  }

  private submission(jobId: string): SlurmEvent | undefined {
    return this.events.get(jobId.split("_")[0]!)?.findLast((e) => e.kind === "submitted" && e.survived);
  }

  /** The highest restart count that this life of the job ever had, forgotten ones too. */
  everCounted(jobId: string): number {
    return Math.max(...(this.events.get(jobId) ?? []).map((e) => e.restartCount ?? 0));
  }

  /** It ended once, whether slurmctld still knows or not. */
  everEnded(jobId: string, restartCount: number): boolean {
    return (this.events.get(jobId) ?? []).some(
      (e) =>
        (e.kind === "ended" || e.kind === "completing" || e.kind === "requeued") &&
        (e.restartCount === restartCount || (e.kind === "requeued" && !e.survived)),
    );
  }

  /** The ID was given out more than once. */
  reissued(jobId: string): boolean {
    return (this.events.get(jobId.split("_")[0]!) ?? []).filter((e) => e.kind === "submitted").length > 1;
  }

  jobIds(): readonly string[] {
    return [...this.events.keys()];
  }

  /** The work that authorises what is being done to a job now. */
  workOf(jobId: string): Work | undefined {
    return this.sent.get(jobId)?.begun?.work;
  }

  /** The host that a journal belongs to was told of this step, and has not yet said how it went. */
  private begunFor(actor: Actor, command: Command, jobId: string): Begun | undefined {
    const action = actor.role === "watchdog" ? "watchdog-release" : command.kind;
    const { entries } = actor.host.disk;
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i]!;
      if (entry.kind !== "begin" || (entry.onJob ?? entry.work.jobId) !== jobId) continue;
      if (entry.action !== action) return undefined;
      const isOver = entries.slice(i + 1).some((e) => e.kind === "end" && e.key === entry.key);
      return isOver ? undefined : entry;
    }
    return undefined;
  }

  now(): number {
    return this.world.clock.now();
  }
}

/** Us: SAC and the watchdog run as root, and nobody else in a world does. */
export const isOurs = (event: SlurmEvent) => event.by === "root";
