/**
 * Goal    a workflow is shown with everything that its author asks for, and figures as the server has counted them; both by the public API.
 * Method  a small HTTP server with one workflow: prepared, training in its second attempt, an evaluation that waits. Golden files.
 */
import { expect, test } from "vitest";
import { serverWorld } from "../testing/server-world.ts";
import { define as defineFigures } from "./figures.ts";
import { define as defineWorkflows } from "./workflows.ts";

const slurm = (slurmState: string) => ({ schedulerMetadata: { slurm: { cluster: "c1", slurmState } } });
function attempt(jobId: string, jobName: string, attemptIndex: number, state: string, nodes: readonly string[]) {
  const heimdallJobId = `${jobId}-${attemptIndex}`;
  const job = { workflowId: "llm", heimdallJobId, jobId, jobName, attemptIndex, state: `JOB_STATUS_${state}`, nodes };
  return { ...job, ...slurm(state === "STOPPED" ? "FAILED" : state) };
}
const prepare = attempt("101", "prepare", 0, "COMPLETED", ["n1"]);
const train = [
  attempt("102", "train", 0, "STOPPED", ["n1", "n2"]),
  attempt("102", "train", 1, "RUNNING", ["n1", "n3"]),
] as const;
const dagDependencies = [{ jobId: "102", trigger: "TRIGGER_CONDITION_ON_SUCCESS" }];
const evaluate = { ...attempt("103", "evaluate", 0, "PENDING", []), recoveryConfig: { dagDependencies } };
/** Its ID was issued again since. */
const forgotten = attempt("7", "report", 0, "COMPLETED", ["n9"]);
const workflow = { workflowId: "llm", name: "pre-training", startTime: "2030-01-31T12:00:00Z" };
const advice = {
  desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
  because: "hardware-node",
  nodeConstraints: { exclusions: ["n2"] },
  reconciliationStatus: {
    disposition: "ADVICE_RECONCILIATION_DISPOSITION_CONVERGED",
    reason: "ADVICE_RECONCILIATION_REASON_DESIRED_STATE_OBSERVED",
  },
};
const answers = {
  "/v1/workflows": { workflows: [workflow] },
  "/v1/workflows:lookup": { workflow },
  "/v1/jobs": { jobs: [forgotten, prepare, ...train, evaluate] },
  "/reprise/v1/jobs/7/explain": { attempts: [{ job: { ...forgotten, heimdallJobId: "another" }, covered: true }] },
  "/reprise/v1/jobs/101/explain": { attempts: [{ job: prepare, covered: true }] },
  "/reprise/v1/jobs/102/explain": {
    attempts: [
      {
        job: train[0],
        covered: true,
        advice: [advice],
        stages: { trainingResumedAt: "2030-01-31T14:00:00Z", resumedFromStep: "40" },
      },
      { job: train[1], covered: true, advice: [], stoppedBy: "" },
    ],
  },
  "/reprise/v1/jobs/103/explain": {
    attempts: [
      {
        job: evaluate,
        covered: true,
        decision: {
          rules: [
            { rule: "gate on_success of job 102 (train)", answered: false, why: "closed: job 102 (train) is running" },
          ],
        },
      },
    ],
  },
};

test("a workflow is shown with its jobs, their attempts and gates, and what recovery did", async () => {
  const { asked, call } = await serverWorld(answers);
  await expect(await call(defineWorkflows, "show", "llm")).toMatchFileSnapshot("testdata/workflow.txt");
  expect(asked.map(([ask]) => ask)).toEqual([
    "GET /v1/workflows:lookup?workflowId=llm",
    "GET /v1/jobs?limit=250&workflowIds=llm",
    ...[7, 101, 102, 103].map((job) => `GET /reprise/v1/jobs/${job}/explain?cluster=c1`),
  ]);
  const json = JSON.parse(await call(defineWorkflows, "show", "llm", "--json")) as { stories: unknown[] };
  expect(json).toMatchObject({ workflow, leftOut: 0 });
  expect(json.stories).toHaveLength(4);
});

test("of a large workflow the newest jobs are shown, and how many are not", async () => {
  const { call } = await serverWorld(answers);
  const shown = await call(defineWorkflows, "show", "llm", "--limit", "1");
  expect(shown).toContain("Job 103 (evaluate)");
  expect(shown).not.toContain("Job 102 (train)");
  expect(shown).toContain("3 earlier jobs are not shown");
});

test("the list says how many jobs a workflow has, and where they stand now", async () => {
  const { asked, call } = await serverWorld(answers);
  await expect(await call(defineWorkflows)).toMatchFileSnapshot("testdata/workflows.txt");
  expect(asked.map(([ask]) => ask)).toEqual(["GET /v1/workflows?limit=250", "GET /v1/jobs?limit=250&workflowIds=llm"]);
  expect(JSON.parse(await call(defineWorkflows, "--json"))).toEqual({ workflows: [workflow], count: 1, leftOut: 0 });
  const { call: none } = await serverWorld({ "/v1/workflows": { workflows: [] } });
  expect(await none(defineWorkflows)).toBe("No workflows. One appears with its first job.\n");
});

const figures = {
  from: "2030-01-24T14:10:00Z",
  to: "2030-01-31T14:10:00Z",
  recoveries: 12,
  withoutDetails: 1,
  byCause: [
    { causeClass: "hardware-node", domain: "hardware", outcome: "restarted", count: 8 },
    { causeClass: "unexplained", domain: "unknown", outcome: "stopped", count: 3 },
    { causeClass: "unexplained", domain: "unknown", outcome: "restarted", count: 1 },
  ],
  stoppedBy: [{ bound: "max_requeue_times", count: 3 }],
  stages: { schedulerRecovered: 9, trainingResumed: 8, trainingCompleted: 3 },
  times: {
    detect: { count: 8, mean: 0.21, median: 0.2, p95: 0.4 },
    decide: { count: 11, mean: 5.6, median: 5.5, p95: 6.1 },
    act: { count: 0 },
    resumed: { count: 8, mean: 812, median: 222, p95: 9_000 },
  },
  effective: { ratio: 0.8731, elapsedNodeHours: 1234.5, jobs: 12, jobsWithoutSteps: 2 },
  saved: { manualRestartMinutes: 60, recoveries: 8, hours: 6.25, nodeHours: 50 },
};

test("figures are shown as the server has counted them, of the days and jobs that were asked for", async () => {
  const { asked, call } = await serverWorld({ "/reprise/v1/figures": figures });
  const shown = await call(defineFigures, "--partition", "gpu", "--manual-minutes", "60");
  await expect(shown).toMatchFileSnapshot("testdata/figures.txt");
  expect(asked[0]?.[0]).toBe(
    "GET /reprise/v1/figures?from=2030-01-24T14%3A10%3A00.000Z&partition=gpu&manualRestartMinutes=60",
  );
  expect(JSON.parse(await call(defineFigures, "--json"))).toEqual(figures);
  await expect(call(defineFigures, "--days", "-1")).rejects.toMatchObject({ name: "CommanderError" });
});

test("where nothing was to be recovered there are no tables", async () => {
  const quiet = { from: figures.from, to: figures.to, recoveries: 0, effective: { jobsWithoutSteps: 1 } };
  const { call } = await serverWorld({ "/reprise/v1/figures": quiet });
  expect(await call(defineFigures)).toBe(
    "Recovery\n  window          2030-01-24 14:10:00 to 2030-01-31 14:10:00\n  recoveries      0\n  ETTR            not known: no job printed a step\n",
  );
});
