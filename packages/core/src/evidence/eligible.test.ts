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
