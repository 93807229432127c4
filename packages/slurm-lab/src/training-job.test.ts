/**
 * Goal    what is handed to sbatch says what was asked, and survives a shell.
 * Method  the whole text for one job; the quoting by a real `sh`.
 */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { trainingJob } from "./training-job.ts";

test("a job's script and arguments say everything that was asked", () => {
  const job = trainingJob({
    dir: "/shared/run1",
    nodeProgram: "/opt/node/bin/node",
    comment: { recovery: { auto_resume_mode: "requeue" } },
    partition: "gpu",
    steps: 60,
    checkpointEvery: 10,
    faults: [{ attempt: 0, node: 1, step: 27, kind: "ecc" }],
    args: ["--hold"],
  });
  expect(job.args).toEqual([
    "--job-name=train",
    "--nodes=2",
    "--ntasks-per-node=2",
    "--gres=gpu:2",
    "--output=/shared/run1/slurm-%j.out",
    "--open-mode=append",
    "--requeue",
    "--partition=gpu",
    '--comment={"recovery":{"auto_resume_mode":"requeue"}}',
    "--hold",
  ]);
  expect(job.script).toContain(`export TRAIN_FAULTS='[{"attempt":0,"node":1,"step":27,"kind":"ecc"}]'\n`);
  expect(job.script).toContain("export TRAIN_STEPS='60'\n");
  expect(job.script).toMatch(/\nexec srun .* '\/opt\/node\/bin\/node' '.*\/training\/worker\.ts'\n$/);
});

test("a folder with a quote in its name reaches the workers unchanged", () => {
  const { script } = trainingJob({ dir: "/it's $HOME", nodeProgram: "/n" });
  const exports = script
    .split("\n")
    .filter((line) => line.startsWith("export TRAIN_DIR"))
    .join("\n");
  expect(execFileSync("/bin/sh", ["-c", `${exports}\nprintf %s "$TRAIN_DIR"`], { encoding: "utf8" })).toBe(
    "/it's $HOME",
  );
});

test("a comment that is text is taken as it is", () => {
  expect(trainingJob({ dir: "/d", nodeProgram: "/n", comment: '{"recovery": ' }).args).toContain(
    '--comment={"recovery": ',
  );
});
