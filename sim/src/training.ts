/**
 * training: what a job does: it starts, loads its checkpoint, steps, saves, evaluates, and fails as its lots say.
 *
 * In the loop   Slurm starts an attempt → **lines in its log** → watcher
 * Takes         a plan of the job, the same for all its attempts; lots of each attempt.
 * Keeps         what a checkpoint holds survives the attempt; nothing of a program goes on when its processes are gone.
 */
import type { Lots } from "./chance.ts";
import type { Planned, WorldClock } from "./clock.ts";
import { type Failure, type FailureKind, type Guilty, hardware, own, slow } from "./failures.ts";
import type { Logs } from "./logs.ts";
import { kernelLine, nodeLogOf } from "./node-log.ts";
import { Output } from "./output.ts";
import type { Exit, Program, RunningAttempt } from "./slurm/sim-slurm.ts";

export interface TrainingPlan {
  readonly steps: number;
  readonly stepMs: number;
  /** One line in so many steps. */
  readonly lineEvery: number;
  /** Its standard output is buffered: so many lines come at once. Absent: each by itself. */
  readonly burstLines?: number;
  readonly saveEvery: number;
  readonly saveMs: number;
  readonly evaluateEvery: number;
  readonly evaluateMs: number;
  /** From the start of the script to the first step. */
  readonly loadMs: number;
  readonly logMode: "truncate" | "append";
  /** Expected failures of one attempt by the job's own machines, and by its author. */
  readonly hardwareMtbfMs: number;
  readonly own?: { readonly failure: Failure; readonly atStep: number; readonly attempts: number };
  /** What it does in each attempt, instead of what its lots say. For scenarios. */
  readonly fixed?: readonly FixedFailure[];
  /** From so long after the start of its first attempt on, everything is slow. */
  readonly slowsAfterMs?: number;
  readonly trapMs: number;
  /** The end of training is printed, and then the teardown fails. */
  readonly failsInTeardown: boolean;
  readonly rotates: boolean;
}

export interface FixedFailure {
  readonly attempt: number;
  readonly afterMs: number;
  readonly failure: Failure;
  /** The guilty one. Absent: by lot. */
  readonly node?: string;
}

export interface TrainingWorld {
  readonly world: WorldClock;
  readonly logs: Logs;
  readonly hasNodeLogs: boolean;
  readonly isLemon: (node: string) => boolean;
  /** The world is healed: nothing breaks any more. */
  readonly failsNoMore: () => boolean;
  readonly nodeLost: (node: string, how: "lost" | "lost-silently") => void;
  readonly onPrinted: (attempt: RunningAttempt, lines: readonly string[], is: "root" | "other") => void;
  readonly onFailed: (attempt: RunningAttempt, kind: string, node: string) => void;
  readonly onAlarm: (attempt: RunningAttempt, node: string) => void;
  readonly tell: (text: string, kind: FailureKind) => void;
  /** Something more than a further step comes after so long (ms). Gives what takes that back. */
  readonly foretell: (afterMs: number) => () => void;
}

export class Training implements Program {
  private readonly plan: TrainingPlan;
  private readonly saved: { step: number };
  private readonly attempt: RunningAttempt;
  private readonly deps: TrainingWorld;
  private readonly chance: Lots;
  private readonly path: string;
  private readonly output: Output;
  private step: number;
  private next: Planned | undefined;
  private doom: Planned | undefined;
  private readonly foretold: (() => void)[] = [];
  private isOver = false;
  private suspendedAt: number | undefined;
  private pace = 1;
  private slowing: Planned | undefined;

  constructor(plan: TrainingPlan, saved: { step: number }, attempt: RunningAttempt, chance: Lots, deps: TrainingWorld) {
    this.plan = plan;
    this.saved = saved;
    this.attempt = attempt;
    this.chance = chance;
    this.deps = deps;
    this.path = logPathOf(attempt);
    this.step = saved.step;
    this.output = new Output(plan.burstLines ?? 1, (lines) => this.write("other", lines));
    deps.logs.begin(this.path, plan.logMode);
    this.output.print(
      `using world size: ${this.ranks}, data-parallel size: ${this.ranks}`,
      "> initializing torch distributed ...",
    );
    this.next = deps.world.after(plan.loadMs, () => this.loaded());
    this.drawDoom();
    if (plan.slowsAfterMs !== undefined && attempt.restartCount === 0)
      this.slowing = deps.world.after(plan.slowsAfterMs, () => this.fail(slow));
  }

