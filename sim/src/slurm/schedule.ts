/**
 * schedule: one pass of slurmctld over the jobs that wait: who starts, and what the others are told.
 *
 * In the loop   an event (submit, end, release, a begin time) → **this** → start
 * Keeps         a held job is not looked at; its dependency is tested once a minute (`judgeHeld`). A job that could never run with what it
 *               asks is given priority 0 and BadConstraints, and stays so until its constraints are changed.
 * Source        slurm.md §2.1, §2.3, §2.4; docs/decisions/0040. Simpler than Slurm: every job that fits starts, whoever waits before it.
 */
import { compressHostlist } from "@reprise/core/fact/hostlist.ts";
import { freeNow, isUp, suitable, type Usage, usageOf, use } from "./capacity.ts";
import { splitCounterparts, testDependencies } from "./dependency.ts";
import type { Ledger, Partition } from "./ledger.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { hasAllocation, isActive, type JobRecord, wholeSecond } from "./record.ts";
import { splitOff, wholeOf } from "./tasks.ts";

export interface Schedule {
  /** A controller that starts has no pass in mind. */
  forget(): void;
  /** A pass will come, `schedDelayMs` from now. */
  request(): void;
  /** What waits for a job that has ended is judged now, and started or given up with the next pass. Undefined: with that pass, too. */
  judgeDependents(afterMs: number | undefined): void;
  /** A pass when this job's begin time has come, if it is to come; to be called whenever it was set. */
  atBegin(job: JobRecord): void;
}

export function createSchedule(ledger: Ledger, lifecycle: () => Lifecycle): Schedule {
  const { settings, timetable } = ledger;
  const everyMs = settings.purgeEverySeconds * 1000;
  let isRequested = false;
  let isMinuteAwaited = false;
  const awaitMinute = () => {
    if (isMinuteAwaited || ![...ledger.jobs.values()].some(isHeldDependent)) return;
    isMinuteAwaited = true;
    timetable.at(Math.floor(ledger.now() / everyMs + 1) * everyMs, "controller", () => {
      isMinuteAwaited = false;
      judgeHeld(ledger, lifecycle());
    });
  };
  const schedule: Schedule = {
    request() {
      if (isRequested) return;
      isRequested = true;
      timetable.at(ledger.now() + settings.schedDelayMs, "controller", () => {
        isRequested = false;
        pass(ledger, lifecycle());
        awaitMinute();
      });
    },
    judgeDependents(afterMs) {
      if (afterMs === undefined) return;
      timetable.at(ledger.now() + afterMs, "controller", () => {
        for (const job of ledger.jobs.values())
          if (job.base === "PENDING" && !job.completing && job.priority > 0) testDependencies(ledger, job);
      });
    },
    forget: () => void ([isRequested, isMinuteAwaited] = [false, false]),
    atBegin(job) {
      const { recordId, beginAt } = job;
      if (beginAt <= ledger.now()) return;
      timetable.at(beginAt, "controller", () => {
        const waiting = ledger.jobs.get(recordId);
        if (waiting?.beginAt !== beginAt) return;
        ledger.change(waiting); // Its StartTime is shown no more.
        schedule.request();
      });
    },
  };
  return schedule;
}

function pass(ledger: Ledger, lifecycle: Lifecycle): void {
  const usage = usageOf(ledger.jobs.values());
  const waiting = [...ledger.jobs.values()].filter(
    (job) => job.base === "PENDING" && !job.completing && job.priority > 0,
  );
  waiting.sort((a, b) => tierOf(ledger, b) - tierOf(ledger, a) || b.priority - a.priority || a.recordId - b.recordId);
  for (const job of waiting) {
    if (job.base !== "PENDING") continue; // Cancelled with its parent meanwhile.
    if (job.hetJobId === undefined)
      for (const task of splitCounterparts(ledger, job)) consider(ledger, lifecycle, usage, task);
    else if (job.hetJobId === job.recordId) considerTogether(ledger, lifecycle, usage, job);
  }
}

const isHeldDependent = ({ base, priority, dependency }: JobRecord) =>
  base === "PENDING" && priority === 0 && dependency.length > 0;

