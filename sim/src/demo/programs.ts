/**
 * programs: what squeue, sinfo, scontrol, scancel and sbatch answer on the simulated Slurm.
 *
 * Takes   a `Call`. Whoever reaches the socket is root to the simulated Slurm; jobs belong to the user of this process.
 * Gives   the words of 22.05.8 (`sim/src/slurm/`); beside them what a person types: `squeue` alone, `scontrol show config`, `ping`.
 * Fails   rc 1: with Slurm's words for a refusal, else with what the simulated Slurm has not got.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import type { SimSettings, SimSlurm } from "../slurm/sim-slurm.ts";
import type { Answer, Call } from "./call.ts";
import { readSubmission, type Submission } from "./submission.ts";

export interface ProgramsDeps {
  readonly sim: SimSlurm;
  readonly clock: Clock;
  readonly settings: Pick<SimSettings, "cluster" | "credExpireSeconds" | "killWaitSeconds" | "minJobAgeSeconds">;
  readonly jobCompScript: string | undefined;
  readonly onSubmit: (jobId: string, submission: Submission) => void;
}

export function createPrograms(deps: ProgramsDeps): (call: Call) => Promise<Answer> {
  const { sim, clock } = deps;
  const run = sim.runnerFor({ user: "root", clock });
  const known = async (program: string, args: readonly string[]): Promise<Answer> => {
    const { rc = 1, stdout, stderr } = await run(program, args, { limitMs: limits.commandLimitMs, env: {} });
    return { rc, stdout, stderr };
  };
  const answer = async ({ program, args, ...call }: Call): Promise<Answer> => {
    const has = (...options: readonly string[]) => args.some((arg) => options.includes(arg));
    if (program === "sbatch") return submit(deps, { program, args, ...call });
    if (program === "squeue" && !has("-O", "-o", "--json")) return said(listForPeople(sim));
    if (program === "sinfo" && !has("-o")) return known("sinfo", ["-o", "%N %T %R"]);
    if (program === "scontrol" && args[0] === "ping") return said("Slurmctld(primary) at simulated is UP\n");
    if (program === "scontrol" && args.join(" ") === "show config") return said(showConfig(deps));
    if (program === "scontrol" && args.slice(-3, -1).join(" ") === "show job") return showJob(sim, args.at(-1) ?? "");
    if (program === "scontrol" && args[0] === "delete") return refused("Requested reservation is invalid");
    return known(program, args);
  };
  return async (call) => {
    try {
      return await answer(call);
    } catch (error) {
      // The model throws for what it has not got.
      const why = error instanceof Error ? error.message : String(error);
      return { rc: 1, stdout: "", stderr: error instanceof Refusal ? `${why}\n` : `the simulated Slurm: ${why}\n` };
    }
  };
}

const refused = (stderr: string): Answer => ({ rc: 1, stdout: "", stderr: `${stderr}\n` });
const said = (stdout: string): Answer => ({ rc: 0, stdout, stderr: "" });

function submit({ sim, clock, onSubmit }: ProgramsDeps, call: Call): Answer {
  const submission = readSubmission(call, clock.now());
  const jobId = sim.submit(submission.spec);
  onSubmit(jobId, submission);
  return said(submission.isParsable ? `${jobId}\n` : `Submitted batch job ${jobId}\n`);
}

function listForPeople(sim: SimSlurm): string {
  const rows = sim
    .jobs()
    .map(({ jobId, state, restartCount, hold, nodes }) => [
      jobId,
      state,
      String(restartCount),
      nodes.join(",") || (hold === undefined ? "" : "(held)"),
    ]);
  const line = ([jobId = "", state = "", restarts = "", where = ""]: readonly string[]) =>
    `${jobId.padStart(8)}  ${state.padEnd(12)}${restarts.padStart(8)}  ${where}`.trimEnd();
  return [["JOBID", "STATE", "RESTARTS", "NODES"], ...rows].map((row) => `${line(row)}\n`).join("");
}

/** What SAC and `reprise doctor` read of it. */
function showConfig({ settings, jobCompScript }: ProgramsDeps): string {
  const { cluster, credExpireSeconds, killWaitSeconds, minJobAgeSeconds } = settings;
  const values: readonly (readonly [string, string])[] = [
    ["AuthInfo", `cred_expire=${credExpireSeconds}`],
    ["ClusterName", cluster],
    ["JobCompLoc", jobCompScript ?? "(null)"],
    ["JobCompType", jobCompScript === undefined ? "jobcomp/none" : "jobcomp/script"],
    ["KillWait", `${killWaitSeconds} sec`],
    ["MinJobAge", `${minJobAgeSeconds} sec`],
    ["SLURM_VERSION", "22.05.8 (simulated)"],
    ["SlurmUser", "root(0)"],
  ];
  return values.map(([key, value]) => `${key.padEnd(24)}= ${value}\n`).join("");
}

/** The parts that the model has, on one line. */
function showJob(sim: SimSlurm, jobId: string): Answer {
  const job = sim.job(jobId);
  if (job === undefined) return refused("slurm_load_jobs error: Invalid job id specified");
  const list = (names: readonly string[]) => (names.length === 0 ? "(null)" : names.join(","));
  const { state, restartCount, priority, nodes, excludedNodes } = job;
  return said(
    `JobId=${jobId} Priority=${priority} JobState=${state} Restarts=${restartCount} NodeList=${list(nodes)} ExcNodeList=${list(excludedNodes)}\n`,
  );
}
