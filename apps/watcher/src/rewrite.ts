/**
 * rewrite: notices that what was read of a file is no longer in it.
 *
 * Gives   `intact`; `gone`: nothing may be read; `settled`: this attempt still runs `settleMs` later, so the program itself has
 *         emptied its log, and reading begins anew.
 * Keeps   the mark of the last intact position, by which the next reader sees what has happened; and that of where reading
 *         stopped: a file that was emptied and has grown beyond it between two looks is no shorter.
 * Bound   a shared file system may show an old size for a moment: what comes back unchanged is intact.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { markBefore } from "./mark.ts";
import type { OpenLog } from "./source/source.ts";

const settleMs = 30_000;

interface Mark {
  readonly offset: number;
  readonly text: string;
}

export class Rewrite {
  private since: Instant | undefined;
  private mark: Mark | undefined;
  private end: Mark | undefined;

  remember(offset: number, mark: string): void {
    this.mark = { offset, text: mark };
    this.end = this.mark;
  }

  /** Everything before the offset has just been read. */
  hasRead(log: OpenLog, offset: number): void {
    if (this.end?.offset === offset) return;
    try {
      this.end = { offset, text: markBefore(log, offset) };
    } catch {
      this.end = undefined; // The lines have been given; only their mark has to wait.
    }
  }

  /** It was seen to be gone when the watcher came back. */
  begin(now: Instant, offset: number, mark: string): void {
    this.remember(offset, mark);
    this.since = now;
  }

  /** What stands before the offset is not what was read there. */
  hasChanged(log: OpenLog, offset: number): boolean {
    return this.end?.offset === offset && this.end.text !== markBefore(log, offset);
  }

  /** @param readSize As long the file was when it was read to its end: then nothing more will be taken from it. */
  look(
    now: Instant,
    log: OpenLog,
    size: number,
    { offset, readSize }: { readonly offset: number; readonly readSize: number },
  ): "intact" | "gone" | "settled" {
    const isSame =
      this.since === undefined ? size === readSize || !this.hasChanged(log, offset) : this.isBack(log, offset);
    if (size >= offset && isSame) {
      this.since = undefined;
      return "intact";
    }
    this.since ??= now;
    if (now - this.since < settleMs) return "gone";
    [this.since, this.end] = [undefined, undefined];
    return "settled";
  }

  /** @returns the mark of a position; empty when the file cannot be read just now. */
  markAt(log: OpenLog | undefined, offset: number): string {
    if (this.since !== undefined) return (this.end?.offset === offset ? this.end : this.mark)?.text ?? "short";
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
    return this.end?.offset === offset && this.end.text === markBefore(log, offset);
  }
}
