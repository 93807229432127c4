/**
 * Goal    no failure is counted as anything else, and the last line is exact.
 * Method  small reports in vitest's form; the forms in which a run can die without saying so.
 */
import { describe, expect, test } from "vitest";
import { notRun, outcomeOfCheck, outcomeOfVitest, summary, totalLine } from "./outcome.ts";

const ended = { code: 0, ms: 1200 };
const test1 = (status: string, title = "t", suite: string[] = ["s"]) => ({
  ancestorTitles: suite,
  fullName: [...suite, title].join(" "),
  status,
});
const report = (assertionResults: object[], file: object = {}) =>
  JSON.stringify({ testResults: [{ name: "a.test.ts", status: "passed", message: "", assertionResults, ...file }] });

describe("a report of vitest", () => {
  test("counts what passed, failed and was skipped, and says which", () => {
    const text = report([test1("passed"), test1("failed"), test1("skipped", "u", ["no PostgreSQL"]), test1("todo")]);
    const outcome = outcomeOfVitest("unit", text, { ...ended, code: 1 });
    expect(outcome).toMatchObject({
      passed: 1,
      failed: 1,
      skipped: 2,
      failures: ["a.test.ts › s t"],
      skips: ["no PostgreSQL (1)", "s (1)"],
    });
  });

  test("a file that could not be loaded is one failure, with its first line", () => {
    const text = report([], { status: "failed", message: "SyntaxError: x\n at y" });
    expect(outcomeOfVitest("unit", text, { ...ended, code: 1 }).failures).toEqual(["a.test.ts: SyntaxError: x"]);
  });

  test("a run that failed although no test did is one failure", () => {
    expect(outcomeOfVitest("unit", report([test1("passed")]), { ...ended, code: 1 })).toMatchObject({
      passed: 1,
      failed: 1,
    });
  });

  test.each([undefined, "", "null", "{}", '{"testResults": 1}'])(
    "without a report that can be read (%s) it has failed",
    (text) => {
      expect(outcomeOfVitest("unit", text, ended)).toMatchObject({
        passed: 0,
        failed: 1,
        failures: ["unit: ended with code 0 and no report"],
      });
    },
  );
});

describe("the summary", () => {
  const passed = outcomeOfCheck("types", { code: 0, output: "", ms: 1 });
  const failed = outcomeOfCheck("lint", { code: 1, output: "\na.ts: bad\nmore", ms: 1 });

  test("a check counts as one test", () => {
    expect(totalLine([passed, failed])).toBe("1 passed, 1 failed, 0 skipped");
    expect(failed.failures).toEqual(["lint: a.ts: bad"]);
  });

  test("ends with the total, after every failure and every reason", () => {
    const lines = summary([passed, failed, notRun("e2e", 41, "Slurm is missing", false)]).split("\n");
    expect(lines.at(-1)).toBe("1 passed, 1 failed, 41 skipped");
    expect(lines).toContain("  e2e: Slurm is missing (41)");
    expect(lines).toContain("  lint: a.ts: bad");
  });

  test("what may not be missing is a failure", () => {
    expect(notRun("e2e", 41, "Slurm is missing", true)).toMatchObject({
      failed: 1,
      skipped: 41,
      failures: ["e2e: Slurm is missing"],
    });
  });
});
