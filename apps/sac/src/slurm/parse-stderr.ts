/**
 * parse-stderr: what a Slurm command said, as an Outcome.
 *
 * In the loop   apply → **this** → journal → look again
 * Takes         how scontrol or scancel ended: `Job is pending execution for job 7`, rc 1. A task of an array is answered
 *               `95_1: Job is pending execution`; release says it twice (`slurm_suspend error: …`); scancel puts
 *               `scancel: error: Kill job error on job id 2: ` before it, and says nothing, rc 0, of a job that is over or unknown.
 * Gives         `refused` only for words that we know; anything else that is not a plain rc 0 is `unknown`.
 * Pure, total
 * Source        slurm.md §2.2, §2.3, §6; slurm-new.md §2; seen again on 22.05.8.
 */
import type { Ran } from "./command/run.ts";
import type { Outcome, RefusedCode } from "./slurm.ts";

const words: ReadonlyMap<string, RefusedCode> = new Map([
  ["Job is pending execution", "pending"],
  ["Requested operation is presently disabled", "requeue-disabled"],
  ["Only batch jobs are accepted or processed", "not-batch"],
  ["Invalid job id specified", "gone"],
  ["Access/permission denied", "not-allowed"],
  ["Invalid user id", "not-allowed"],
  ["Job not heterogeneous job leader", "not-het-leader"],
  ["Job has already finished", "already-finished"],
  ["Job/step already completing or completed", "already-finished"],
  ["Job is no longer pending execution", "no-longer-pending"],
  ["Invalid node name specified", "unknown-node"],
  ["Job is in held state, pending scheduler release", "held"],
  ["Pathname of a file, directory or other parameter too long", "too-long"],
  ["Job dependency problem", "bad-dependency"],
]);

/** Kept in a detail, a journal line and an audit row (UTF-16 units). */
const detailCharsMax = 500;

export function parseOutcome(ran: Ran): Outcome {
  const lines = linesOf(ran.stderr);
  const said = lines.join("; ").slice(0, detailCharsMax);
  const unknown = (detail: string): Outcome => ({ kind: "unknown", detail });
  if (ran.timedOut) return unknown("no answer within the limit");
  if (ran.rc === undefined) return unknown(`it was ended by a signal or never ran: ${said || "no words"}`);
  if (ran.rc === 0) return /error/i.test(said) ? unknown(`rc 0, but: ${said}`) : { kind: "done" };
  if (lines.length === 0) return unknown(`rc ${ran.rc} without a word`);

  const answers = lines.map(answerOf);
  const codes = new Set(answers.map((answer) => words.get(answer.text)));
  const refused = (code: RefusedCode): Outcome => ({ kind: "refused", code, detail: said });
  // Several groups of tasks, some of them "No error": we address one task, so this is not what we asked for.
  if (answers.length > 1 && answers.every((answer) => answer.isOfTask)) return refused("some-of-array");
  const [code] = codes;
  return codes.size === 1 && code !== undefined ? refused(code) : unknown(said);
}

/** Why a listing is not to be believed; `undefined` when it is. */
export function readFailure(ran: Ran): string | undefined {
  const said = linesOf(ran.stderr).join("; ").slice(0, detailCharsMax);
  if (ran.timedOut) return "no answer within the limit";
  if (ran.rc !== 0) return `rc ${ran.rc ?? "none"}: ${said || "no words"}`;
  return /\berror:/i.test(said) ? said : undefined;
}

/** The one failure that is an answer: `slurm_load_jobs error: Invalid job id specified`. */
export function isUnknownJob(ran: Ran): boolean {
  return (
    ran.rc === 1 &&
    linesOf(ran.stderr).every((line) => answerOf(line).text === "Invalid job id specified") &&
    ran.stderr.trim() !== ""
  );
}

function linesOf(stderr: string): string[] {
  return stderr.split("\n").flatMap((line) => line.trim() || []);
}

function answerOf(line: string): { readonly text: string; readonly isOfTask: boolean } {
  const task = /^\d+_[\d,[\]-]+: (.*)$/.exec(line);
  if (task !== null) return { text: task[1] ?? "", isOfTask: true };
  const text = line
    .replace(/^(scancel: error: Kill job error on job id \S+: |slurm_\w+ error: )/, "")
    .replace(/ for job \S+$/, "");
  return { text, isOfTask: false };
}
