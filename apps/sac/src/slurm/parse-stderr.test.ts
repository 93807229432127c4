/**
 * Goal    every text that Slurm was seen to answer with reads as what it means, and no other text means anything.
 * Method  one table a release; properties for the rest.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ran } from "./command/run.ts";
import { isUnknownJob, parseOutcome, readFailure } from "./parse-stderr.ts";

const ran = (rc: number | undefined, stderr: string, stdout = ""): Ran => ({
  ...(rc === undefined ? {} : { rc }),
  stderr,
  stdout,
  timedOut: false,
});

const refusals: [command: string, rc: number, stderr: string, code: string][] = [
  ["requeuehold of a pending job", 1, "Job is pending execution for job 1\n", "pending"],
  ["requeuehold of a pending task", 1, "4_1: Job is pending execution\n", "pending"],
  ["requeuehold with --no-requeue", 1, "Requested operation is presently disabled for job 3\n", "requeue-disabled"],
  ["the same of a task not split off", 1, "19_0-1: Requested operation is presently disabled\n", "requeue-disabled"],
  ["requeuehold of an srun", 1, "Only batch jobs are accepted or processed for job 12\n", "not-batch"],
  ["requeuehold of an unknown job", 1, "Invalid job id specified for job 99\n", "gone"],
  ["requeuehold of an unknown task", 1, "4_77: Invalid job id specified\n", "gone"],
  [
    "release of an unknown job",
    1,
    "Invalid job id specified for job 99\nslurm_suspend error: Invalid job id specified\n",
    "gone",
  ],
  ["requeuehold by a stranger", 1, "Access/permission denied for job 2\n", "not-allowed"],
  ["update by a stranger", 1, "Invalid user id for job 11\n", "not-allowed"],
  ["release by a stranger", 1, "Invalid user id for job 11\nslurm_suspend error: Invalid user id\n", "not-allowed"],
  [
    "scancel by a stranger",
    210,
    "scancel: error: Kill job error on job id 2: Access/permission denied\n",
    "not-allowed",
  ],
  ["requeuehold of a het component", 1, "Job not heterogeneous job leader for job 8\n", "not-het-leader"],
  ["update of a finished job", 1, "Job has already finished for job 6\n", "already-finished"],
  [
    "release of a finished job",
    1,
    "Job has already finished for job 6\nslurm_suspend error: Job has already finished\n",
    "already-finished",
  ],
  [
    "scancel of a job that is over",
    1,
    "scancel: error: Kill job error on job id 5: Job/step already completing or completed\n",
    "already-finished",
  ],
  ["ExcNodeList of a running job", 1, "Job is no longer pending execution for job 2\n", "no-longer-pending"],
  ["ExcNodeList with an unknown node", 1, "Invalid node name specified for job 1\n", "unknown-node"],
  ["Priority of a held job", 1, "Job is in held state, pending scheduler release for job 7\n", "held"],
  [
    "a comment that is too long",
    1,
    "Pathname of a file, directory or other parameter too long for job 7\n",
    "too-long",
  ],
  ["a dependency that makes no sense", 1, "Job dependency problem for job 10\n", "bad-dependency"],
  ["requeuehold of a whole array", 1, "4_0-1: No error\n4_2-3: Job is pending execution\n", "some-of-array"],
  ["the same in brackets", 1, "95_[0,2-3]: No error\n95_1: Job is pending execution\n", "some-of-array"],
];

describe("a refusal that we know", () => {
  test.each(refusals)("%s", (_command, rc, stderr, code) => {
    const detail = stderr.trim().split("\n").join("; ");
    expect(parseOutcome(ran(rc, stderr))).toEqual({ kind: "refused", code, detail });
  });
});

describe("an outcome that nobody knows", () => {
  test.each([
    ["slurmctld down or paused", ran(1, "Unexpected message received for job 1\n")],
    ["no connection", ran(1, "slurm_update error: Unable to contact slurm controller (connect failure)\n")],
    ["munge down", ran(1, "Protocol authentication error for job 1\n")],
    ["a time-out of Slurm's own", ran(1, "Socket timed out on send/recv operation for job 1\n")],
    ["words we have never seen", ran(1, "Requested reboot of the moon for job 1\n")],
    ["known and unknown words", ran(1, "Job is pending execution for job 1\nSomething else\n")],
    ["known words that disagree", ran(1, "Job is pending execution for job 1\nJob has already finished\n")],
    ["no words", ran(1, "")],
    ["one task, no error, rc 1", ran(1, "4_1: No error\n")],
    ["rc 0 with an error", ran(0, "scontrol: error: something\n")],
    ["ended by a signal", ran(undefined, "")],
    ["our own limit", { ...ran(undefined, "Job is pending execution for job 1\n"), timedOut: true }],
  ])("%s", (_what, how) => expect(parseOutcome(how).kind).toBe("unknown"));

  test("nothing but known words is ever a refusal, and nothing but rc 0 is done", () => {
    fc.assert(
      fc.property(fc.nat(255), fc.string(), (rc, stderr) => {
        expect(parseOutcome(ran(rc, `${stderr}?`)).kind).toBe(rc === 0 && !/error/i.test(stderr) ? "done" : "unknown");
      }),
    );
  });
});

test("rc 0 without an error is done", () => expect(parseOutcome(ran(0, ""))).toEqual({ kind: "done" }));

describe("a listing is not believed", () => {
  test.each([
    [
      "when it failed",
      ran(1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"),
      "rc 1: slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
    ],
    [
      "with rc 0 and an error",
      ran(0, "squeue: error: Invalid job format specification: Foo\n"),
      "squeue: error: Invalid job format specification: Foo",
    ],
    ["when it was killed", ran(undefined, ""), "rc none: no words"],
    ["when it took too long", { ...ran(undefined, ""), timedOut: true }, "no answer within the limit"],
  ])("%s", (_what, how, why) => expect(readFailure(how)).toBe(why));

  test("else it is", () => expect(readFailure(ran(0, ""))).toBeUndefined());
});

test("only one failed listing is an answer: no such job", () => {
  expect(isUnknownJob(ran(1, "slurm_load_jobs error: Invalid job id specified\n"))).toBe(true);
  expect(isUnknownJob(ran(1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"))).toBe(
    false,
  );
  expect(isUnknownJob(ran(1, ""))).toBe(false);
  expect(isUnknownJob(ran(0, ""))).toBe(false);
});
