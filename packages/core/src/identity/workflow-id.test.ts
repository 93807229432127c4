/**
 * Goal    a job's group is what its author said, else what Slurm shows, and always fits the wire.
 * Method  one row for each step down; the bound as a property.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { resolveWorkflowId, type WorkflowNames } from "./workflow-id.ts";

const all: WorkflowNames = { workflowId: "w", workflowName: "W", jobName: "train", jobId: "123" };

// biome-ignore format: a table
test.each<[string, WorkflowNames, string]>([
  ["workflow_id first", all, "w"],
  ["then workflow_name", { ...all, workflowId: undefined }, "W"],
  ["then the job's name", { ...all, workflowId: undefined, workflowName: undefined }, "train"],
  ["then its ID", { jobId: "123" }, "123"],
  ["a blank name is no name", { jobName: "  ", jobId: "123" }, "123"],
  ["a name too long is not cut", { jobName: "x".repeat(257), jobId: "123" }, "123"],
  ["256 characters fit, not bytes", { jobName: "🦉".repeat(256), jobId: "123" }, "🦉".repeat(256)],
])("%s", (_step, names, id) => expect(resolveWorkflowId(names)).toBe(id));

test("it is 1 to 256 characters, whatever anybody wrote", () => {
  const name = fc.option(fc.string({ maxLength: 300, unit: "binary" }), { nil: undefined });
  fc.assert(
    fc.property(name, name, name, (workflowId, workflowName, jobName) => {
      const id = resolveWorkflowId({ workflowId, workflowName, jobName, jobId: "1" });
      expect([...id].length).toBeGreaterThan(0);
      expect([...id].length).toBeLessThanOrEqual(256);
    }),
  );
});
