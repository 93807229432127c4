/**
 * Goal    `policy check` says what would hold and who said so, and points at what is wrong, before anything is submitted.
 * Method  the command with a fake console; scripts in a temporary folder.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeConsole } from "../testing/fake-console.ts";
import { define } from "./policy.ts";

async function check(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "reprise-policy-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const console = fakeConsole({}, dir);
  const command = new Command("policy").exitOverride().configureOutput({ writeErr: console.err });
  define(command, console);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command.parseAsync(["check", ...args], { from: "user" });
    return { out: console.outText(), code: process.exitCode ?? 0 };
  } finally {
    process.exitCode = before;
  }
}

const script = (...lines: readonly string[]) => `#!/bin/bash\n${lines.join("\n")}\nsrun python train.py\n`;
const good = '{"recovery": {"auto_resume_mode": "requeue", "max_requeue_times": 50}}';

describe("of a job that would be covered", () => {
  test("a script's policy is shown with its bytes, the origin of each value, warnings, and what the detectors need", async () => {
    const text = script("#SBATCH --partition=gpu", "#SBATCH --requeue", `#SBATCH --comment='${good}'`);
    const config = "policy_defaults: {gpu: {charge: workload}}\npolicy_caps: {'*': {max_requeue_times: 10}}\n";
    const { out, code } = await check(["a.sbatch", "--config", "site.yaml"], { "a.sbatch": text, "site.yaml": config });
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot("../render/testdata/policy-check.txt");
  });

  test("as an object it has every key with its value and origin", async () => {
    const { out } = await check(["--comment", good, "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      covered: true,
      bytes: good.length,
      bytesMax: 1024,
      partition: null,
      policy: { max_requeue_times: { value: 50, origin: "comment" }, charge: { value: "all", origin: "default" } },
      detectors: [{ key: "log_based_crash", isOn: true }, {}, { key: "slowdown", isOn: false }],
    });
  });

  test("a file with the bare comment is read too, and its last line end is not the comment's", async () => {
    const { out } = await check(["comment.json", "--json"], { "comment.json": `${good}\n` });
    expect(JSON.parse(out)).toMatchObject({ covered: true, bytes: good.length });
  });

  // biome-ignore format: a table
  test.each([
    ["Slurm may not requeue it", ["#SBATCH --no-requeue"], "--no-requeue: Slurm refuses"],
    ["nobody says whether Slurm may", [], "Without --requeue it depends"],
    ["Slurm's own dependency decides too early", ["#SBATCH -d afterok:12", "#SBATCH --kill-on-invalid-dep=yes"], "cancels this job then"],
    ["a line that sbatch does not read", ["set -e", "#SBATCH --requeue"], "line 4"],
  ])("a warning: %s", async (_what, lines, warning) => {
    const text = script(`#SBATCH --comment='${good}'`, ...lines);
    const { out, code } = await check(["a.sbatch", "--json"], { "a.sbatch": text });
    expect((JSON.parse(out) as { warnings: string[] }).warnings.join("\n")).toContain(warning);
    expect(code).toBe(0);
  });

  test("gates without a hold are warned about: Slurm would start the job at once", async () => {
    const comment = '{"recovery": {"auto_resume_mode": "requeue", "dag_dependencies": [{"job_id": 7}]}}';
    const text = script(`#SBATCH --comment='${comment}'`, "#SBATCH --requeue");
    expect((await check(["a.sbatch"], { "a.sbatch": text })).out).toContain("dag_dependencies without --hold");
  });
});

describe("of a job that would not be covered", () => {
  test("the caret stands under the place in the script, quoting or not", async () => {
    const text = script('#SBATCH --comment="{\\"recovery\\": {\\"auto_resume_mode\\": \\"requeu\\"}}"');
    const { out, code } = await check(["a.sbatch"], { "a.sbatch": text });
    expect(code).toBe(1);
    const lines = out.split("\n");
    expect(lines[0]).toContain("not covered: recovery.auto_resume_mode is");
    const caret = lines.findIndex((line) => line.trim() === "^");
    expect(lines[caret - 2]).toBe("  a.sbatch:2:59");
    expect(lines[caret - 1]?.slice(lines[caret]?.indexOf("^"))).toMatch(/^"requeu/);
  });

  test("a long line is shown around the place", async () => {
    const comment = `{"${"x".repeat(300)}": 1, "recovery": {"auto_resume_mode": 7, "${"y".repeat(300)}": 1}}`;
    const { out } = await check(["--comment", comment]);
    const lines = out.trimEnd().split("\n");
    const [line = "", caret = ""] = lines.slice(-2);
    expect(line.length).toBeLessThanOrEqual(80);
    expect(line[caret.indexOf("^")]).toBe("7");
  });

  test("a comment that Slurm would refuse for its length is none", async () => {
    const comment = `{"recovery": {"auto_resume_mode": "requeue"}, "é": "${"é".repeat(600)}"}`;
    const { out, code } = await check(["--comment", comment, "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      covered: false,
      because: expect.stringContaining("refuses more than 1024"),
    });
    expect(code).toBe(1);
  });

  // biome-ignore format: a table
  test.each([
    ["a backslash that sbatch takes away", script(`#SBATCH --comment='{"recovery": {"auto_resume_mode": "requeue", "workflow_name": "a\\"b"}}'`), "The comment is not valid JSON"],
    ["a quote that is not closed", script("#SBATCH --comment='{"), "is not closed"],
    ["no comment", script("#SBATCH --requeue"), "has no `#SBATCH --comment=…`"],
    ["another environment", script(`#SBATCH --comment='{"recovery": {"auto_resume_mode": "requeue", "environment": "prod"}}'`), "no environment name"],
  ])("%s", async (_what, text, because) => {
    const { out, code } = await check(["a.sbatch"], { "a.sbatch": text });
    expect(out.replaceAll(/\n +/g, " ")).toContain(because);
    expect(code).toBe(1);
  });

  test("with the server's environment name it is covered", async () => {
    const comment = '{"recovery": {"auto_resume_mode": "requeue", "environment": "prod"}}';
    expect((await check(["--comment", comment, "--environment", "prod"])).code).toBe(0);
  });
});

test("a file or a comment is to be given, and a file must be readable", async () => {
  await expect(check([])).rejects.toThrow("one of a file and --comment");
  await expect(check(["not-there"])).rejects.toThrow("not-there cannot be read");
});
