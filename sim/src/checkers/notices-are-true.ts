/**
 * Who is to be told by webhook is told once, of all that needs him, and of nothing that is well.
 *
 * Excuses   a second arrival after something that leaves a server in doubt whether the first was taken: a lost answer, a database that
 *           failed, its own death. At the end, what is a restart in observe mode only, or is not settled.
 */
import type { Notice } from "@reprise/server/manager/notice/notice.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { Checker, Judge } from "./checker.ts";
import { isOurs } from "./chronicle.ts";

/** After its end: Slurm settles, a notice has lasted a minute, and a call that failed is made again. */
const toldWithinMs = 15 * 60_000;

/** A notice is on its way for so long at most. */
const onItsWayMs = 60_000;

/** By Slurm's own word: nobody wanted them to end so. */
const failures = /^(FAILED|NODE_FAIL|OUT_OF_MEMORY|BOOT_FAIL|TIMEOUT)/;

const arrivals = new WeakMap<Judge, Map<string, Notice>>();

export const noticesAreTrue: Checker = {
  name: "notices-are-true",
  watch(judge) {
    const { world, chronicle, holds } = judge;
    const arrived = new Map<string, Notice>();
    arrivals.set(judge, arrived);
    /** Notices that may be sent again. */
    let doubted = new Set<string>();
    const released = new Set<string>();
    let diedAt = Number.NEGATIVE_INFINITY;
    const doubtAll = () => void (doubted = new Set(arrived.keys()));
    return {
      fault: (kind) => void ((kind.startsWith("webhook") || kind.startsWith("database")) && doubtAll()),
      died(role) {
        if (role !== "server") return;
        doubtAll();
        diedAt = world.clock.now();
      },
      slurm: (event) => void (isOurs(event) && event.kind === "released" && released.add(event.jobId ?? "")),
      told(notice) {
        const { key, kind, jobId = "", attemptIndex = 0 } = notice;
        const what = subjectOf(notice);
        holds(!arrived.has(what) || doubted.delete(what), () => `${key} is told twice, and nothing was in doubt`);
        arrived.set(what, notice);
        if (world.clock.now() - diedAt < onItsWayMs) doubted.add(what); // Whoever sent it may be dead.
        if (kind === "hold-released")
          holds(released.has(jobId), () => `${key}: job ${jobId} was never released by the watchdog`);
        if (kind !== "recovery-stopped") return;
        const own = chronicle.lifeOf(jobId).filter(({ restartCount }) => restartCount === attemptIndex);
        const isCompleted = own.some((e) => e.kind === "ended" && e.detail.startsWith("COMPLETED"));
        holds(!isCompleted, () => `${jobId}#${attemptIndex} is told to be stopped, and has completed`);
        // A job that never ran, or was cancelled while it waited, has no other end.
        const hasRun = own.some((e) => e.kind === "started");
        const isOver = chronicle.everEnded(jobId, attemptIndex) || own.some((e) => e.kind === "cancelled");
        holds(!hasRun || isOver, () => `${jobId}#${attemptIndex} is told to be stopped, and runs`);
      },
    };
  },
  async atEnd(judge) {
    const { world, chronicle, holds } = judge;
    if (world.spec.reprise.tells !== true || !world.isHealed) return;
    await world.run(toldWithinMs);
    const arrived = arrivals.get(judge) ?? new Map<string, Notice>();
    for (const { type, id } of world.memory.audit())
      if (type === "watchdog.released")
        holds(arrived.has(`hold-released/${id}`), () => `audit event ${id}: a release that nobody was told of`);
    for (const jobId of chronicle.jobIds()) {
      const last = chronicle.lifeOf(jobId).findLast(isOfItsRun);
      if (last === undefined || chronicle.reissued(jobId) || !(await isToBeTold(judge, last))) continue;
      const uuid = world.uuidOf(jobId, last.restartCount ?? 0);
      holds(
        arrived.has(stopOf(uuid)),
        () => `${jobId}#${last.restartCount} ended ${last.detail}, nobody brings it back, and nobody was told`,
      );
    }
  },
};

/** What may be told once, whatever key it has: a stop of an attempt. */
const subjectOf = ({ key, kind, heimdallJobId = "" }: Notice): string =>
  kind === "recovery-stopped" ? stopOf(heimdallJobId) : key;

const stopOf = (heimdallJobId: string): string => `recovery-stopped/${heimdallJobId}`;

const isOfItsRun = ({ kind, ledBy }: SlurmEvent) =>
  ledBy === undefined && ["submitted", "started", "requeued", "ended", "cancelled"].includes(kind);

/** It has failed, long ago, under our eyes, and nothing is under way. */
async function isToBeTold({ world }: Judge, last: SlurmEvent): Promise<boolean> {
  const { jobId = "", restartCount = 0, kind, detail, at } = last;
  if (kind !== "ended" || !failures.test(detail) || world.clock.now() - at < toldWithinMs) return false;
  const uuid = world.uuidOf(jobId, restartCount);
  const job = await world.memory.getJobByUuid(uuid);
  // Slurm had forgotten it before anybody looked: that it has gone is known, and not that it failed.
  if (job?.endedAt === undefined || job.status === "DELETED" || job.coverage.kind !== "covered") return false;
  // Its restart was seen, and forgotten in a crash; it had gone when somebody looked again: nobody knows that it is down.
  const next = await world.memory.getJobByUuid(world.uuidOf(jobId, restartCount + 1));
  if (job.jmState === "REQUEUED" && next?.status === "DELETED") return false;
  // The server's clock was set back: by it the job had ended before anybody was to be told.
  if (job.endedAt < world.spec.begunAt) return false;
  const advice = await world.memory.getAdvice(uuid);
  return advice === undefined || advice.desired !== "RESTARTED" || advice.status.disposition === "ABANDONED";
}
