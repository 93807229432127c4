/** journal: SAC's journal read from outside, as it grows. */
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import type { StepAction } from "@reprise/core/plan/work.ts";
import type { Entry } from "@reprise/sac/journal.ts";

export const journalIn = (stateDir: string) => join(stateDir, "journal.jsonl");

/** Only whole lines; none while there is no journal yet. */
export function readJournal(stateDir: string): readonly Entry[] {
  const path = journalIn(stateDir);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
}

export type Began = Entry & { readonly kind: "begin" };
export type Ended = Entry & { readonly kind: "end" };

/** The steps of one job, with their ends. */
export function stepsIn(
  entries: readonly Entry[],
  jobId: string,
  action?: StepAction,
): readonly { readonly begin: Began; readonly end: Ended | undefined }[] {
  const begins = entries.filter(
    (e): e is Began => e.kind === "begin" && e.work.jobId === jobId && (action === undefined || e.action === action),
  );
  return begins.map((begin) => ({
    begin,
    end: entries.find((e): e is Ended => e.kind === "end" && e.key === begin.key),
  }));
}

/** The job's Advice is finished, whatever became of it. */
export function isFinished(entries: readonly Entry[], jobId: string): boolean {
  const ids = new Set(stepsIn(entries, jobId).map(({ begin }) => begin.work.heimdallJobId));
  return entries.some((e) => e.kind === "finish" && ids.has(e.heimdallJobId));
}

/**
 * Calls back for each step of this action that SAC begins (or has done) from now on, within about a millisecond of its being on the disk.
 * @returns Ends it.
 */
export function onStep(
  stateDir: string,
  when: "begun" | "done",
  action: StepAction,
  call: (jobId: string) => void,
): () => void {
  const reached = () => {
    const entries = readJournal(stateDir);
    const done = new Set(entries.flatMap((e) => (e.kind === "end" && e.outcome === "done" ? [e.key] : [])));
    return entries.filter(
      (e): e is Began => e.kind === "begin" && e.action === action && (when === "begun" || done.has(e.key)),
    );
  };
  const told = new Set(reached().map(({ key }) => key));
  const watcher = watch(stateDir, (_event, name) => {
    if (name !== "journal.jsonl") return;
    for (const { key, work } of reached().filter((begin) => !told.has(begin.key))) {
      told.add(key);
      call(work.jobId);
    }
  });
  return () => watcher.close();
}