/**
 * When slurmctld purges old records it tests every dependency, also of what is held: what is fulfilled is dropped; and what has failed makes
 * of its owner's hold an administrator's.
 */
function judgeHeld(ledger: Ledger, lifecycle: Lifecycle): void {
  for (const job of [...ledger.jobs.values()].filter(isHeldDependent)) {
    if (testDependencies(ledger, job) !== "failed") continue;
    if (job.killOnInvalidDep) {
      because(ledger, job, "DependencyNeverSatisfied");
      lifecycle.cancel(job, "slurm");
    } else if (job.hold !== "constraints") {
      because(ledger, job, "JobHeldAdmin");
      ledger.change(job).hold = "admin";
    }
  }
}

const tierOf = (ledger: Ledger, job: JobRecord) =>
  Math.max(...partitionsOf(ledger, job).map((one) => one.priorityTier ?? 1), 0);

function partitionsOf(ledger: Ledger, job: JobRecord): Partition[] {
  return ledger.partitions.filter(({ name }) => job.partitionsAsked.includes(name));
}

function because(ledger: Ledger, job: JobRecord, reason: string): void {
  if (job.reason !== reason || job.description !== "") Object.assign(ledger.change(job), { reason, description: "" });
}

/** Whether anything but nodes is in its way; it is told what. */
function mayStart(ledger: Ledger, lifecycle: Lifecycle, job: JobRecord): boolean {
  const verdict = testDependencies(ledger, job);
  if (verdict === "failed") {
    if (job.reason !== "DependencyNeverSatisfied") ledger.tell("dependency-failed", "slurm", "", job);
    because(ledger, job, "DependencyNeverSatisfied");
    if (job.killOnInvalidDep) lifecycle.cancel(job, "slurm");
    return false;
  }
  if (verdict === "waiting") return (because(ledger, job, "Dependency"), false);
  if (job.beginAt > wholeSecond(ledger.now())) return (because(ledger, job, "BeginTime"), false);
  if (job.deadlineAt > 0 && ledger.now() + (job.timeLimitMs ?? 0) > job.deadlineAt) {
    lifecycle.giveUp(job);
    return false;
  }
  if (isOutOfLicenses(ledger, job)) return (because(ledger, job, "Licenses"), false);
  if (job.beginAt === 0) ledger.change(job).beginAt = wholeSecond(ledger.now());
  if (job.arrayRunningMax !== undefined) {
    const tasks = [...ledger.jobs.values()].filter((task) => task.arrayJobId === job.arrayJobId && hasAllocation(task));
    if (tasks.length >= job.arrayRunningMax) return (because(ledger, job, "JobArrayTaskLimit"), false);
  }
  return true;
}

function isOutOfLicenses({ settings, jobs }: Ledger, { license }: JobRecord): boolean {
  if (license === undefined) return false;
  const used = [...jobs.values()].filter((other) => other.license === license && isActive(other)).length;
  return used >= (settings.licenses[license] ?? 0);
}

type Place =
  | { readonly kind: "free"; readonly nodes: readonly string[]; readonly partition: string }
  | { readonly kind: "none"; readonly reason: string };

function placeOf(ledger: Ledger, job: JobRecord, usage: Usage): Place {
  const reasons: string[] = [];
  for (const partition of partitionsOf(ledger, job)) {
    for (const nodes of suitable(ledger, job, partition)) {
      const free = freeNow(nodes, job, usage);
      if (free !== undefined) return { kind: "free", nodes: free, partition: partition.name };
      const upCount = nodes.filter(isUp).length;
      if (job.nodeCount > partition.nodeNames.length) reasons.push("PartitionConfig");
      else if (nodes.length < job.nodeCount) reasons.push("BadConstraints");
      else if (upCount >= job.nodeCount && job.required.length === 0) reasons.push("Resources");
      else reasons.push(notAvailable(ledger, job, upCount));
    }
  }
  return { kind: "none", reason: reasons.find((reason) => reason !== "BadConstraints") ?? "BadConstraints" };
}

