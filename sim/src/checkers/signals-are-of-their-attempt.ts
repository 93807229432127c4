/**
 * The line of a root signal was not printed by an earlier attempt than its own: an old line is never read as a new one. For a hang it is the
 * last line, whatever it says. (A later attempt's line may be taken for the one before it while nobody can tell the server that a new
 * one has begun: nothing follows from it. Nor does anything tell whose a kernel's line is that comes soon after the end.)
 */
import { limits } from "@reprise/core/limits.ts";
import type { SlurmEvent } from "../slurm/sim-slurm.ts";
import { defaultSettings } from "../slurm/create-sim-slurm.ts";
import type { Checker } from "./checker.ts";

/** A kernel's line is dated by the second in which it was written. */
const wholeSecondMs = 1_000;

export const signalsAreOfTheirAttempt: Checker = {
  name: "signals-are-of-their-attempt",
  watch({ world, chronicle, holds }) {
    /** When a line was printed, whoever printed it. */
    const printedAt = new Map<string, number>();
    /** A kernel's line that comes soon after the end may be about it, and about the next job on that node: nothing tells (0028). */
    const isOfTheNode = ({ jobId, attempt }: { readonly jobId: string; readonly attempt: number }, line: string) => {
      const { faults, settings } = world.spec;
      const { killWaitSeconds } = { ...defaultSettings, ...settings };
      const apartMs = faults.clockStepEveryMs > 0 ? faults.clockStepMaxMs : 0;
      const isItsEnd = (e: SlurmEvent) =>
        (e.kind === "ended" && e.restartCount === attempt) || (e.kind === "requeued" && e.restartCount === attempt + 1);
      const end = chronicle.lifeOf(jobId).find(isItsEnd);
      const at = printedAt.get(line);
      if (end === undefined || at === undefined) return false;
      // One that ran leaves its nodes only after its requeue.
      const leavesMs = end.kind === "requeued" ? killWaitSeconds * 1_000 : 0;
      return at <= end.at + leavesMs + limits.nodeLineSlackMs + apartMs + wholeSecondMs;
    };
    /** Line → the attempts that printed it, by job ID. */
    const printed = new Map<string, Map<string, Set<number>>>();
    const named = new Map<string, { readonly jobId: string; readonly attempt: number }>();
    return {
      printed({ jobId, restartCount }, lines) {
        named.set(world.uuidOf(jobId, restartCount), { jobId, attempt: restartCount });
        const ofJob = printed.get(jobId) ?? new Map<string, Set<number>>();
        printed.set(jobId, ofJob);
        for (const line of lines.map((one) => one.trim())) {
          printedAt.set(line, world.clock.now());
          ofJob.set(line, (ofJob.get(line) ?? new Set()).add(restartCount));
        }
      },
      signals(report) {
        for (const signal of report.signals) {
          const own = named.get(signal.heimdallJobId);
          if (!signal.root || own === undefined) continue; // Of a later incarnation: its name is another.
          if (signal.evidence.path === undefined) continue; // Hung before it printed anything.
          const isNodes = signal.evidence.path.startsWith("/nodes/");
          if (isNodes && isOfTheNode(own, signal.evidence.line.trim())) continue;
          const by = whoPrinted(printed.get(own.jobId), signal.evidence.line.trim());
          const isOld = by !== undefined && ![...by].some((attempt) => attempt >= own.attempt);
          holds(by !== undefined && !isOld, () => `${own.jobId}#${own.attempt} never printed: ${signal.evidence.line}`);
        }
      },
    };
  },
};

/** Of a line that came in halves only the first may have been there when the attempt was read to its end. */
function whoPrinted(
  lines: ReadonlyMap<string, ReadonlySet<number>> = new Map(),
  line: string,
): ReadonlySet<number> | undefined {
  return lines.get(line) ?? [...lines].find(([whole]) => whole.startsWith(line))?.[1];
}
