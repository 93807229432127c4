/**
 * Goal    both shapes of `squeue --json` say why a job is held; what is not such a document says nothing.
 * Method  samples of both releases.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseHoldReasons } from "./parse-json.ts";

const sample = (release: string, name = "squeue") =>
  readFileSync(new URL(`testdata/${release}/${name}.json`, import.meta.url), "utf8");
const reasonsIn = (text: string, ...wanted: string[]) => Object.fromEntries(parseHoldReasons(text, wanted) ?? []);
const reasons = (release: string, ...wanted: string[]) => reasonsIn(sample(release), ...wanted);

describe("22.05.8", () => {
  test("of all jobs that it dumps, only those asked for", () => {
    expect(reasons("22.05.8", "1", "2", "4_3", "10", "99")).toEqual({
      1: "user",
      2: "other",
      "4_3": "admin",
      10: "none",
    });
  });
  test("tasks that share a record share its reason", () => {
    expect(reasons("22.05.8", "13_7", "13_9", "13_10", "13")).toEqual({ "13_7": "user", "13_9": "user" });
  });
  test("a task that was split off is not taken for the array", () => {
    expect(reasons("22.05.8", "4", "4_2", "16", "4_0")).toEqual({ "4_2": "none", "4_0": "none" });
  });
});

describe("25.11.7", () => {
  test("numbers in objects read the same", () => {
    expect(reasons("25.11.7", "1", "2", "95_3", "4")).toEqual({ 1: "user", 2: "admin", "95_3": "user", 4: "none" });
  });
  test("whatever list of states a job has", () => {
    const quoted = reasonsIn(sample("25.11.7", "quoted"), "1", "2", "95_3", "4", "5", "6", "7");
    expect(quoted).toEqual({ 1: "none", 2: "user", "95_3": "user", 4: "user", 5: "none", 6: "none", 7: "user" });
  });
  test("a task list with a step holds each step, and no other task", () => {
    expect(reasons("25.11.7", "95_0", "95_2", "95_4", "95_10", "95_15", "95_12", "95_20")).toEqual({
      "95_0": "user",
      "95_2": "user",
      "95_10": "user",
      "95_15": "user",
      "95_20": "user",
    });
  });
});

describe("no document", () => {
  test.each([
    ["cut", sample("22.05.8").slice(0, 900)],
    ["nothing", ""],
    ["another one", "[]"],
    ["one without jobs", '{"errors":[]}'],
    ["F04: one with an error in it", '{"jobs":[],"errors":[{"error_number":0,"description":"Failure to query"}]}'],
    ["25.11: slurmctld is down", sample("25.11.7", "controller-down")],
    ["26.05: a job that it does not know", sample("26.05.3", "unknown-job")],
    ["errors of another shape", '{"jobs":[],"errors":{}}'],
    ["jobs of another shape", '{"jobs":[null],"errors":[]}'],
  ])("%s", (_what, text) => expect(parseHoldReasons(text, ["1"])).toBeUndefined());
});
