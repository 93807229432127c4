/**
 * Goal    sbatch on the simulated Slurm takes what its model has, from the script and the command line, and refuses the rest by name.
 * Method  what sbatch would be given, and the job that comes of it.
 */
import { expect, test } from "vitest";
import { trainingJob } from "@reprise/slurm-lab/training-job.ts";
import { splitWords } from "./command-words.ts";
import { readSubmission } from "./submission.ts";

const submit = (input: string, args: readonly string[] = []) =>
  readSubmission({ program: "sbatch", args, workDir: "/shared", env: {}, input }, Date.UTC(2030, 0, 31));

test("the job that the demo submits", () => {
  const comment = { recovery: { auto_resume_mode: "requeue" } };
  const { script, args } = trainingJob({ dir: "/shared/run", nodeProgram: "/node", comment });
  expect(submit(script, ["--parsable", ...args])).toMatchObject({
    spec: {
      name: "train",
      nodes: 2,
      cpusPerNode: 2,
      gpusPerNode: 2,
      requeue: true,
      comment: JSON.stringify(comment),
      output: "/shared/run/slurm-%j.out",
    },
    tasksPerNode: 2,
    appends: true,
    isParsable: true,
  });
});

test("the script's own lines count up to its first command, and the command line wins", () => {
  const script = [
    "#!/bin/sh",
    "# A comment, and an empty line:",
    "",
    "#SBATCH --job-name=mine",
    `#SBATCH --comment='{"recovery": {"auto_resume_mode": "requeue"}}'`,
    "#SBATCH --nodes=2  ",
    "echo begins",
    "#SBATCH --nodes=4",
  ].join("\n");
  const { spec, appends } = submit(script, ["--job-name=yours"]);
  expect(spec).toMatchObject({
    name: "yours",
    comment: '{"recovery": {"auto_resume_mode": "requeue"}}',
    nodes: 2,
    workDir: "/shared",
    output: "/shared/slurm-%j.out",
  });
  expect(appends).toBe(false);
});

test("every way in which people write an option is read", () => {
  const script = ["#!/bin/sh", "#SBATCH -p long -J mine", `#SBATCH --comment '{"a": 1}'`, "#SBATCH -H"].join("\n");
  expect(submit(script).spec).toMatchObject({ partition: "long", name: "mine", comment: '{"a": 1}', hold: true });
  const args = ["-pgpu", "-N", "2", "--job-name", "yours", "-o", "out"];
  expect(submit(script, args).spec).toMatchObject({ partition: "gpu", nodes: 2, name: "yours", output: "/shared/out" });
  expect(splitWords(["-N2", "--hold", "job.sh", "-N", "3"])).toEqual({
    options: ["--nodes=2", "--hold"],
    rest: ["job.sh", "-N", "3"],
  });
  expect(() => splitWords(["-p"])).toThrow("option '-p' requires an argument");
});

test.each([["-q normal"], ["--signal=B:TERM@60"]])("%s is refused by its name", (option) => {
  expect(() => submit("#!/bin/sh\n", [option])).toThrow(`sbatch ${option}`);
});
