/**
 * decide: what should happen next to one attempt of one job.
 *
 * In the loop   facts → fold → Situation → **decide** → Decision → Advice
 * Takes         a Situation, the coverage of the attempt (its policy), and now.
 * Gives         a Decision; `none` always says why, so that silence can be audited too. Every rule's answer is in it.
 * Pure, total   no clock, no I/O, no throw. Same arguments, same decision.
 * Keeps         no memory. It may say the same twice; the store keeps one Advice per attempt and generation.
 * Source        design §6: the order of `rules` *is* the policy; the first that answers wins.
 */
import { slurmFactsOf } from "../fact/slurm-facts.ts";
import { byGates } from "../dag/gate-rule.ts";
import { limits } from "../limits.ts";
import type { Coverage, Instant, Policy } from "../nouns.ts";
import type { Situation } from "../situation/situation.ts";
import { type Answer, none, restart, terminate } from "./answer.ts";
import { asWatched, slowness } from "./as-watched.ts";
import { causeClasses } from "./cause-class.ts";
import { type Cause, causeOf, summaryOf } from "./cause.ts";
import type { Decision, RuleAnswer } from "./decision.ts";
import { graceOf } from "./grace.ts";
import { afterLaunch } from "./launch-rule.ts";
import { forbiddenByPeople, orderedByPeople } from "./by-people.ts";

interface Rule {
  readonly name: string;
  readonly answer: (s: Situation, policy: Policy, now: Instant) => Answer;
}

const rules: readonly Rule[] = [
  { name: "off", answer: off },
  { name: "scheduler-unseen", answer: schedulerUnseen },
  { name: "overtaken", answer: overtaken },
  { name: "cancelled", answer: cancelled },
  { name: "override", answer: forbiddenByPeople },
  { name: "completed", answer: completed },
  { name: "gates", answer: byGates },
  { name: "launch", answer: afterLaunch },
  { name: "pending", answer: pending },
  { name: "override-restart", answer: orderedByPeople },
  { name: "requeued-by-others", answer: requeuedByOthers },
  { name: "never-retry", answer: neverRetry },
  { name: "ending", answer: ending },
  { name: "grace", answer: grace },
  { name: "reading-log", answer: readingLog },
  { name: "cause", answer: byCause },
];

export function decide(s: Situation, coverage: Coverage, now: Instant): Decision {
  if (coverage.kind === "not-covered") {
    const answered: RuleAnswer = { rule: "not-covered", answered: true, why: coverage.because };
    return { ...none("not-covered", coverage.because), rules: [answered] };
  }
  const asked: RuleAnswer[] = [{ rule: "not-covered", answered: false, why: "the author opted in" }];
  const watched = asWatched(s, coverage.policy);
  for (const rule of rules) {
    const answer = rule.answer(watched, coverage.policy, now);
    if (typeof answer === "string") {
      asked.push({ rule: rule.name, answered: false, why: answer });
      continue;
    }
    asked.push({ rule: rule.name, answered: true, why: answer.sentence });
    return { ...answer, rules: [...asked, ...answer.rules] };
  }
  const why = "Nothing is wrong: no root line in the log, and the attempt has not failed.";
  return { ...none("healthy", why), rules: [...asked, { rule: "healthy", answered: true, why }] };
}

function off(_s: Situation, policy: Policy): Answer {
  if (policy.autoResumeMode === "off")
    return none("off", 'The author set auto_resume_mode to "off".', { withdraw: true });
  return `auto_resume_mode is ${policy.autoResumeMode}`;
}

function schedulerUnseen(s: Situation, _policy: Policy, now: Instant): Answer {
  const reconsiderAt = now + limits.settleMs;
  if (s.scheduler.kind === "unavailable") {
    return none(
      "scheduler-unseen",
      `Slurm cannot be read (${s.scheduler.why}), so nothing is known about the job now.`,
      { reconsiderAt },
    );
  }
  if (s.scheduler.kind === "absent") return none("not-in-scheduler", "Slurm no longer knows this job.");
  if (s.scheduler.value === "unrecognised") {
    return none("scheduler-unseen", `Slurm shows a state that Reprise does not know (${s.attempt.jmState}).`);
  }
  return `Slurm shows the attempt as ${s.scheduler.value}`;
}

function overtaken(s: Situation): Answer {
  if (s.successor === "started")
    return none(
      "overtaken",
      "The next attempt has already started; what is learnt about this one is kept as evidence.",
    );
  return s.successor === "pending" ? "the next attempt has not started yet" : "there is no later attempt";
}

function cancelled(s: Situation, policy: Policy): Answer {
  if (phase(s) !== "cancelled") return "nobody cancelled it";
  const isForChain = policy.autoResumeMode === "singleton_dependency" && s.advice?.desired === "RESTARTED";
  if (isForChain && s.cancelledByUs === true)
    return none("ended-for-its-chain", "Recovery has ended it, so that the next job of its chain can run.");
  return none("cancelled", `The job was ended on purpose (${s.attempt.jmState}); it is never restarted.`, {
    withdraw: true,
  });
}

