/**
 * Goal    every step that was completed is reported as a milestone, once, and however the server behaves nothing waits for it.
 * Method  the reporter over a journal in memory and a server that fails as it is told to, on a clock that the test moves.
 */
import { sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { settle } from "@reprise/runtime/testing/fake-clock.ts";
import { expect, test } from "vitest";
import type { StepWithKey } from "./journal.ts";
import { startMilestoneReporter } from "./milestone-reporter.ts";
import type { MilestoneReport } from "./server.ts";

const work = { heimdallJobId: "aaaaaaaa-0000-4000-8000-000000000000", desired: "RESTARTED" } as StepWithKey["work"];
const step = (key: string, change: Partial<StepWithKey> = {}): StepWithKey => ({
  key,
  work,
  action: "requeue-hold",
  generation: 1,
  begunAt: 1_000,
  endedAt: 2_000,
  outcome: "done",
  ...change,
});

function world(
  steps: StepWithKey[],
  fails: (key: string) => Error | undefined = () => undefined,
  answers = async () => {},
) {
  const life = fakeLife();
  const [asked, taken]: [string[], MilestoneReport[]] = [[], []];
  const server = {
    async recordMilestone(milestone: MilestoneReport) {
      asked.push(milestone.idempotencyKey);
      const error = fails(milestone.idempotencyKey);
      if (error !== undefined) throw error;
      await answers();
      taken.push(milestone);
    },
  };
  const ended = startMilestoneReporter({ all: () => steps }, server, life);
  return { life, asked, taken, ended, round: () => life.clock.advance(5_000) };
}
const away = new Refusal("unavailable", "the server cannot be reached");

test("steps that are over and done are milestones of their recovery, the watchdog's too; others are not", async () => {
  const { taken } = world([
    step("hold"),
    step("mark", { action: "mark" }),
    step("refused", { outcome: "refused" }),
    step("unknown", { outcome: "unknown" }),
    { key: "begun", work, action: "release", generation: 1, begunAt: 1 },
    step("freed", { action: "watchdog-release", endedAt: 3_000 }),
    step("end", { action: "cancel", work: { ...work, desired: "TERMINATED" } }),
  ]);
  await settle();
  expect(taken.map(({ operation, action, outcome }) => [operation, action, outcome])).toEqual([
    ["RESTART", "SLURM_REQUEUE_HOLD", "done"],
    ["RESTART", "SLURM_RELEASE", "done by the watchdog"],
    ["TERMINATE", "SLURM_CANCEL", "done"],
  ]);
  expect(taken[0]).toMatchObject({
    sequenceId: sequenceIdOf(work.heimdallJobId, "RESTART"),
    idempotencyKey: "hold",
    completedAt: 2_000,
  });
});

test("what the journal gets later is reported later, and what was reported is not reported again", async () => {
  const steps = [step("a")];
  const { asked, round } = world(steps);
  await settle();
  steps.push(step("b"));
  await round();
  await round();
  expect(asked).toEqual(["a", "b"]);
});

test("a server that is away is asked once a round, and gets everything when it is back", async () => {
  let isAway = true;
  const { asked, taken, round } = world([step("a"), step("b")], () => (isAway ? away : undefined));
  await settle();
  await round();
  expect(asked).toEqual(["a", "a"]);
  isAway = false;
  await round();
  expect(taken.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["a", "b"]);
});

test("what the server refuses for good keeps nothing else back", async () => {
  const unknown = new Refusal("not-found", "no such sequence");
  const { asked, round, life } = world([step("a"), step("b")], (key) => (key === "a" ? unknown : undefined));
  await settle();
  await round();
  expect(asked).toEqual(["a", "b"]);
  expect(life.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("a long journal is reported in bounded rounds, one after the other", async () => {
  const { taken } = world(Array.from({ length: 120 }, (_, i) => step(`${i}`)));
  await settle();
  await settle();
  expect(taken).toHaveLength(120);
});

test("after the end of its life nothing more is begun", async () => {
  const stuck = Promise.withResolvers<void>();
  const { asked, life, ended } = world(
    [step("a"), step("b")],
    () => undefined,
    () => stuck.promise,
  );
  await settle();
  life.end();
  stuck.resolve();
  await ended;
  expect(asked).toEqual(["a"]);
});
