/**
 * start-of-part: where in a file the part of one attempt begins.
 *
 * In the loop   look at a file → **where to read from** → tail
 * Takes         what the file is like now, and what is known of it: where this attempt's last reader stood, where an earlier
 *               attempt stopped, when this attempt began.
 * Gives         `read` from a byte; `wait`: what is there was there before, and this attempt has written nothing yet;
 *               `rewritten`: what we had read is no longer there; `foreign`: nothing may be read, and why.
 * Pure, total
 * Keeps         an earlier attempt's line is never read as this one's. Where the boundary cannot be known, the lines
 *               on both sides of it are nobody's.
 * Source        at a restart Slurm empties the log (open mode truncate, the default) or appends to it, and shows nowhere which.
 *               A file keeps its inode and its birth through both; its time of change says whether anything was written.
 */
import { slurmInstant } from "@reprise/core/fact/slurm-instant.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { LogPosition, Target } from "./server.ts";
import type { Look } from "./source/source.ts";

/** What the target says, and may say differently at the next pass. */
export interface TailTarget {
  readonly heimdallJobId: string;
  readonly attemptIndex: number;
  /** When this attempt began, in Slurm's whole seconds. */
  readonly startedAt?: Instant | undefined;
  /** `log_file_paths_shared_across_attempts`. */
  readonly shared?: boolean | undefined;
  readonly ended: boolean;
  readonly endedAt?: Instant | undefined;
}

export function tailTargetOf({
  heimdallJobId,
  attemptIndex,
  sharedAcrossAttempts: shared,
  ended,
  slurm,
}: Target): TailTarget {
  const [startedAt, endedAt] = [slurmInstant(slurm["startTime"]), slurmInstant(slurm["endTime"])];
  return { heimdallJobId, attemptIndex, startedAt, endedAt, shared, ended };
}

/** The end of what was read of a file. */
export type ReadPart = Pick<LogPosition, "inode" | "offset" | "mark">;

/** What is known of a file before the first look at it. */
export interface TailStart {
  readonly path: string;
  /** This attempt's own position. */
  readonly own?: LogPosition | undefined;
  /** The last position of any earlier attempt in this file. */
  readonly earlier?: LogPosition | undefined;
  /** The job's ID is in its name: no other job writes there. */
  readonly isNamedAfterJob: boolean;
  /** It was looked for before, in this attempt, and was not there. */
  readonly appeared: boolean;
}

export interface Known extends Omit<TailStart, "path">, Omit<TailTarget, "heimdallJobId"> {
  readonly look: Look;
  /** True when the bytes before the position are still the ones that were read. */
  readonly isStillBefore: (position: ReadPart) => boolean;
  /** True when a line ends at the position, or the file begins there. */
  readonly isLineEnd: (position: ReadPart) => boolean;
}

export type Place =
  | { readonly kind: "read"; readonly start: number; readonly offset: number; readonly isResumed: boolean }
  /** @property before Everything below it was there before this attempt. */
  | { readonly kind: "wait"; readonly before: number }
  | { readonly kind: "rewritten" }
  /** Nobody looked, and the attempt is over: whose lines they are is not known. */
  | { readonly kind: "foreign"; readonly why: string };

/** The clocks of the scheduler and of the file server may differ by so much when a file is born. */
const birthSlackMs = 1_000;
const wholeSecondMs = 1_000;
/** Processes write on while they are being ended: Slurm's KillWait, 30 s by default, and a little. */
const lateLinesMs = 60_000;

export function placeOf(known: Known): Place {
  const { look, own, earlier, appeared, ended, endedAt } = known;
  if (own !== undefined && own.inode !== "") return placeOfOwn(known, own);
  if (ended && endedAt !== undefined && look.modifiedAt > endedAt + lateLinesMs)
    return foreign("it was written to after the attempt had ended; its part cannot be told");
  if (appeared) return from(0);
  if (earlier === undefined || earlier.inode === "") return placeOfUnknown(known);
  if (earlier.inode !== look.inode) return placeInAnother(known, earlier);
  return placeAfter(known, earlier);
}

/** What a file that one waits for has become. */
export function placeAfterWait(known: Known, before: ReadPart, modifiedAt: Instant): Place {
  const { look, shared } = known;
  if (look.inode !== before.inode || look.size < before.offset || !known.isStillBefore(before)) return from(0);
  if (isUntouched(known)) return { kind: "wait", before: look.size };
  if (look.size > before.offset) return shared === false ? from(0) : from(before.offset);
  // Written to, and yet the same: emptied and written alike, as a start that fails again does.
  return look.modifiedAt > modifiedAt && shared !== true ? from(0) : { kind: "wait", before: look.size };
}

function placeOfOwn({ look, isStillBefore, ended }: Known, own: LogPosition): Place {
  const isAnother = own.inode !== look.inode; // Rotated away while nobody looked; or made anew by the next attempt.
  const isIntact = !isAnother && look.size >= own.offset && isStillBefore(own);
  if (isIntact) return { kind: "read", start: own.start, offset: own.offset, isResumed: true };
  if (ended) return foreign("it was emptied while nobody read it; what it says may be of another attempt");
  return isAnother ? from(0) : { kind: "rewritten" };
}

