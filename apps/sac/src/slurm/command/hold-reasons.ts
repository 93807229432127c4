/**
 * holdReasons: why these jobs are held, read from `squeue --json` before a release.
 *
 * Gives   `unavailable` when JSON could not be read; a job that Slurm does not know is a missing key.
 * Bound   one call for all; up to `askedMax` IDs are named to squeue, of which only 24.05 and later take notice.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Seen } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { parseHoldReasons } from "../parse-json.ts";
import { isUnknownJob, readFailure } from "../parse-stderr.ts";
import type { HoldReason } from "../slurm.ts";
import type { Runner } from "./run.ts";

/** One argument holds at most 128 KiB. */
const askedMax = 1_000;

export interface HoldReasonsDeps {
  readonly run: Runner;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
}

export function createHoldReasons({ run, clock, env }: HoldReasonsDeps) {
  return async (jobIds: readonly string[]): Promise<Seen<ReadonlyMap<string, HoldReason>>> => {
    const at = clock.now();
    if (jobIds.length === 0) return { kind: "seen", value: new Map(), at };
    const filter = jobIds.length > askedMax ? [] : ["-j", jobIds.join(",")];
    const ran = await run("squeue", ["--json", "-a", "-t", "all", ...filter], { limitMs: limits.commandLimitMs, env });
    if (isUnknownJob(ran)) return { kind: "seen", value: new Map(), at };
    const reasons = readFailure(ran) === undefined ? parseHoldReasons(ran.stdout, jobIds) : undefined;
    if (reasons === undefined)
      return {
        kind: "unavailable",
        why: `squeue --json: ${readFailure(ran) ?? "no document that we know, or of no job at all"}`,
        at,
      };
    return { kind: "seen", value: reasons, at };
  };
}