function completed(s: Situation, policy: Policy, now: Instant): Answer {
  const over = phase(s) === "completed" || (phase(s) === "failed" && s.finished !== undefined);
  if (!over) return "it has not completed";
  if (policy.requeueOnCompletion && phase(s) === "completed") return onCompletion(s, policy, now);
  if (phase(s) === "completed") return none("completed", "The job completed.", { withdraw: true });
  const sentence = "Training had finished before the teardown failed; nothing is left to recover.";
  return {
    ...none("teardown", sentence, { withdraw: true }),
    evidence: s.finished === undefined ? [] : [s.finished.evidence],
  };
}

/** `requeue_on_completion`: a time-sliced run comes back after a clean exit, within the same budget. */
function onCompletion(s: Situation, policy: Policy, now: Instant): Answer {
  const at = s.attempt.endedAt ?? s.attempt.lastSeenAt;
  const cause: Cause = {
    causeClass: "scheduler",
    domain: "scheduler",
    name: "completed",
    kind: "exit",
    nodes: [],
    evidence: [{ source: "slurm", line: "COMPLETED", at }],
    detectedAt: at,
    rootKey: "completed",
  };
  return restart(s, cause, policy, now, "the job completed and requeue_on_completion asks for another run");
}

function pending(s: Situation): Answer {
  if (phase(s) !== "pending") return "it is not pending";
  const isForgotten = s.advice?.desired === "RESTARTED";
  const why = isForgotten ? " Slurm's controller has forgotten its start: nothing is left to restart." : "";
  return none("pending", `The attempt has not started.${why}`, { withdraw: true });
}

/** Slurm (node lost, preemption, RequeueExit) or a person restarted it: no second restart; but a node may be worth avoiding. */
function requeuedByOthers(s: Situation): Answer {
  if (phase(s) !== "requeued") return "nobody requeued it";
  if (s.advice?.desired === "RESTARTED") return "our own Advice asked for the requeue";
  if (
    s.root !== undefined &&
    causeClasses[s.root.causeClass ?? "unexplained"].exclude === "named" &&
    s.root.nodes.length > 0
  ) {
    return "it was requeued by others, and the log names a node to keep away from";
  }
  return none("requeued-by-others", "Slurm or a person has already restarted this job; there is nothing to add.");
}

function neverRetry(s: Situation, policy: Policy, now: Instant): Answer {
  const { exitCode } = slurmFactsOf(s.attempt);
  if (policy.enableNvrx && exitCode === 93 && phase(s) === "failed") {
    const cause = causeOf(s);
    if (cause === undefined) return "no cause";
    return terminate(
      { ...cause, causeClass: "never-retry" },
      policy,
      now,
      "nvrx-exit-93",
      "NVRx ended with exit code 93, which means: do not restart.",
    );
  }
  return policy.enableNvrx ? "the exit code is not NVRx's 93" : "the job does not run under NVRx";
}

function ending(s: Situation, _policy: Policy, now: Instant): Answer {
  if (phase(s) !== "ending") return "it is not completing";
  return none("ending", "The attempt is completing; its final state is still hidden.", {
    reconsiderAt: now + limits.settleMs,
  });
}

/** A running attempt is touched only for an error line, and only after a silence that fits how final the line is. */
function grace(s: Situation, policy: Policy, now: Instant): Answer {
  if (phase(s) !== "running") return "the attempt is over; it needs no grace";
  const state = graceOf(s, policy, now);
  if (state.kind === "passed") return state.why;
  // Advice that was given in a silence does not outlive it: a program that goes on is healthy.
  if (state.kind === "none") return slowness(s, policy) ?? none("healthy", state.why, { withdraw: true });
  return {
    ...none("grace", state.why, { reconsiderAt: state.until, withdraw: true }),
    evidence: [state.root.evidence],
  };
}

/** An ended attempt whose log names no root yet: its last lines may still be on their way. */
function readingLog(s: Situation, _policy: Policy, now: Instant): Answer {
  if (s.root !== undefined) return "the log names a root";
  if (phase(s) !== "failed") return "it has not failed";
  if (s.progress.logEndedAt !== undefined) return "its log was read to the end";
  const until = (s.attempt.endedAt ?? s.attempt.lastSeenAt) + limits.logEndWaitMs;
  if (now >= until) return `its log was not read to the end within ${limits.logEndWaitMs / 1000} s`;
  return none("reading-log", "The attempt has failed; the last lines of its log are being read.", {
    reconsiderAt: until,
  });
}

function byCause(s: Situation, policy: Policy, now: Instant): Answer {
  if (phase(s) === "running" && s.root === undefined) return "it runs, and no root line stands";
  const cause = causeOf(s);
  if (cause === undefined) return "there is no cause: no root line, no failed state";
  const rule = causeClasses[cause.causeClass];
  const because = `${rule.words}: ${summaryOf(cause)}`;
  if (rule.restart === "leave") return none(cause.causeClass, `Nothing follows from ${because}`);
  if (rule.restart === "never")
    return terminate(cause, policy, now, cause.causeClass, `Not restarted because of ${because}`);
  return restart(s, cause, policy, now, because);
}

const phase = (s: Situation) => (s.scheduler.kind === "seen" ? s.scheduler.value : undefined);
