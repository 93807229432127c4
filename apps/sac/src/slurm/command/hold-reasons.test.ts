/**
 * Goal    "why is it held" is answered from a whole document about the job, or not at all: an empty one proves nothing.
 * Method  documents of both releases, given by a runner; what is asked is kept.
 */
import { readFileSync } from "node:fs";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { expect, test } from "vitest";
import { createHoldReasons } from "./hold-reasons.ts";
import type { Ran } from "./run.ts";

const sample = (name: string) => readFileSync(new URL(`../testdata/${name}`, import.meta.url), "utf8");
const answer = (change: Partial<Ran>): Ran => ({ rc: 0, stdout: "", stderr: "", timedOut: false, ...change });

function asking(ran: Ran) {
  const asked: string[] = [];
  const { clock } = fakeLife();
  const run = async (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(" "));
    return ran;
  };
  return { holdReasons: createHoldReasons({ run, clock, env: {} }), asked };
}

test("jobs are named to squeue, of which newer releases take notice", async () => {
  const { holdReasons, asked } = asking(answer({ stdout: sample("25.11.7/quoted.json") }));
  const seen = await holdReasons(["2", "95_3", "4"]);
  expect(asked).toEqual(["squeue --json -a -t all -j 2,95_3,4"]);
  expect(seen).toMatchObject({
    kind: "seen",
    value: new Map([
      ["2", "user"],
      ["95_3", "user"],
      ["4", "user"],
    ]),
  });
});

test.each([
  ["25.11.7/controller-down.json", "which 25.11 says while slurmctld is down"],
  ["26.05.3/unknown-job.json", "which 26.05 says of a job that it does not know"],
])("an empty document is no answer (%s: %s)", async (name) => {
  const { holdReasons } = asking(answer({ stdout: sample(name) }));
  expect(await holdReasons(["1"])).toMatchObject({
    kind: "unavailable",
    why: expect.stringContaining("no job at all"),
  });
});

test("of jobs that squeue itself does not know, none is held", async () => {
  const stderr = "slurm_load_jobs error: Invalid job id specified\n";
  const { holdReasons } = asking(answer({ rc: 1, stderr }));
  expect(await holdReasons(["1"])).toMatchObject({ kind: "seen", value: new Map() });
});

test("nobody asked: nobody is asked", async () => {
  const { holdReasons, asked } = asking(answer({}));
  expect(await holdReasons([])).toMatchObject({ kind: "seen", value: new Map() });
  expect(asked).toEqual([]);
});
