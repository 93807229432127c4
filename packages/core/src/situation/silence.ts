/**
 * silence: what the watcher tells when nothing came any more, and no line stands for it.
 *
 * Pure, total
 * Keeps         any line that may be a root explains more than the silence after it; any later step contradicts it.
 */
import type { Signal } from "../nouns.ts";

const silences: ReadonlySet<string> = new Set(["no-first-step", "no-further-step"]);

export function isSilence({ kind, cause }: Pick<Signal, "cause"> & { readonly kind: string }): boolean {
  return kind === "hang" && cause !== undefined && silences.has(cause);
}

/** The nodes of such a signal are those of ranks that are behind; a watchdog's line is printed by those who wait. */
export function namesSuspect(signal: Signal): boolean {
  return isSilence(signal) || signal.cause === "rank-behind";
}
