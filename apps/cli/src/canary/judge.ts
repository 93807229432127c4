/**
 * judge: how far a canary has come, step by step, and whether that proves recovery on its partition.
 *
 * Takes   what Slurm and the server say of the canary's job, and how long it may still take.
 * Pure, total
 * Keeps   a step counts only after all before it; what nobody saw is never `ok`. In observe mode nothing after the Advice is claimed.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { WireExplain } from "../wire.ts";
import { afterAdvice } from "./after-advice.ts";
import type { Answer, CanaryStep } from "./step.ts";
import { untilAdvice } from "./until-advice.ts";

/** `scontrol show job`: the parts that a canary looks at. */
export interface SlurmSight {
  readonly state: string;
  readonly reason: string;
  readonly isHeld: boolean;
  readonly restarts: number;
  readonly nodes: string;
  readonly excluded: readonly string[];
}

export interface CanarySeen {
  readonly jobId: string;
  readonly partition: string;
  readonly output: string;
  readonly submittedAt: Instant;
  /** Nobody waits any longer. */
  readonly isTimeUp: boolean;
  /** The last answer of each. Absent: it has never answered. */
  readonly slurm?: SlurmSight;
  readonly explain?: WireExplain;
  /** Why the server, or Slurm, did not answer the last time. */
  readonly serverSays?: string;
  readonly slurmSays?: string;
}

export interface CanaryProgress {
  /** `observed`: as far as observe mode goes. */
  readonly outcome: "running" | "passed" | "observed" | "failed";
  readonly steps: readonly CanaryStep[];
}

/** A step, and what a look says of it; asked only when all before it are `ok`. */
export type Asked = readonly [name: string, ask: (seen: CanarySeen) => Answer];

export function judge(seen: CanarySeen): CanaryProgress {
  const steps: CanaryStep[] = [];
  let outcome: CanaryProgress["outcome"] = "passed";
  for (const [name, ask] of [...untilAdvice, ...afterAdvice]) {
    if (outcome !== "passed") {
      steps.push({ name, verdict: outcome === "running" ? "waits" : "unproven", says: "" });
      continue;
    }
    const answer = ask(seen);
    if (answer.is === "fail" || (answer.is === "waits" && seen.isTimeUp)) {
      outcome = "failed";
      steps.push({ name, verdict: "fail", says: answer.says, todo: answer.todo });
    } else if (answer.is === "waits") {
      outcome = "running";
      steps.push({ name, verdict: "waits", says: answer.says });
    } else if (answer.is === "would") {
      outcome = "observed";
      steps.push({ name, verdict: "would", says: answer.says });
    } else {
      steps.push({ name, verdict: "ok", says: answer.says, ...secondsOf(answer.at, seen) });
    }
  }
  return { outcome, steps };
}

function secondsOf(at: Instant | undefined, { submittedAt }: CanarySeen): { readonly seconds?: number } {
  return at === undefined ? {} : { seconds: Math.max(0, Math.round((at - submittedAt) / 100) / 10) };
}
