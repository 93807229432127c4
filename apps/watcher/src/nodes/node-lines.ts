/**
 * node-lines: the lines of an attempt's nodes, as its target brings them, read once each.
 *
 * In the loop   Target → **lines that were not read yet** → attempt-reader
 * Keeps         a target that comes again brings all of them again: what was read is known by node and key. Another watcher reads
 *               them anew, and tells the same signals under the same keys.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { AttemptClock } from "../attempt-clock.ts";
import type { AttemptReader } from "../attempt-reader.ts";
import type { Target } from "../server.ts";

export class NodeLines {
  /** `Target.nodeLinesNumber` up to which they were read. */
  number = 0;
  private readonly known = new Set<string>();
  private readFor: Target | undefined;

  /** @returns false: there are more, but the reader has enough for this pass. */
  read(
    target: Target,
    reader: AttemptReader,
    { now, clock }: { readonly now: Instant; readonly clock: AttemptClock },
    pendingMax: number,
  ): boolean {
    if (this.readFor === target) return true;
    for (const { node, key, at, line, path = "", offset = 0, isShared } of target.nodeLines) {
      const name = `${node} ${key}`;
      if (this.known.has(name)) continue;
      if (reader.pending >= pendingMax) return false;
      this.known.add(name);
      const bytes = new TextEncoder().encode(line);
      const ofNode = { node, key, writtenAt: Math.min(clock.meant(at), now), isShared };
      reader.readNode(ofNode, { path, inode: "", offset, bytes, from: 0, to: bytes.length, isReplay: false }, now);
    }
    this.number = target.nodeLinesNumber;
    this.readFor = target;
    return true;
  }
}