function notAvailable(ledger: Ledger, job: JobRecord, upCount: number): string {
  const down = job.required.filter((name) => {
    const node = ledger.nodes.get(name);
    return node === undefined || !isUp(node);
  });
  if (down.length > 0) return `ReqNodeNotAvail, UnavailableNodes:${compressHostlist(down)}`;
  if (upCount >= job.nodeCount) return "Resources";
  const unavailable = [...ledger.nodes.values()].filter((node) => !isUp(node)).map(({ name }) => name);
  return `ReqNodeNotAvail, UnavailableNodes:${compressHostlist(unavailable)}`;
}

function consider(ledger: Ledger, lifecycle: Lifecycle, usage: Usage, job: JobRecord): void {
  while (mayStart(ledger, lifecycle, job)) {
    const place = placeOf(ledger, job, usage);
    if (place.kind === "none") return refuse(ledger, lifecycle, job, place.reason);
    const task = splitOff(ledger, job, job.unsplit[0]);
    use(usage, task, place.nodes);
    lifecycle.start(task, place.nodes, place.partition);
    if (task === job) return;
  }
}

/** All components of a heterogeneous job start together, or none. */
function considerTogether(ledger: Ledger, lifecycle: Lifecycle, usage: Usage, leader: JobRecord): void {
  const parts = wholeOf(ledger, leader);
  for (const part of parts) {
    if (part.base !== "PENDING" || part.completing || part.priority === 0) return;
    if (!mayStart(ledger, lifecycle, part)) return;
  }
  // One that fits waits for one that does not: the time that it waited for has come.
  for (const part of parts) if (part.reason === "BeginTime") because(ledger, part, "None");
  const trial: Usage = new Map([...usage].map(([name, used]) => [name, { ...used }]));
  const places: { readonly part: JobRecord; readonly nodes: readonly string[]; readonly partition: string }[] = [];
  for (const part of parts) {
    const place = placeOf(ledger, part, trial);
    if (place.kind === "none") return refuse(ledger, lifecycle, part, place.reason);
    use(trial, part, place.nodes);
    places.push({ part, ...place });
  }
  for (const { part, nodes, partition } of places) {
    use(usage, part, nodes);
    lifecycle.start(part, nodes, partition);
  }
}

function refuse(ledger: Ledger, lifecycle: Lifecycle, job: JobRecord, reason: string): void {
  because(ledger, job, reason);
  if (reason === "BadConstraints") {
    ledger.change(job);
    [job.priority, job.hold] = [0, "constraints"];
    ledger.tell("held", "slurm", "BadConstraints", job);
  } else if (reason === "Resources") preempt(ledger, lifecycle, job);
}

/** Takes jobs of lower partitions off, the youngest first, until this one would fit; it starts when they have left. */
function preempt(ledger: Ledger, lifecycle: Lifecycle, job: JobRecord): void {
  if (!ledger.partitions.some(isPreempted)) return;
  const tier = tierOf(ledger, job);
  const partitionOf = (other: JobRecord) => ledger.partitions.find(({ name }) => name === other.partition);
  const victims = [...ledger.jobs.values()]
    .filter((other) => isActive(other) && isPreempted(partitionOf(other)))
    .filter((other) => (partitionOf(other)?.priorityTier ?? 1) < tier)
    .sort((a, b) => b.startAt - a.startAt || b.recordId - a.recordId);
  if (victims.length === 0) return;
  const leaving = [...ledger.jobs.values()].filter((other) => other.completing);
  const isEnough = (count: number) => {
    const gone = new Set([...leaving, ...victims.slice(0, count)]);
    const left = [...ledger.jobs.values()].filter((other) => !gone.has(other));
    return placeOf(ledger, job, usageOf(left)).kind === "free";
  };
  if (isEnough(0)) return; // They are on their way already.
  for (const victim of victims.slice(0, fewest(victims.length, isEnough))) {
    if (partitionOf(victim)?.preemptMode === "requeue" && victim.requeue && victim.batch)
      lifecycle.requeue(victim, "slurm", { holds: false });
    else lifecycle.end(victim, "PREEMPTED", "None", { signal: 15 });
  }
}

const isPreempted = (partition: Partition | undefined) => (partition?.preemptMode ?? "off") !== "off";

/** The more go, the more is free. @returns 0 when not even `most` are enough. */
function fewest(most: number, isEnough: (count: number) => boolean): number {
  if (!isEnough(most)) return 0;
  let [tooFew, enough] = [0, most];
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}