  terminated(): number {
    const { jobId, nodes } = this.attempt;
    this.write("other", [`slurmstepd: error: *** JOB ${jobId} ON ${nodes[0]} CANCELLED AT 2030-01-01T00:00:00 ***`]);
    return this.plan.trapMs;
  }

  suspended(): void {
    this.suspendedAt = this.deps.world.now();
    this.next?.cancel();
  }

  resumed(): void {
    if (this.suspendedAt === undefined || this.isOver) return;
    this.suspendedAt = undefined;
    this.stepLater();
  }

  gone(): void {
    this.isOver = true;
    this.next?.cancel();
    this.doom?.cancel();
    this.slowing?.cancel();
    for (const takeBack of this.foretold) takeBack();
  }

  private get ranks(): number {
    return this.attempt.nodes.length * Math.max(1, this.attempt.gpusPerNode);
  }

  private write(is: "root" | "other", lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.deps.onPrinted(this.attempt, lines, is);
    this.deps.logs.print(this.path, ...lines);
  }

  private kernelSays(node: string, text: string): void {
    const { attempt, deps } = this;
    if (!deps.hasNodeLogs) return this.write("root", [`Nov 29 12:00:01 ${node} kernel: ${text}`]);
    const line = kernelLine(node, deps.world.now(), text);
    deps.onPrinted(attempt, [line], "root");
    deps.logs.print(nodeLogOf(node), line);
  }

  private loaded(): void {
    if (this.saved.step > 0)
      this.output.print(
        `  successfully loaded checkpoint from /ckpt/${this.attempt.jobId} [ t 0, p 0 ] at iteration ${this.saved.step}`,
      );
    this.output.print("training ...");
    this.stepLater();
  }

  private stepLater(extraMs = 0): void {
    if (this.isOver || this.suspendedAt !== undefined) return;
    const steps = Math.min(this.plan.lineEvery, this.plan.steps - this.step);
    const noise = 0.95 + 0.1 * this.chance.number();
    const afterMs = steps * this.plan.stepMs * this.pace * noise + extraMs;
    if (this.isToEndAt(this.step + steps)) this.foretold.push(this.deps.foretell(afterMs));
    this.next = this.deps.world.after(afterMs, () => this.stepped(steps));
  }

  private isToEndAt(step: number): boolean {
    const { own, steps } = this.plan;
    return step >= steps || (own !== undefined && this.attempt.restartCount < own.attempts && step >= own.atStep);
  }

  private stepped(steps: number): void {
    const { plan } = this;
    const before = this.step;
    this.step += steps;
    const elapsed = (plan.stepMs * this.pace * (0.95 + 0.1 * this.chance.number())).toFixed(1);
    this.output.print(
      ` iteration ${String(this.step).padStart(8)}/${String(plan.steps).padStart(8)} | consumed samples: ${String(this.step * 512).padStart(12)} | elapsed time per iteration (ms): ${elapsed} | learning rate: 1.500000E-04 | global batch size:   512 | lm loss: 2.${this.attempt.restartCount}${String(this.step % 1000).padStart(3, "0")}E+00 |`,
    );
    if (this.isOver) return;
    if (plan.own !== undefined && this.attempt.restartCount < plan.own.attempts && this.step >= plan.own.atStep)
      return this.fail(plan.own.failure);
    if (this.step >= plan.steps) return this.finish();
    let extraMs = 0;
    if (crosses(before, this.step, plan.saveEvery)) {
      extraMs += plan.saveMs;
      const step = this.step;
      this.deps.world.after(plan.saveMs, () => this.save(step));
    }
    if (crosses(before, this.step, plan.evaluateEvery)) extraMs += plan.evaluateMs;
    if (plan.rotates && crosses(before, this.step, plan.saveEvery * 3))
      this.deps.logs.rotate(this.path, `${this.path}.${this.step}`);
    this.stepLater(extraMs);
  }

