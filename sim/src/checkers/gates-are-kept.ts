/**
 * No gate opens early: a job that waits for others is let go only when each of them has come as far as its author asked, for good; and
 * one whose gate can never open is ended, where its author wants that, and in no other case.
 *
 * Method  judged when the Advice is recorded, from Slurm's own history and from what became of each restart: what a parent does after
 *         that is another story.
 * Excuses an ID that slurmctld has given out again: whose it was before, and that it had started, is in no history any more.
 */
import type { Advice } from "@reprise/core/nouns.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import type { Checker, Judge } from "./checker.ts";
import { isOurs } from "./chronicle.ts";
import { policyOf } from "./never-more-than-max-requeue-times.ts";

interface Dependency {
  readonly job_id?: string;
  readonly job_name?: string;
  readonly trigger?: string;
}

export const gatesAreKept: Checker = {
  name: "gates-are-kept",
  watch(judge) {
    const { world, holds } = judge;
    /** Of each attempt: the last that was recorded or reported of its Advice. */
    const restarts = new Map<string, Advice["status"]["disposition"]>();
    return {
      status: ({ heimdallJobId, desired, status }) =>
        void (desired === "RESTARTED" && restarts.set(heimdallJobId, status.disposition)),
      decided(id, decision, { kind }) {
        if (kind !== "recorded") return;
        if (decision.kind === "none") return void restarts.delete(id);
        if (decision.desired === "RESTARTED") restarts.set(id, "PENDING");
        const [jobId = "", attempt] = world.nameOf(id).split("#");
        if (!decision.because.startsWith("dag-")) return;
        if (attempt === undefined) return; // Of a later incarnation: its name is another.
        holds(attempt === "0", () => `${world.nameOf(id)}: its gates were asked, and it has started before`);
        const has = (judged: typeof hasCome, dependency: Dependency) => {
          const { trigger = "on_success" } = dependency;
          const parents = parentsOf(judge, jobId, dependency);
          const isSo = (parent: string) => judge.chronicle.reissued(parent) || judged(judge, parent, trigger, restarts);
          // Of an array each task must have come, and one that cannot is enough; it has failed when one has, and all have ended.
          const takesAll = (judged === hasCome) !== (trigger === "on_failure");
          const isArray = parents.every((parent) => parent.startsWith(`${dependency.job_id}_`)) && parents.length > 0;
          return isArray && takesAll ? parents.every(isSo) : parents.some(isSo);
        };
        const dependencies = dependenciesOf(judge, jobId);
        if (decision.desired === "RELEASED") {
          const early = dependencies.find((dependency) => !has(hasCome, dependency));
          holds(early === undefined, () => `${jobId} is let go, and ${JSON.stringify(early)} has not come`);
        }
        if (decision.desired === "TERMINATED") {
          const { dag_action: action = "terminate_dependents" } = wordsOf(judge, jobId);
          holds(action === "terminate_dependents", () => `${jobId} is ended by its gates; its author wants ${action}`);
          holds(
            dependencies.some((dependency) => has(cannotCome, dependency)),
            () => `${jobId} is ended by its gates, and each of ${JSON.stringify(dependencies)} may still come`,
          );
        }
      },
    };
  },
};

const wordsOf = ({ world }: Judge, jobId: string) =>
  policyOf(world.specOf(jobId)?.comment) as {
    readonly dag_dependencies?: readonly Dependency[];
    readonly dag_action?: string;
  };
const dependenciesOf = (judge: Judge, jobId: string) => wordsOf(judge, jobId).dag_dependencies ?? [];

/** Any job that the words may mean: which of several it is, is for the tables of `core/dag`. */
function parentsOf({ world, chronicle }: Judge, child: string, { job_id: id, job_name: name }: Dependency): string[] {
  const mayHaveName = (jobId: string, wanted = "") => world.specOf(jobId)?.name === wanted || chronicle.reissued(jobId);
  return chronicle
    .jobIds()
    .filter((jobId) => jobId !== child && (id === undefined ? mayHaveName(jobId, name) : isNamed(jobId, id)));
}

/** An array's ID means its tasks. */
const isNamed = (jobId: string, id: string) => jobId === id || jobId.startsWith(`${id}_`);

type Restarts = ReadonlyMap<string, string>;

const endsOf = ({ world }: Judge, jobId: string) =>
  world.slurm.history().filter((e) => e.jobId === jobId && (e.kind === "ended" || e.kind === "cancelled"));
const hasStarted = ({ world }: Judge, jobId: string) =>
  world.slurm.history().some((e) => e.jobId === jobId && e.kind === "started");
const isSuccess = (e: SlurmEvent) => e.kind === "ended" && e.detail.includes("COMPLETED");

function hasCome(judge: Judge, jobId: string, trigger: string, restarts: Restarts): boolean {
  const ends = endsOf(judge, jobId);
  switch (trigger) {
    case "on_start":
      return hasStarted(judge, jobId);
    case "on_success":
      return ends.some(isSuccess);
    case "on_failure":
      return ends.some((e) => !isSuccess(e)) && isForGood(judge, jobId, restarts);
    default:
      return ends.length > 0 && isForGood(judge, jobId, restarts);
  }
}

function cannotCome(judge: Judge, jobId: string, trigger: string, restarts: Restarts): boolean {
  const isGivenUp = judge.chronicle.advice.get(uuidOfLast(judge, jobId))?.at(-1)?.advise?.desired === "TERMINATED";
  const ends = endsOf(judge, jobId);
  switch (trigger) {
    case "on_success":
      return isGivenUp || (ends.some((e) => !isSuccess(e)) && isForGood(judge, jobId, restarts));
    case "on_failure":
      return ends.some(isSuccess);
    case "on_start":
      return isGivenUp || (ends.length > 0 && !hasStarted(judge, jobId));
    default:
      return false;
  }
}

function uuidOfLast({ world, chronicle }: Judge, jobId: string): string {
  const last = chronicle.lifeOf(jobId).findLast((e) => e.restartCount !== undefined)?.restartCount ?? 0;
  return world.uuidOf(jobId, last);
}

/** Nobody is restarting what failed: no Advice to do so is open, and we have not just done it. What was cancelled is never restarted. */
function isForGood(judge: Judge, jobId: string, restarts: Restarts): boolean {
  const life = judge.chronicle.lifeOf(jobId);
  const requeue = life.findLastIndex((e) => e.kind === "requeued");
  const hasEndedSince = life.slice(requeue + 1).some((e) => e.kind === "ended" || e.kind === "cancelled");
  if (requeue >= 0 && isOurs(life[requeue]!) && !hasEndedSince) return false;
  if (life.findLast((e) => e.kind === "ended")?.detail.includes("CANCELLED") === true) return true;
  const disposition = restarts.get(uuidOfLast(judge, jobId));
  return disposition === undefined || disposition === "ABANDONED";
}
