/**
 * Goal    the nodes that a successor could be given are counted as Slurm would give them.
 * Method  a table of nodes, and the reservation of the job.
 */
import { expect, test } from "vitest";
import { attempt, healthy, policy, t0 } from "../decide/decide.example.ts";
import { fold } from "../situation/situation.ts";
import { eligibleFor } from "./eligible.ts";

const node = (name: string, state: string) => ({
  name,
  state,
  isEligible: state === "idle" || state === "allocated",
  partitions: ["gpu"],
});
const nodes = [node("n1", "allocated"), node("n2", "idle"), node("n3", "reserved"), node("n4", "drained")];

test.each([
  ["a reserved node is others'", undefined, ["n1", "n2"]],
  ["to a job with a reservation it may be a spare", "night", ["n1", "n2", "n3"]],
])("%s", (_what, reservation, names) => {
  const slurm = { ...(attempt.schedulerMetadata["slurm"] as object), partition: "gpu" };
  const job = {
    ...attempt,
    nodeConstraints: { exclusions: [], inclusions: [] },
    schedulerMetadata: { slurm: reservation === undefined ? slurm : { ...slurm, reservation } },
  };
  const situation = fold({ ...healthy, attempt: job, nodes }, t0);
  expect([...(eligibleFor(situation, { ...policy, excludeNodes: [] })?.names ?? [])]).toEqual(names);
});

test.each([
  ["what has nodes needs as many", ["n1", "n2"], [["n3"]], 2],
  ["what waits needs as many as it was given last", [], [["n1"], ["n1", "n2", "n3"], []], 3],
  ["nobody has seen it on any node", [], [[]], 1],
])("%s", (_what, own, before, needed) => {
  const earlier = before.map((on, attemptIndex) => ({ ...healthy, attempt: { ...attempt, nodes: on, attemptIndex } }));
  const situation = fold({ ...healthy, attempt: { ...attempt, nodes: own, attemptIndex: 3 }, earlier, nodes }, t0);
  expect(eligibleFor(situation, policy)?.needed).toBe(needed);
});
