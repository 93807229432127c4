/**
 * parse-json: why held jobs are held, from `squeue --json`.
 *
 * In the loop   before a release: the text of Reason stays "job requeued in held state" when an administrator lays his hold over
 *               ours; only `state_reason` here says JobHeldAdmin.
 * Takes         both shapes. 22.05: plain numbers, every job there is, whatever was asked. 24.05 and later: numbers as
 *               `{set, infinite, number}`. Tasks that have not been split off share one record: `array_task_string` "2-3,7%2".
 * Gives         the reasons of the jobs named `123` or `95_1`, as far as they are there; `undefined` for anything else than such
 *               a document, for one with an error in it, and for one without any job: that is what scontrol of 25.11 says, rc 0,
 *               while slurmctld is down.
 * Pure, total
 * Source        real documents in testdata/.
 */
import type { HoldReason } from "./slurm.ts";

export function parseHoldReasons(text: string, wanted: readonly string[]): ReadonlyMap<string, HoldReason> | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(document) || !Array.isArray(document["jobs"])) return undefined;
  const errors = document["errors"];
  if (errors !== undefined && !(Array.isArray(errors) && errors.length === 0)) return undefined;
  if (document["jobs"].length === 0) return undefined;

  const isWanted = new Set(wanted);
  const reasons = new Map<string, HoldReason>();
  for (const job of document["jobs"]) {
    if (!isObject(job)) return undefined;
    for (const jobId of namesOf(job, isWanted)) reasons.set(jobId, reasonOf(job));
  }
  return reasons;
}

function reasonOf(job: Fields): HoldReason {
  switch (job["state_reason"]) {
    case "JobHeldUser":
      return "user";
    case "JobHeldAdmin":
      return "admin";
    default:
      return numberOf(job["priority"]) === 0 ? "other" : "none";
  }
}

/** The names among `wanted` that this record stands for. */
function namesOf(job: Fields, wanted: ReadonlySet<string>): string[] {
  const jobId = numberOf(job["job_id"]);
  const arrayId = numberOf(job["array_job_id"]) ?? 0;
  const taskId = numberOf(job["array_task_id"]);
  const unsplit = job["array_task_string"];
  if (arrayId !== 0 && taskId !== undefined) return [`${arrayId}_${taskId}`].filter((name) => wanted.has(name));
  if (arrayId !== 0 && typeof unsplit === "string" && unsplit !== "") {
    return [...wanted].filter((name) => {
      const [array, task] = name.split("_");
      return array === String(arrayId) && task !== undefined && isInTaskString(unsplit, Number(task));
    });
  }
  return jobId !== undefined && wanted.has(String(jobId)) ? [String(jobId)] : [];
}

/** Whether a task is in `0-5,7,10-20:5%2`. What we cannot read holds nothing: a missing reason releases nothing. */
function isInTaskString(tasks: string, task: number): boolean {
  return (tasks.split("%")[0] ?? "").split(",").some((part) => {
    const range = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part);
    if (range === null) return false;
    const [first, last, step] = [Number(range[1]), Number(range[2] ?? range[1]), Number(range[3] ?? 1)];
    return first <= task && task <= last && (task - first) % step === 0;
  });
}

interface Fields {
  readonly [key: string]: unknown;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number, or the number in `{set, infinite, number}` when it is set. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (isObject(value) && value["set"] === true && typeof value["number"] === "number") return value["number"];
  return undefined;
}
