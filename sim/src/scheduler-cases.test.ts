/**
 * Goal    every report of what schedulers, controllers and nodes have done to people (`cases/scheduler.md` of the design) is judged somewhere.
 * Method  the list of them, written by hand, each with the tests and transcripts that carry its ID; a home that loses it is told.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const decide = "packages/core/src/decide/scheduler-cases.test.ts";
const told = (name: string) => `sim/scenarios/${name}.txt`;

const homes: Readonly<Record<string, readonly string[]>> = {
  "E01 launch failed requeued held": [decide, told("launch-failed-requeued-held")],
  "E02 released, and held again": [decide, told("launch-failed-requeued-held")],
  "E03 held by the limit": [decide],
  "E05 whose hold is it?": [decide, told("admin-holds-the-source"), told("admin-lays-a-hold-over-ours")],
  "E07 array task requeued by the wrong ID": [told("one-task-of-an-array")],
  "E08 array task IDs change": [told("one-task-of-an-array")],
  "E09 requeue is refused": [told("no-requeue"), told("not-a-batch-job")],
  "E10 Slurm requeues first": [decide, told("slurm-requeues-first")],
  "E11 another tool requeues too": [told("requeue-exit")],
  "E13 time limit or pre-emption": [decide, told("preempted"), told("time-limit")],
  "E15 user cancelled": [decide, told("user-cancels"), told("cancel-beats-advice")],
  "E16 five minutes to act": [decide, told("five-minutes-too-late")],
  "E17 BeginTime": [decide, told("begin-time")],
  "E18 the log starts again": [told("the-log-starts-again"), told("the-log-is-appended-to")],
  "E19 restart count is no failure count": [decide, told("preempted")],
  "E21 the ID is another job's": [told("an-id-is-issued-again"), "sim/src/reissued-ids.test.ts"],
  "E22 the comment was cut": [decide, told("a-broken-policy")],
  "E24 kill task failed is no broken GPU": ["packages/core/src/evidence/node-evidence.test.ts"],
  "F01 cannot reach is not failed": [decide, told("slurm-does-not-answer")],
  "F02 slurmctld does not answer": [decide, told("slurm-does-not-answer"), told("a-cut-listing")],
  "F04 an answer with errors in it": ["apps/sac/src/slurm/parse-json.test.ts"],
  "F09 one bad node eats the budget": [decide],
  "F11 the replacement lands on the same node": [told("the-same-bad-node-again"), told("too-few-nodes")],
  "F12 the wrong reason is shown": [decide],
  "F14 no recovery wanted": [decide, told("off-beats-everything")],
  "G01 spares run out": [told("too-few-nodes")],
  "G03 many signals, one incident": [
    decide,
    told("many-signals-one-incident"),
    "apps/cli/src/diagnose/one-incident.test.ts",
  ],
  "G05 retries end by count and by time": [decide],
};

/** F06 and F07 are about draining nodes, on Slurm and on Kubernetes: recovery drains none. */
test.each(Object.entries(homes))("%s", (report, files) => {
  const [id = ""] = report.split(" ");
  for (const file of files) expect(readFileSync(new URL(file, root), "utf8"), file).toContain(id);
});
