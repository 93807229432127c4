/**
 * drafts: the signals of one pass, before they are told.
 *
 * In the loop   what a line says → **drafts** → take → ReportSignals
 * Gives         `take`: signals whose times strictly rise in the order of the lines, so that "a step after the fatal line" can
 *               be told from "a step before it" although both were read at once.
 * Keeps         a step that was read but not yet told is held, and with it the file's position: a restart reads it again.
 * Bound         one progress signal in `progressEveryMs`, unless something else is told in between.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Evidence, Instant } from "@reprise/core/nouns.ts";
import type { Line } from "../lines.ts";
import { fnv1a } from "../mark.ts";
import { cutToBytes } from "../match/line-text.ts";
import type { Speaker } from "../match/speaker.ts";
import type { ReportedSignal } from "../server.ts";

const progressEveryMs = 2_000;

/** A signal without its time: that is given when the pass is over. */
export type Draft = Omit<ReportedSignal, "at" | "evidence"> & { readonly evidence: Omit<Evidence, "at"> };

/** One line as it is heard: a message inside a line of JSON is its own lines, at the place of the outer one. */
export interface Heard {
  readonly line: Line;
  readonly text: string;
  readonly speaker: Speaker;
  readonly now: Instant;
  /** Its log is a node's own. */
  readonly node?: string;
}

export class Drafts {
  private drafts: Draft[] = [];
  private held: { readonly draft: () => Draft; readonly path: string; readonly offset: number } | undefined;
  private progressAt = Number.NEGATIVE_INFINITY;
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Signals that the next `take` would give. */
  get pending(): number {
    return this.drafts.length;
  }

  heldAt(path: string): number | undefined {
    return this.held?.path === path ? this.held.offset : undefined;
  }

  tell(draft: Draft, now: Instant): void {
    this.tellHeld(now);
    this.drafts.push(draft);
  }

  /**
   * @param draft    Of the step; asked for only if no further step takes its place.
   * @param isUrgent Somebody waits to hear whether a step comes.
   */
  hold(draft: (line: Line) => Draft, line: Line, isUrgent: boolean, now: Instant): void {
    const kept = keptLine(line);
    this.held = { draft: () => draft(kept), path: line.path, offset: line.offset };
    if (isUrgent || this.isDue(now)) this.tellHeld(now);
  }

  /** @param isLast The attempt is over: what was held back is told now. */
  take(now: Instant, isLast: boolean): readonly ReportedSignal[] {
    if (isLast || this.isDue(now)) this.tellHeld(now);
    const drafts = this.drafts;
    this.drafts = [];
    return drafts.map((draft, index) => {
      const at = Math.max(this.lastAt + 1, now - (drafts.length - 1 - index));
      this.lastAt = at;
      return { ...draft, at, evidence: { ...draft.evidence, at } };
    });
  }

  private isDue(now: Instant): boolean {
    return now - this.progressAt >= progressEveryMs;
  }

  /** Steps that follow each other in one pass are one: the last. */
  private tellHeld(now: Instant): void {
    if (this.held === undefined) return;
    if (this.drafts.at(-1)?.kind === "progress") this.drafts.pop();
    this.drafts.push(this.held.draft());
    this.held = undefined;
    this.progressAt = now;
  }
}

/** The bytes of a line, and what was found in them, are only lent for the time of the pass. */
export function keptLine({ path, inode, offset, bytes, from, to, isReplay }: Line): Line {
  return { path, inode, offset, bytes: bytes.slice(from, to), from: 0, to: to - from, isReplay };
}

export function draftOf(
  heimdallJobId: string,
  kind: ReportedSignal["kind"],
  { line, text }: Pick<Heard, "line" | "text">,
  step: number | undefined,
): Draft {
  const { path, offset } = line;
  return {
    key: keyOf(line, kind),
    heimdallJobId,
    kind,
    evidence: { source: "log", line: cutToBytes(text.trim(), limits.evidenceLineBytesMax), path, offset },
    root: false,
    exitIndependent: false,
    nodes: [],
    ...(step === undefined ? {} : { step }),
  };
}

/** With the words of the line: a file that is emptied and written anew has other lines at the same offsets. */
export function keyOf({ path, inode, offset, bytes, from, to }: Line, what: string): string {
  return `${path}:${inode}:${offset}:${what}:${fnv1a(bytes, from, to)}`;
}
