/**
 * step-ages: the journal's steps, as old as this process has seen them become: the host's clock may be set after one was written.
 *
 * Takes   the steps of one attempt, and the moment of the look that they are compared with.
 * Gives   the same steps; their times are told by the host's clock as that look had it.
 * Keeps   between a step and a look as much time lies as has passed: setting the clock makes no outcome visible, ends no time in which a
 *         late command may land, and takes no hold from us. What was written before this process began is as old as the clock says.
 * Source  docs/decisions/0014.
 */
import type { Clock, Moment } from "@reprise/runtime/clock.ts";
import { createAges } from "./ages.ts";
import type { StepWithKey } from "./journal.ts";

export type StepsAsSeen = (steps: readonly StepWithKey[], look: Moment) => readonly StepWithKey[];

export function createStepAges(clock: Pick<Clock, "now" | "elapsed">): StepsAsSeen {
  const ageOf = createAges(clock);
  return (steps, look) => {
    const sinceLookMs = clock.elapsed() - look.after;
    return steps.map((step) => {
      const seen = (name: string, at: number) => look.at + sinceLookMs - ageOf(`${name} ${step.key}`, at);
      const { begunAt, endedAt } = step;
      const ended = endedAt === undefined ? {} : { endedAt: seen("ended", endedAt) };
      return { ...step, begunAt: seen("begun", begunAt), ...ended };
    });
  };
}
