/**
 * launch-rule: Slurm could not launch the job on a node (its prolog failed), has drained that node, and holds the job.
 *
 * In the loop   Situation → **this rule of decide** → Decision
 * Takes         an attempt that is pending; Slurm counted one more when it put it back, so this one has never started.
 * Pure, total
 * Keeps         invariant 10: at most `limits.launchReleasesMax` holds of this kind are lifted a job; the one that Slurm lays at its own
 *               limit (MaxBatchRequeue) never is.
 * Source        design §6; slurm.md §2.4; cases E01–E03.
 */
import { launchFailed, launchHoldIn } from "../fact/launch-hold.ts";
import { limits } from "../limits.ts";
import type { Instant, Policy } from "../nouns.ts";
import type { EarlierFacts, Situation } from "../situation/situation.ts";
import { allowed, type Answer, none, withRoom } from "./answer.ts";
import type { Cause } from "./cause.ts";
import { exclusionsOf } from "./exclusion.ts";

export function afterLaunch(s: Situation, policy: Policy, now: Instant): Answer {
  if (s.scheduler.kind !== "seen" || s.scheduler.value !== "pending") return "it is not pending";
  const hold = launchHoldIn(s.attempt);
  if (hold === undefined) return "Slurm does not hold it for a failed launch";
  if (hold === "limit")
    return none(
      "launch-limit",
      "Slurm holds the job: its launches failed as often as the site allows. It stays held for a person to look at.",
    );
  const times = s.earlier.filter((e) => e.attempt.jobId === s.attempt.jobId && wasLetGo(e)).length;
  if (times >= limits.launchReleasesMax)
    return none(
      "launch-failed-again",
      `Slurm holds the job after another failed launch. It was let go ${times} times already, and stays held for a person to look at.`,
    );
  const host = failedHost(s);
  const cause = causeOf(s, host, now);
  const exclusions = exclusionsOf(s, cause, policy, now);
  const { keep } = exclusions;
  const without = host === undefined ? "; Slurm has drained the node itself" : ` on ${host}`;
  const away = keep.length === 0 ? "" : `, without ${keep.map(({ node }) => node).join(", ")}`;
  return {
    kind: "advise",
    desired: "RELEASED",
    because: launchFailed,
    sentence: `Released${away}: Slurm held the job because it could not be launched${without}.${allowed(exclusions)}`,
    evidence: cause.evidence,
    rules: [],
    budgets: [],
    ...withRoom(exclusions),
    issues: [],
    startDelayMs: 0,
    charged: false,
    rootKey: launchFailed,
    expiresAt: now + limits.adviceLifeMs,
  };
}

/**
 * There is a later attempt, so somebody did. Whether that was SAC is not asked: its reports come late, and Advice that waits in observe
 * mode is carried out when the mode changes.
 */
const wasLetGo = ({ launchReleaseAdvised }: EarlierFacts): boolean => launchReleaseAdvised === true;

/** Of the nodes that the attempt before was given, the one that is drained since; else the first, on which Slurm launches. */
export function failedHost({ earlier, nodes, attempt }: Situation): string | undefined {
  const before = earlier.at(-1)?.attempt;
  if (before === undefined || before.attemptIndex !== attempt.attemptIndex - 1) return undefined;
  const drained = before.nodes.filter((name) => nodes.some((node) => node.name === name && !node.isEligible));
  return drained.length === 1 ? drained[0] : before.nodes[0];
}

function causeOf({ attempt }: Situation, host: string | undefined, now: Instant): Cause {
  return {
    causeClass: "scheduler",
    domain: "scheduler",
    name: launchFailed,
    kind: "exit",
    nodes: host === undefined ? [] : [host],
    evidence: [{ source: "slurm", line: "launch failed requeued held", at: attempt.lastSeenAt }],
    detectedAt: now,
    rootKey: launchFailed,
  };
}
