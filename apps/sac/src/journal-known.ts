/**
 * journal-known: what the entries of a journal say together.
 *
 * Takes   entries, in the order of the file; one may be taken twice.
 * Keeps   a step is what was last said of it; who first saw what became of a requeue has the word.
 */
import type { Written } from "@reprise/core/plan/work.ts";
import { mayHaveActed } from "@reprise/core/plan/step.ts";
import type { Entry, Journal, Requeue, StepWithKey } from "./journal.ts";

export function createKnown() {
  const steps = new Map<string, StepWithKey>();
  const keysOf = new Map<string, string[]>(); // heimdallJobId → its steps' keys, in order
  const finished = new Map<string, number>(); // heimdallJobId → generation
  const requeues: Requeue[] = [];

  // Asked for at every pass, and changed by few of them.
  let opened: ReturnType<Journal["open"]> | undefined;
  let allSteps: readonly StepWithKey[] | undefined;
  let allWritten: ReadonlyMap<string, Written> | undefined;

  const take = (entry: Entry) => {
    [opened, allSteps, allWritten] = [undefined, undefined, undefined];
    if (entry.kind === "begin") {
      const { kind: _, key, at, ...begun } = entry;
      const { action, work } = begun;
      if (!steps.has(key)) {
        keysOf.set(work.heimdallJobId, [...(keysOf.get(work.heimdallJobId) ?? []), key]);
        if (action === "requeue-hold") requeues.push({ key, begunAt: at });
      }
      steps.set(key, { key, generation: work.generation, begunAt: at, ...begun });
    } else if (entry.kind === "end") {
      const begun = steps.get(entry.key);
      if (begun !== undefined)
        steps.set(entry.key, { ...begun, endedAt: entry.at, outcome: entry.outcome, detail: entry.detail });
    } else if (entry.kind === "landed") {
      const begun = steps.get(entry.key);
      const seen = entry.submitAt === undefined ? { undoneAt: entry.at } : { landedAs: entry.submitAt };
      if (begun !== undefined) steps.set(entry.key, { ...seen, ...begun }); // The first who saw it has the word.
    } else if (entry.kind === "leaving") {
      const begun = steps.get(entry.key);
      if (begun !== undefined) steps.set(entry.key, { ...begun, sourceRan: true });
    } else {
      finished.set(entry.heimdallJobId, Math.max(entry.generation, finished.get(entry.heimdallJobId) ?? 0));
    }
  };
  const stepsOf = (id: string) => (keysOf.get(id) ?? []).flatMap((key) => steps.get(key) ?? []);
  const asked: Pick<Journal, "stepsOf" | "open" | "written" | "all" | "lastRequeues"> = {
    stepsOf,
    open() {
      if (opened !== undefined) return opened;
      const latest = new Map<string, StepWithKey>();
      for (const step of steps.values()) latest.set(step.work.heimdallJobId, step);
      opened = [...latest.values()]
        .filter((s) => s.generation > (finished.get(s.work.heimdallJobId) ?? 0))
        .map(({ work }) => ({
          heimdallJobId: work.heimdallJobId,
          jobId: work.jobId,
          attemptIndex: work.attemptIndex,
          steps: stepsOf(work.heimdallJobId),
          work,
        }));
      return opened;
    },
    written: () => (allWritten ??= writtenBy(steps.values())),
    all: () => (allSteps ??= [...steps.values()]),
    lastRequeues: (max) => requeues.slice(Math.max(0, requeues.length - max)),
  };
  return { take, asked };
}

function writtenBy(steps: Iterable<StepWithKey>): ReadonlyMap<string, Written> {
  const last = new Map<string, Written>();
  for (const step of steps) {
    const { work, written, onJob } = step;
    if (written !== undefined && mayHaveActed(step)) last.set(onJob ?? work.jobId, { ...written, by: work });
  }
  return last;
}
