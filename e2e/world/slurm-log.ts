/**
 * slurm-log: what slurmctld did to one job, in the order in which it did it, by its own log.
 *
 * Takes   lines such as `[2026-11-29T15:33:36.184] Requeuing JobId=1`, as 22.05 writes them at level `verbose`.
 * Gives   the events of one job; other lines are left out.
 */
import { existsSync, readFileSync } from "node:fs";
import { controllerLog } from "@reprise/slurm-lab/backup.ts";

export type SlurmEvent = "started" | "requeued" | "released" | "cancel-asked" | "exited 0" | "exited";

const texts: readonly [SlurmEvent, (id: string) => string][] = [
  ["started", (id) => `sched: Allocate JobId=${id} `],
  ["started", (id) => `_start_job: Started JobId=${id} `],
  ["requeued", (id) => `Requeuing JobId=${id}\n`],
  ["released", (id) => `_release_job_rec: release hold on JobId=${id} `],
  ["cancel-asked", (id) => `REQUEST_KILL_JOB JobId=${id} `],
  ["exited 0", (id) => `_job_complete: JobId=${id} WEXITSTATUS 0\n`],
  ["exited", (id) => `_job_complete: JobId=${id} W`],
];

/** Of both controllers, where there is a backup: also of what was forgotten when it took over. @param dir The lab's folder. */
export function slurmEvents(dir: string, jobId: string): readonly SlurmEvent[] {
  const logs = (["primary", "backup"] as const)
    .map((which) => controllerLog(dir, which))
    .filter((path) => existsSync(path));
  const lines = logs.flatMap((path) => readFileSync(path, "utf8").split("\n")).toSorted(byTime);
  return lines.flatMap((line) => {
    const found = texts.find(([, text]) => `${line}\n`.includes(text(jobId)));
    return found === undefined ? [] : [found[0]];
  });
}

/** Lines of one instant stay in the order of their log. */
const byTime = (a: string, b: string) => timeOf(a).localeCompare(timeOf(b));
const timeOf = (line: string) => /^\[([^\]]*)\]/.exec(line)?.[1] ?? "";