function placeAfter(known: Known, earlier: LogPosition): Place {
  const { look, shared, startedAt } = known;
  const wasEmptied = look.size < earlier.offset || !known.isStillBefore(earlier);
  if (isUntouched(known) && !(wasEmptied && look.size === 0)) return { kind: "wait", before: look.size };
  if (wasEmptied) return from(wasEmptiedByOthers(known, earlier) ? look.size : 0);
  if (shared === false) return from(0);
  if (look.size === earlier.offset) {
    // Its reader read on after this attempt had begun, since nobody had told it so: what it read has lines of both.
    if (startedAt !== undefined && (earlier.readAt ?? 0) >= startedAt) return { kind: "wait", before: look.size };
    // Emptied and written alike, as a start that fails again does; or its reader read on, by a clock that is behind.
    const isReadThrough = earlier.ended && !isAppendedTo(known, earlier);
    return startedAt !== undefined && isReadThrough ? from(0) : { kind: "wait", before: look.size };
  }
  // Appended to. Unless the earlier attempt was read to its end, where it ends is not known; nor when half a line was still on its way.
  return from(earlier.ended && known.isLineEnd(earlier) ? earlier.offset : look.size);
}

/** Another file of that name: made by this attempt; or by the earlier one, which then wrote to it while nobody read it (rotation). */
function placeInAnother(known: Known, earlier: LogPosition): Place {
  const { look } = known;
  if (isReadToEnd(earlier)) return from(0); // Made since.
  if (look.bornAt !== undefined) return placeOfUnknown(known);
  if (isUntouched(known)) return { kind: "wait", before: look.size };
  return from(wasEmptiedByOthers(known, earlier) ? look.size : 0);
}

/**
 * Emptied, and maybe not by the start of this attempt: a file that each start appends to; or one that the earlier attempt's own reader
 * found emptied. Unless that was read to its end, and was the one right before, what is there already may be an earlier one's.
 */
function wasEmptiedByOthers(known: Known, earlier: LogPosition): boolean {
  const { unreadable, readAt } = earlier;
  const wasFoundEmptied = unreadable !== undefined && readAt === undefined; // Nobody has read it since.
  if (wasFoundEmptied) return known.shared !== false;
  return isAppendedTo(known, earlier) && !isReadToEnd(earlier);
}

const isReadToEnd = ({ ended, unreadable }: LogPosition): boolean => ended && unreadable === undefined;

/**
 * The file was emptied, and the attempt has ended before it was read again: what is in it now is the next attempt's. But where no start
 * empties it, or nothing was written to it since the end, it is what this one wrote after somebody had.
 */
export function leftUnread(
  target: Pick<TailTarget, "shared" | "endedAt">,
  own: Pick<LogPosition, "start">,
  { modifiedAt }: Pick<Look, "modifiedAt">,
): string | undefined {
  const isItsOwn = target.endedAt !== undefined && modifiedAt < target.endedAt + wholeSecondMs;
  return isItsOwn || isAppendedTo(target, own) ? "it was emptied before it was read to its end" : undefined;
}

/** The earlier attempt's part began behind the lines of others, and they were kept. */
const isAppendedTo = ({ shared }: Pick<Known, "shared">, { start }: Pick<LogPosition, "start">): boolean =>
  shared ?? start > 0;

function placeOfUnknown(known: Known): Place {
  const { look, attemptIndex, startedAt, shared, isNamedAfterJob } = known;
  if (startedAt === undefined) return from(attemptIndex === 0 || shared === false ? 0 : look.size);
  if (look.bornAt !== undefined && look.bornAt >= startedAt - birthSlackMs) return from(0);
  if (isUntouched(known)) return { kind: "wait", before: look.size };
  if (shared === false) return from(0);
  const isOwn = attemptIndex === 0 && isNamedAfterJob && look.bornAt === undefined;
  return from(isOwn ? 0 : look.size);
}

/** Nothing has been written to it since this attempt began. */
function isUntouched({ look, startedAt }: Known): boolean {
  return startedAt !== undefined && look.modifiedAt < startedAt;
}

const foreign = (why: string): Place => ({ kind: "foreign", why });
const from = (offset: number): Place => ({ kind: "read", start: offset, offset, isResumed: false });

/** Of several earlier attempts the last one that had the file, whether its lines could be read or not. @param positions By attempt. */
export const latest = (positions: readonly LogPosition[]): LogPosition | undefined =>
  positions.findLast(({ inode }) => inode !== "") ?? positions.at(-1);

/** `128` is in `slurm-128.out`, not in `run1280.log`. */
export function isWordIn(path: string, id: string | undefined): boolean {
  return id !== undefined && new RegExp(`(?<![0-9])0*${id}(?![0-9])`).test(path);
}
