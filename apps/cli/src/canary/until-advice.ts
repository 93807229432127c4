/**
 * until-advice: the first half of a canary: its job runs, fails on its line, is recognised, and a restart is advised.
 *
 * Pure, total
 */
import { instant } from "../render/time.ts";
import { desiredOf, statusOf, type WireAdvice, type WireStory } from "../wire.ts";
import { canaryCause } from "./canary-job.ts";
import type { Asked, CanarySeen } from "./judge.ts";
import { type Answer, fail, ok, waits } from "./step.ts";

export const attempt = ({ explain }: CanarySeen, index: number): WireStory | undefined =>
  explain?.attempts?.find(({ job }) => (job?.attemptIndex ?? 0) === index);

/** The newest about its first attempt. */
export const adviceOf = (seen: CanarySeen): WireAdvice | undefined => attempt(seen, 0)?.advice?.at(-1);
export const startOf = (story: WireStory | undefined) => story?.job?.schedulerMetadata?.slurm?.startTime;

export const untilAdvice: readonly Asked[] = [
  ["known", known],
  ["started", started],
  ["failed", failed],
  ["recognised", recognised],
  ["advised", advised],
];

function known(seen: CanarySeen): Answer {
  const story = attempt(seen, 0);
  const doctor = "Is SAC running, on this cluster, and does the server answer it? `reprise doctor` on SAC's host says.";
  if (seen.slurm === undefined && seen.slurmSays !== undefined)
    return waits(`Slurm does not show the job: ${seen.slurmSays}`, "`scontrol -o show job` must work on this host.");
  if (story === undefined)
    return waits(seen.serverSays ?? `the server has not heard of job ${seen.jobId}: nobody published it`, doctor);
  if (story.covered === true) return ok("the server knows the job, and it is covered", instant(story.job?.createdAt));
  const why = story.notCoveredBecause;
  return why === undefined || why === ""
    ? waits("the server knows the job, and has not read its comment yet", doctor)
    : fail(
        `the job is not covered: ${why}`,
        "What is asked for by `environment` and by the site's policy must admit it.",
      );
}

function started(seen: CanarySeen): Answer {
  const { slurm, partition } = seen;
  const story = attempt(seen, 0);
  const startedAt = startOf(story);
  if (startedAt !== undefined) return ok(`Slurm runs it on ${story?.job?.nodes?.join(",") ?? "?"}`, startedAt);
  if (slurm?.state === "PENDING")
    return waits(
      `Slurm has not started it in partition ${partition} (${slurm.reason})`,
      "The partition is busy or closed; --limit waits longer. This says nothing about recovery.",
    );
  return slurm?.state === "CANCELLED"
    ? fail("somebody cancelled it", "Run the canary again.")
    : waits(
        `Slurm shows ${slurm?.state ?? "nothing"}, and the server no start`,
        "Does SAC reach slurmctld? Its log says.",
      );
}

function failed(seen: CanarySeen): Answer {
  const state = statusOf(attempt(seen, 0)?.job);
  if (seen.slurm?.state === "CANCELLED") return fail("somebody cancelled it", "Run the canary again.");
  if (state === "RUNNING" || state === "PENDING")
    return waits(`the server shows attempt 0 as ${state}`, "Does SAC reach slurmctld? Its log says.");
  return state === "COMPLETED" || state === "CANCELLED"
    ? fail(`attempt 0 is ${state}`, `It should have failed. What it printed: ${seen.output}`)
    : ok(`attempt 0 has failed, as it should`, instant(attempt(seen, 0)?.job?.lastSeen));
}

function recognised(seen: CanarySeen): Answer {
  const story = attempt(seen, 0);
  const signal = story?.signals?.find(({ cause }) => cause === canaryCause);
  if (signal !== undefined) return ok(`the watcher has read “${signal.evidence?.line ?? ""}”`, instant(signal.at));
  const unread = story?.unreadLogs?.[0];
  const says =
    unread === undefined ? "no watcher has told of its line" : `${unread.path ?? "its log"}: ${unread.why ?? ""}`;
  const todo = `The watcher must be able to read ${seen.output}: is it on a file system that the watcher's host has? --folder chooses another one.`;
  // Decided by Slurm's state alone: whatever is read later comes too late.
  return (story?.advice?.length ?? 0) > 0
    ? fail(`${says}; the failure counts as unexplained`, todo)
    : waits(says, todo);
}

function advised(seen: CanarySeen): Answer {
  const story = attempt(seen, 0);
  const advice = adviceOf(seen);
  const because = story?.decision?.sentence ?? story?.decision?.because ?? "no decision yet";
  const explain = `\`reprise explain ${seen.jobId}\` shows every rule that was asked.`;
  if (advice === undefined) return waits(`no Advice: ${because}`, explain);
  const desired = desiredOf(advice);
  if (desired !== "RESTARTED") return fail(`${desired}, because ${advice.because ?? "?"}`, explain);
  const without = advice.nodeConstraints?.exclusions ?? [];
  const words = without.length === 0 ? "" : ` without ${without.join(",")}`;
  return ok(`RESTARTED${words}, because ${advice.because ?? "?"}`, instant(story?.advice?.[0]?.createdAt));
}
