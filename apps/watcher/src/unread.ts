/**
 * unread: files that cannot be read whole, told once each in the watcher's log, and again when they can.
 *
 * Keeps   the same trouble with other numbers in it is the same: a log that is sampled is one line, not one a position.
 */
import type { Log } from "@reprise/runtime/life.ts";

export class Unread {
  private readonly log: Log;
  private readonly of: object;
  /** By path: the trouble without its numbers. */
  private readonly known = new Map<string, string>();

  /** @param of Whose files they are, for the log. */
  constructor(log: Log, of: object) {
    this.log = log;
    this.of = of;
  }

  /** @param why Absent: it was read whole. */
  is(path: string, why: string | undefined): void {
    const kind = why?.replaceAll(/\d+/g, "n");
    if (this.known.get(path) === kind) return;
    if (kind === undefined) {
      this.known.delete(path);
      this.log.info({ ...this.of, path }, "a log is read whole again");
      return;
    }
    this.known.set(path, kind);
    this.log.warn({ ...this.of, path, why }, "a log cannot be read whole: silence in it counts for nothing");
  }
}
