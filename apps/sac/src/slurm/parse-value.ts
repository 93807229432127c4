/**
 * parse-value: single values as Slurm prints them.
 *
 * Pure, total   An unreadable value is `undefined`, never a guess.
 * Source        slurm.md and slurm-new.md; every form is in testdata/.
 */
import type { Instant } from "@reprise/core/nouns.ts";

const unsetWords = new Set(["", "(null)", "N/A", "n/a"]);

/** `(null)`, `N/A` and nothing at all are the same: not set. */
export function isUnset(text: string): boolean {
  return unsetWords.has(text);
}

export function setText(text: string | undefined): string | undefined {
  return text === undefined || isUnset(text) ? undefined : text;
}

/** A whole number ≥ 0 in decimal digits. */
export function parseCount(text: string): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}

/** Whole seconds (`SLURM_TIME_FORMAT=%s`) → ms. `N/A` and `NONE` are none. */
export function parseInstant(text: string): Instant | undefined {
  const seconds = parseCount(text);
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * @param text  25.11 prints `exit:signal`: `7:0`. 22.05 prints the raw wait status: `1792` is exit 7, `9` is signal 9, `4021` is
 *              signal 53 (Slurm's own, the exit bits mean nothing then).
 */
export function parseExit(text: string): { exitCode: number; signal: number } | undefined {
  const pair = /^(\d{1,5}):(\d{1,3})$/.exec(text);
  if (pair !== null) return { exitCode: Number(pair[1]), signal: Number(pair[2]) };
  const status = parseCount(text);
  if (status === undefined || status > 0xffff) return undefined;
  const signal = status & 0x7f;
  return signal > 0 ? { exitCode: 0, signal } : { exitCode: status >> 8, signal: 0 };
}

/** The GPUs in `gres:gpu:h100:3`, `gres/gpu=16`, `gres:gpu:2(S:0-1),gres:shard:4`; `undefined` when none is named. */
function countGpus(tres: string): number | undefined {
  let all: number | undefined;
  let typed: number | undefined;
  for (const match of tres.matchAll(
    /(?:^|,)(?:gres[:/])?gpu(?::([A-Za-z][^:=,(]*))?(?:[:=](\d+))?(?:\([^)]*\))?(?=,|$)/g,
  )) {
    const count = match[2] === undefined ? 1 : Number(match[2]);
    if (match[1] === undefined) all = (all ?? 0) + count;
    else typed = (typed ?? 0) + count;
  }
  return all ?? typed; // The allocation names the same GPUs twice: `gres/gpu=16,gres/gpu:h100=16`.
}

/** GPUs on each node. Absent: it asked for none, or Slurm says nothing that divides evenly. */
export function gpusPerNode(perNode: string, perJob: string, alloc: string, nodeCount: number): number | undefined {
  const each = countGpus(perNode);
  if (each !== undefined) return each;
  const together = countGpus(perJob) ?? countGpus(alloc);
  if (together === undefined || nodeCount < 1 || together % nodeCount !== 0) return undefined;
  return together / nodeCount;
}
