/** Work and steps, to be changed by a test in what it is about. */
import type { Instant } from "../nouns.ts";
import type { JournalStep, Work } from "./work.ts";

/** To restart job 123, of which attempt 0 was submitted a minute ago. */
export const restartWork = (now: Instant, change: Partial<Work> = {}): Work => ({
  heimdallJobId: "id-0",
  jobId: "123",
  attemptIndex: 0,
  sourceSubmitAt: now - 60_000,
  generation: 1,
  desired: "RESTARTED",
  exclusions: [],
  authorExclusions: [],
  startDelayMs: 0,
  restartsCompleted: false,
  logEnded: true,
  withdrawn: false,
  expiresAt: now + 3_600_000,
  partition: "gpu",
  ...change,
});

/** A step that Slurm took. */
export const doneStep = (
  action: JournalStep["action"],
  endedAt: Instant,
  change: Partial<JournalStep> = {},
): JournalStep => ({ action, generation: 1, begunAt: endedAt - 100, endedAt, outcome: "done", ...change });
