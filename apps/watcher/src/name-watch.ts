/**
 * name-watch: notices that a log's name has been given to another file (rotation).
 *
 * Bound   one look by name in `everyMs`: it costs three times as much as one at an open file.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { LogSource } from "./source/source.ts";

const everyMs = 1_000;

export class NameWatch {
  private readonly source: LogSource;
  private readonly path: string;
  private lookedAt: Instant = Number.NEGATIVE_INFINITY;
  private inode: string | undefined;

  constructor(source: LogSource, path: string) {
    this.source = source;
    this.path = path;
  }

  /** The file was just opened by this name. */
  begin(now: Instant): void {
    this.lookedAt = now;
    this.inode = undefined;
  }

  /** A name that is gone belongs to nobody else yet. */
  isOfAnother(now: Instant, inode: string): boolean {
    if (now - this.lookedAt >= everyMs) {
      this.lookedAt = now;
      const named = this.source.look(this.path);
      this.inode = named.kind === "seen" ? named.look.inode : undefined;
    }
    return this.inode !== undefined && this.inode !== inode;
  }
}
