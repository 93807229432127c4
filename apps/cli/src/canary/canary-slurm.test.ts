/**
 * Goal    a canary reads its own job as Slurm prints it, and touches nothing else.
 * Method  a line of `scontrol -o show job` of Slurm 22.05; a runner that keeps what it was asked.
 */
import { expect, test } from "vitest";
import type { Ran } from "@reprise/sac/slurm/command/run.ts";
import { createCanarySlurm, parseSight } from "./canary-slurm.ts";

const line =
  'JobId=7 JobName=reprise-canary-ab12 UserId=root(0) Priority=0 Account=(null) QOS=(null) JobState=PENDING Reason=job_requeued_in_held_state Dependency=(null) Requeue=1 Restarts=1 BatchFlag=2 Partition=gpu NodeList=(null) BatchHost=n1 ExcNodeList=n[1-2] Comment={"recovery":{"auto_resume_mode":"requeue"}} Power=';

test("a job that is requeued and held, as Slurm prints it", () => {
  expect(parseSight(line)).toEqual({
    state: "PENDING",
    reason: "job_requeued_in_held_state",
    isHeld: true,
    restarts: 1,
    nodes: "",
    excluded: ["n1", "n2"],
  });
});

test("what is no job is nothing", () => {
  expect(parseSight("slurm_load_jobs error: Invalid job id specified")).toBeUndefined();
});

function slurmThat(answers: Readonly<Record<string, Partial<Ran>>>) {
  const sent: string[] = [];
  const slurm = createCanarySlurm(async (name, args) => {
    sent.push([name, ...args].join(" "));
    return { rc: 0, stdout: "", stderr: "", timedOut: false, ...answers[name] };
  }, {});
  return { slurm, sent };
}
const asked = {
  partition: "gpu",
  folder: "/shared",
  mark: "ab12",
  sbatchArgs: ["--account=ops", "--partition=other"],
  optsIn: true,
};

test("the job goes to the partition that was asked for, whatever else is given", async () => {
  const { slurm, sent } = slurmThat({ sbatch: { stdout: "7;cluster\n" } });
  expect(await slurm.submit(asked, "")).toBe("7");
  expect(sent[0]).toMatch(/--account=ops --partition=other --partition=gpu .*--nodes=1/);
});

test("a cancel names the ID and the canary's own name", async () => {
  const { slurm, sent } = slurmThat({});
  await slurm.cancel("7", "ab12");
  expect(sent).toEqual(["scancel --name=reprise-canary-ab12 7"]);
});

test("what Slurm does not take is told in its own words", async () => {
  const { slurm } = slurmThat({ sbatch: { rc: 1, stderr: "sbatch: error: invalid partition specified: gpu" } });
  await expect(slurm.submit(asked, "")).rejects.toThrow("invalid partition specified");
});
