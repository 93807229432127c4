/**
 * after-advice: the second half of a canary: what SAC does to its job, as reported and as Slurm itself shows it.
 *
 * Pure, total
 * Keeps   what observe mode says is told, never counted as done; a gate that is shut for another reason than observe mode is a failure.
 */
import { instant } from "../render/time.ts";
import { dispositionOf, reasonOf, statusOf, type WireStep } from "../wire.ts";
import type { Asked, CanarySeen } from "./judge.ts";
import { type Answer, fail, ok, waits } from "./step.ts";
import { adviceOf, attempt, startOf } from "./until-advice.ts";

export const afterAdvice: readonly Asked[] = [
  ["requeued, held", requeued],
  ["constrained", constrained],
  ["released", released],
  ["started again", startedAgain],
  ["completed", completed],
  ["confirmed", confirmed],
  ["restarted once", restartedOnce],
];

function stepOf(seen: CanarySeen, action: string): WireStep | undefined {
  const all = attempt(seen, 0)?.steps?.filter((step) => step.action === action) ?? [];
  return all.find(({ outcome }) => outcome === "done") ?? all.at(-1);
}

/** A step of SAC, or what keeps it from coming. */
function done(seen: CanarySeen, action: string, says: string): Answer {
  const step = stepOf(seen, action);
  if (step?.outcome === "done") return ok(says, instant(step.endedAt));
  const advice = adviceOf(seen);
  const [reason, message] = [reasonOf(advice), advice?.reconciliationStatus?.message ?? ""];
  const explain = `\`reprise explain ${seen.jobId}\` shows every step and its outcome.`;
  if (dispositionOf(advice) === "ABANDONED") return fail(`SAC gave it up: ${reason}: ${message}`, explain);
  if (reason === "OBSERVE_MODE")
    return message.startsWith("observe mode")
      ? { is: "would", says: message }
      : fail(
          `SAC may not: ${message}`,
          "Set what it names (`partitions`, the watchdog, the lease), or remove the kill switch.",
        );
  const tried = step === undefined ? "SAC has not begun it" : `${step.outcome ?? "begun"} ${step.detail ?? ""}`.trim();
  return waits(tried, `SAC's log says what it waits for. ${explain}`);
}

function requeued(seen: CanarySeen): Answer {
  return done(seen, "requeue-hold", "SAC has requeued it, held");
}

function constrained(seen: CanarySeen): Answer {
  const wanted = adviceOf(seen)?.nodeConstraints?.exclusions ?? [];
  if (wanted.length === 0) {
    const why = attempt(seen, 0)?.advised?.nodes ?? attempt(seen, 0)?.decision?.nodes;
    const words = why?.find(({ excluded }) => excluded !== true)?.why ?? "the Advice names no node";
    return ok(`nothing to keep away from: ${words}`);
  }
  const answer = done(seen, "update-constraints", `its next attempt keeps away from ${wanted.join(",")}`);
  const missing = wanted.filter((node) => !(seen.slurm?.excluded ?? []).includes(node));
  return answer.is === "ok" && missing.length > 0
    ? waits(
        `Slurm does not show that it keeps away from ${missing.join(",")}`,
        "`scontrol show job` shows its ExcNodeList.",
      )
    : answer;
}

function released(seen: CanarySeen): Answer {
  const byWatchdog = stepOf(seen, "watchdog-release");
  return byWatchdog?.outcome === "done"
    ? fail("the watchdog had to release it: SAC did not", "SAC's log says what kept it; fail-open works.")
    : done(seen, "release", "SAC has let it go");
}

function startedAgain(seen: CanarySeen): Answer {
  const next = attempt(seen, 1);
  const nodes = next?.job?.nodes ?? [];
  const startedAt = startOf(next);
  if (startedAt === undefined || nodes.length === 0)
    return waits(
      `Slurm has not started it again (${seen.slurm?.reason ?? "?"})`,
      "Slurm delays a requeued job by cred_expire (two minutes by default) where SAC may not skip that; or the partition is busy. --limit waits longer.",
    );
  const avoided = adviceOf(seen)?.nodeConstraints?.exclusions ?? [];
  const again = nodes.filter((node) => avoided.includes(node));
  return again.length > 0
    ? fail(
        `it runs on ${again.join(",")} again, which it should keep away from`,
        "Its ExcNodeList was changed, or lost by slurmctld.",
      )
    : ok(`Slurm runs it on ${nodes.join(",")}`, startedAt);
}

function completed(seen: CanarySeen): Answer {
  const state = statusOf(attempt(seen, 1)?.job);
  if (state === "COMPLETED" && seen.slurm?.state === "COMPLETED")
    return ok("attempt 1 has completed", instant(attempt(seen, 1)?.job?.lastSeen));
  return ["", "PENDING", "RUNNING", "COMPLETED"].includes(state)
    ? waits(`attempt 1 is ${state === "" ? "not known" : state}`, "It runs for seconds only; --limit waits longer.")
    : fail(`attempt 1 is ${state}`, `What it printed: ${seen.output}`);
}

function confirmed(seen: CanarySeen): Answer {
  const advice = adviceOf(seen);
  const { message = "", observedAt } = advice?.reconciliationStatus ?? {};
  if (dispositionOf(advice) === "CONVERGED") return ok(`a second look agrees: ${message}`, instant(observedAt));
  return dispositionOf(advice) === "ABANDONED"
    ? fail(`SAC gave it up: ${reasonOf(advice)}: ${message}`, `\`reprise explain ${seen.jobId}\` shows why.`)
    : waits("no second look has confirmed it", "SAC's log says whether it reaches Slurm and the server.");
}

function restartedOnce({ slurm, jobId }: CanarySeen): Answer {
  return slurm?.restarts === 1
    ? ok("Slurm counts one restart")
    : fail(
        `Slurm counts ${slurm?.restarts ?? "no"} restarts`,
        `Somebody else requeued it, or we did so twice: \`reprise explain ${jobId}\`.`,
      );
}
