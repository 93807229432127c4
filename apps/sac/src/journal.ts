/**
 * journal: the append-only file in which every step stands before it is run and after it returned.
 *
 * In the loop   plan → **begin** → apply → **end** → the next look
 * Writes        `<stateDir>/journal.jsonl`, one JSON line an entry, fsynced before the call returns.
 * Keeps         a step is durable before its effect. SAC and the watchdog write to the same file, each under the lock; what the
 *               other one wrote is seen after `refresh`.
 * Fails         what cannot be written is thrown: SAC then does not act. What has happened or was seen counts here all the same, and is
 *               written as soon as that is possible: nobody may be there to see it a second time. A torn last line (a crash while writing) is the
 *               entry that never was: it is closed off with a newline and skipped.
 * Bound         entries older than `keepMs` are dropped when the file is opened and larger than `compactBytes`.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Landing } from "@reprise/core/plan/ownership.ts";
import type { Constraints, JournalStep, StepAction, StepOutcome, Work, Written } from "@reprise/core/plan/work.ts";
import type { JournalledAttempt } from "@reprise/core/watchdog/stranded.ts";
import { createKnown } from "./journal-known.ts";

export type Entry =
  | {
      readonly kind: "begin";
      readonly key: string;
      readonly at: Instant;
      readonly action: StepAction;
      /** The whole work, so that a SAC that starts while the server is away knows what it holds. */
      readonly work: Work;
      readonly sourceRan?: boolean;
      readonly bootedAt?: Instant;
      readonly droppedNodes?: readonly string[];
      readonly written?: Constraints;
      readonly onJob?: string;
    }
  | {
      readonly kind: "end";
      readonly key: string;
      readonly at: Instant;
      readonly outcome: StepOutcome;
      readonly detail: string;
    }
  /** What Slurm showed of a requeue afterwards. `submitAt`: of the held successor. Absent: it showed the source again. */
  | { readonly kind: "landed"; readonly key: string; readonly at: Instant; readonly submitAt?: Instant }
  /** Slurm showed that the source leaves its nodes only after the requeue. */
  | { readonly kind: "leaving"; readonly key: string; readonly at: Instant }
  /** The Advice is finished here: nothing more is expected of it. */
  | {
      readonly kind: "finish";
      readonly key: string;
      readonly at: Instant;
      readonly heimdallJobId: string;
      readonly generation: number;
    };

/** How entries reach the disk; `journal-file.ts` has the real one. */
export interface JournalFile {
  /** Appends one line and returns when it is on the disk. Throws when it is not. */
  append(line: string): void;
  /** What was appended since the last call, by anybody, as whole lines. */
  readNew(): readonly string[];
}

export interface Begun {
  readonly action: StepAction;
  readonly work: Work;
  readonly sourceRan?: boolean;
  readonly bootedAt?: Instant;
  readonly droppedNodes?: readonly string[];
  readonly written?: Constraints;
  readonly onJob?: string;
}

export interface StepWithKey extends JournalStep {
  readonly key: string;
  readonly work: Work;
  /** `update-constraints`. Absent in journals of before 2026-11-30. */
  readonly written?: Constraints;
}

export type Requeue = Pick<StepWithKey, "key" | "begunAt">;

export interface Journal {
  /** Reads what the other program wrote. */
  refresh(): void;
  begin(step: Begun, at: Instant): string;
  end(key: string, outcome: StepOutcome, detail: string, at: Instant): void;
  /** Of a requeue: what became of it. Safe to repeat. */
  landed(key: string, landing: Landing, at: Instant): void;
  finish(work: Pick<Work, "heimdallJobId" | "generation">, at: Instant): void;
  stepsOf(heimdallJobId: string): readonly StepWithKey[];
  /** Source attempts with steps and not finished, as the watchdog needs them. */
  open(): readonly (JournalledAttempt & { readonly work: Work })[];
  /** By job ID: what was last written into it, or may have been, whichever attempt it was for. */
  written(): ReadonlyMap<string, Written>;
  /** Every step of the last day, for the server's record. */
  all(): readonly StepWithKey[];
  /** The last requeues that were begun, of any job, at most so many: oldest first. */
  lastRequeues(max: number): readonly Requeue[];
}

export function createJournal(file: JournalFile, newKey: () => string): Journal {
  const known = createKnown();
  const { refresh, write, note } = createWriter(file, known.take);
  refresh();

  return {
    refresh,
    begin(step, at) {
      const key = newKey();
      write({ kind: "begin", key, at, ...step });
      return key;
    },
    end: (key, outcome, detail, at) => note({ kind: "end", key, at, outcome, detail }),
    landed: (key, landing, at) => note({ key, at, ...landingEntry(landing) }),
    finish: ({ heimdallJobId, generation }, at) =>
      note({ kind: "finish", key: newKey(), at, heimdallJobId, generation }),
    ...known.asked,
  };
}

/** Every entry reaches `take` once it is on the disk, and what has happened also where it cannot be written. */
function createWriter(file: JournalFile, take: (entry: Entry) => void) {
  /** Known here, and not on the disk yet: it was full, say. */
  const unwritten: Entry[] = [];
  const catchUp = () => {
    for (let next = unwritten[0]; next !== undefined; next = unwritten[0]) {
      file.append(JSON.stringify(next));
      unwritten.shift();
    }
  };
  const readNew = () => {
    for (const line of file.readNew()) {
      const entry = parseEntry(line);
      if (entry !== undefined) take(entry);
    }
  };
  const refresh = () => {
    try {
      catchUp();
    } catch {
      // Whoever noted it was told so.
    }
    readNew();
  };
  /** Of what is yet to happen. */
  const write = (entry: Entry) => {
    catchUp();
    file.append(JSON.stringify(entry));
    readNew();
  };
  /** Of what has happened. */
  const note = (entry: Entry) => {
    unwritten.push(entry);
    try {
      catchUp();
    } catch (error) {
      take(entry);
      throw error;
    }
    readNew();
  };
  return { refresh, write, note };
}

function landingEntry(landing: Landing) {
  if (landing.kind === "leaving") return { kind: landing.kind } as const;
  return { kind: "landed", ...(landing.kind === "landed" ? { submitAt: landing.submitAt } : {}) } as const;
}

/** A line that is not an entry of ours is skipped: it can only be a torn write, whose effect was never begun. */
function parseEntry(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry;
    return typeof entry === "object" &&
      entry !== null &&
      typeof entry.kind === "string" &&
      typeof entry.key === "string"
      ? entry
      : undefined;
  } catch {
    return undefined;
  }
}
