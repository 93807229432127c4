/**
 * rewrite: notices that what was read of a file is no longer in it.
 *
 * Gives   `intact`; `gone`: nothing may be read; `settled`: this attempt still runs `settleMs` later, so the program itself has
 *         emptied its log, and reading begins anew.
 * Keeps   the mark of the last intact position, by which the next reader sees what has happened.
 * Bound   a shared file system may show an old size for a moment: what comes back unchanged is intact.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { markBefore } from "./mark.ts";
import type { OpenLog } from "./source/source.ts";

const settleMs = 30_000;

export class Rewrite {
  private since: Instant | undefined;
  private mark: { readonly offset: number; readonly text: string } | undefined;

  remember(offset: number, mark: string): void {
    this.mark = { offset, text: mark };
  }

  /** It was seen to be gone when the watcher came back. */
  begin(now: Instant): void {
    this.since = now;
  }

  look(now: Instant, log: OpenLog, size: number, offset: number): "intact" | "gone" | "settled" {
    if (size >= offset && (this.since === undefined || this.isBack(log, offset))) {
      this.since = undefined;
      return "intact";
    }
    this.since ??= now;
    if (now - this.since < settleMs) return "gone";
    this.since = undefined;
    return "settled";
  }

  /** @returns the mark of a position; empty when the file cannot be read just now. */
  markAt(log: OpenLog | undefined, offset: number): string {
    if (this.since !== undefined) return this.mark?.text ?? "short";
    if (this.mark?.offset === offset) return this.mark.text;
    if (log === undefined) return "";
    try {
      this.mark = { offset, text: markBefore(log, offset) };
      return this.mark.text;
    } catch {
      return ""; // The next pass says why.
    }
  }

  private isBack(log: OpenLog, offset: number): boolean {
    return this.mark?.offset === offset && this.mark.text === markBefore(log, offset);
  }
}
