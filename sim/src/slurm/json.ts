/**
 * json: jobs as `squeue --json` and `scontrol show job --json` write them, as far as the keys that say why a job waits.
 *
 * Source  slurm.md §2.6; slurm-new.md, section 4; testdata of apps/sac.
 */
import type { Ledger } from "./ledger.ts";
import { type JobRecord, stateWord } from "./record.ts";

/** 22.05 dumps every record, whatever was asked; unsplit tasks share one. @param asked  The records that -j names. */
export function jobsJson({ jobs, release }: Ledger, asked: readonly JobRecord[] | undefined): string {
  const isOld = release.json === "22.05";
  const number = (value: number | null) =>
    isOld ? value : { set: value !== null, infinite: false, number: value ?? 0 };
  const records = isOld || asked === undefined ? [...jobs.values()] : [...new Set(asked)];
  return JSON.stringify({
    ...(isOld ? {} : { meta: { slurm: { version: versionOf(release.version) } }, warnings: [] }),
    errors: [],
    jobs: records.map((job) => ({
      job_id: job.recordId,
      array_job_id: number(job.arrayJobId ?? 0),
      array_task_id: number(job.taskId ?? null),
      array_task_string: job.unsplit.join(","),
      job_state: isOld ? stateWord(job) : statesOf(job),
      state_reason: job.reason.replace(/:.*/, ""), // RaisedSignal
      state_description: job.description,
      priority: number(job.priority),
      ...(isOld ? {} : { hold: job.priority === 0, step_id: { sluid: job.sluid } }),
    })),
  });
}

function versionOf(version: string) {
  const [major = "", minor = "", micro = "0"] = version.split(".");
  return { major, minor, micro };
}

/** `["PENDING","COMPLETING"]`: the base that the text hides, and the flags. */
const statesOf = (job: JobRecord): readonly string[] => [
  job.base,
  ...(job.completing ? ["COMPLETING"] : []),
  ...(job.base === "PENDING" && job.shownAs !== undefined ? [job.shownAs] : []),
];
