/** tell: an event of Slurm as a line of the diary. */
import type { Diary } from "./diary.ts";
import type { SlurmEvent } from "./slurm/sim-slurm.ts";

export function tellSlurm(diary: Diary, { kind, jobId, restartCount, by, detail, nodes }: SlurmEvent): void {
  const job = jobId === undefined ? "" : `${jobId}#${restartCount ?? "?"} `;
  const where =
    nodes === undefined || nodes.length === 0
      ? ""
      : ` on ${nodes.length > 4 ? `${nodes.length} nodes` : nodes.join(" ")}`;
  diary.write("slurm", `${job}${kind}${where}${detail === "" ? "" : ` (${detail})`} by ${by}`);
}