  private save(step: number): void {
    if (this.isOver || this.suspendedAt !== undefined) return;
    this.saved.step = step;
    this.output.print(
      `  successfully saved checkpoint from iteration ${String(step).padStart(7)} to /ckpt/${this.attempt.jobId} [ t 1/1, p 1/1 ]`,
    );
  }

  private finish(): void {
    this.output.print(`[after training is done] datetime: 2030-01-01 00:00:00 `);
    this.doom?.cancel();
    const exit = this.plan.failsInTeardown ? { exitCode: 1 } : {};
    this.end(exit, 3_000);
  }

  private end(exit: Exit, afterMs: number): void {
    this.next?.cancel();
    this.next = this.deps.world.after(afterMs, () => {
      if (exit.signal === undefined && exit.outOfMemory !== true) this.output.flush();
      this.attempt.exit(exit);
    });
  }

  private drawDoom(): void {
    const { plan, attempt, deps } = this;
    if (plan.fixed !== undefined) {
      const fixed = plan.fixed.find((f) => f.attempt === attempt.restartCount);
      if (fixed !== undefined) this.doom = deps.world.after(fixed.afterMs, () => this.fail(fixed.failure, fixed.node));
      return;
    }
    const lemons = attempt.nodes.filter(deps.isLemon).length;
    const afterMs = this.chance.exponential(plan.hardwareMtbfMs / (1 + 20 * lemons));
    const failure = this.chance.weighted(hardware.map((f) => [f, f.weight] as const));
    this.foretold.push(deps.foretell(afterMs));
    this.doom = deps.world.after(afterMs, () => this.fail(failure));
  }

  private fail(failure: Failure, named?: string): void {
    const { attempt, deps } = this;
    if (this.isOver || deps.failsNoMore()) return;
    if (this.suspendedAt !== undefined) {
      this.doom = deps.world.after(60_000, () => this.fail(failure, named)); // What does not run does not fail.
      return;
    }
    const node =
      (named !== undefined && attempt.nodes.includes(named) ? named : undefined) ??
      attempt.nodes.find(deps.isLemon) ??
      this.chance.pick(attempt.nodes);
    const index = attempt.nodes.indexOf(node);
    const rank = index * Math.max(1, attempt.gpusPerNode) + this.chance.int(0, Math.max(0, attempt.gpusPerNode - 1));
    const peer = this.chance.pick(attempt.nodes);
    const guilty: Guilty = { rank, node, peer };
    deps.tell(`${attempt.jobId}#${attempt.restartCount} ${failure.kind} on ${node} at step ${this.step}`, failure.kind);
    this.pace *= failure.slows ?? 1;
    if (failure.slows !== undefined) return;
    const lines = failure.lines?.(guilty) ?? [];
    this.write("root", lines);
    if (failure.kernel !== undefined) this.kernelSays(node, failure.kernel);
    if (failure.goesOn === true) return deps.onAlarm(attempt, node);
    deps.onFailed(attempt, failure.kind, node);
    this.next?.cancel();
    if (failure.node !== undefined) deps.nodeLost(node, failure.node);
    else if (failure.exit !== undefined) this.end(failure.exit, failure.endsAfterMs ?? 0);
  }
}

const crosses = (before: number, after: number, every: number) =>
  every > 0 && Math.floor(before / every) < Math.floor(after / every);

export function logPathOf({ output, workDir, jobId, recordId }: RunningAttempt): string {
  const [array = jobId, task = "0"] = jobId.split("_");
  const name = (output ?? "slurm-%j.out")
    .replaceAll("%j", String(recordId))
    .replaceAll("%A", array)
    .replaceAll("%a", task);
  return name.startsWith("/") ? name : `${workDir}/${name}`;
}

/** Draws what an author does to himself. */
export function drawOwn(chance: Lots, steps: number): NonNullable<TrainingPlan["own"]> {
  const failure = chance.weighted(own.map((f) => [f, f.weight] as const));
  return {
    failure,
    atStep: Math.round(steps * chance.spread(0.001, 0.5)),
    attempts: chance.yes(0.5) ? 1_000 : chance.int(1, 3),
  };
}
