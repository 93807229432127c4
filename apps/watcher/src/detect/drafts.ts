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
import type { Signature } from "../match/signature.ts";
import type { Speaker } from "../match/speaker.ts";
import type { ReportedSignal } from "../server.ts";

const progressEveryMs = 2_000;
/** What an attempt keeps in hand for the words of its last step. */
const reusedBytesMax = 4_096;
const none: readonly ReportedSignal[] = [];

/** A signal without its time: that is given when the pass is over. */
export type Draft = Omit<ReportedSignal, "at" | "evidence"> & {
  readonly evidence: Omit<Evidence, "at">;
  /** Of a line that has its own time; it may be long before it is read. */
  readonly writtenAt?: Instant | undefined;
};

/** A line of a node's own log, as it concerns this attempt. */
export interface OfNode {
  readonly node: string;
  /** What the server knows it by. Absent: it has come straight from the file. */
  readonly key?: string;
  /** By our clock. Absent: now. */
  readonly writtenAt?: Instant;
  /** Another job was on the node: whether this one's program can go on does not follow from the line. */
  readonly isShared?: boolean;
}

/** One line as it is heard: a message inside a line of JSON is its own lines, at the place of the outer one. */
export interface Heard {
  readonly line: Line;
  readonly text: string;
  readonly speaker: Speaker;
  readonly now: Instant;
  /** Its log is a node's own. */
  readonly ofNode?: OfNode;
}

export class Drafts {
  private drafts: Draft[] = [];
  private held: { readonly draft: (line: Line) => Draft; readonly line: Line } | undefined;
  /** The words of the held line: most steps are replaced by the next before anybody has asked for them. */
  private heldBytes = new Uint8Array(0);
  private progressAt = Number.NEGATIVE_INFINITY;
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Signals that the next `take` would give. */
  get pending(): number {
    return this.drafts.length;
  }

  heldAt(path: string): number | undefined {
    return this.held?.line.path === path ? this.held.line.offset : undefined;
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
    const length = line.to - line.from;
    if (length > reusedBytesMax) this.held = { draft, line: keptLine(line) };
    else {
      if (this.heldBytes.length < length) this.heldBytes = new Uint8Array(length);
      this.held = { draft, line: keptLine(line, this.heldBytes) };
    }
    if (isUrgent || this.isDue(now)) this.tellHeld(now);
  }

  /** @param isLast The attempt is over: what was held back is told now. */
  take(now: Instant, isLast: boolean): readonly ReportedSignal[] {
    if (isLast || this.isDue(now)) this.tellHeld(now);
    const drafts = this.drafts;
    if (drafts.length === 0) return none;
    this.drafts = [];
    return drafts.map(({ writtenAt, ...draft }, index) => {
      this.lastAt = Math.max(this.lastAt + 1, now - (drafts.length - 1 - index));
      const at = Math.min(writtenAt ?? this.lastAt, this.lastAt);
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
    this.drafts.push(this.held.draft(this.held.line));
    this.held = undefined;
    this.progressAt = now;
  }
}

/**
 * The bytes of a line, and what was found in them, are only lent for the time of the pass.
 *
 * @param into At least as long as the line.
 */
export function keptLine({ path, inode, offset, bytes, from, to, isReplay }: Line, into?: Uint8Array): Line {
  into?.set(bytes.subarray(from, to));
  return { path, inode, offset, bytes: into ?? bytes.slice(from, to), from: 0, to: to - from, isReplay };
}

export function draftOf(
  heimdallJobId: string,
  kind: ReportedSignal["kind"],
  { line, text, ofNode }: Pick<Heard, "line" | "text" | "ofNode">,
  step: number | undefined,
): Draft {
  const { path, offset } = line;
  const where = path === "" ? {} : { path, offset }; // A line that a program has handed on is in no file that we know of.
  const source = ofNode === undefined ? "log" : "node-log";
  return {
    key: keyOf(line, kind),
    heimdallJobId,
    kind,
    evidence: { source, line: cutToBytes(text.trim(), limits.evidenceLineBytesMax), ...where },
    root: false,
    exitIndependent: false,
    nodes: [],
    ...(step === undefined ? {} : { step }),
  };
}

/** What a line says that speaks of a failure. */
export function causeDraft(
  heimdallJobId: string,
  signature: Signature,
  heard: Heard,
  said: { readonly root: boolean; readonly named: readonly string[]; readonly rank: number | undefined },
  step: number | undefined,
): Draft {
  const { ofNode, line } = heard;
  const key = ofNode?.key === undefined ? keyOf(line, signature.id) : `${ofNode.node} ${ofNode.key}:${signature.id}`;
  return {
    ...draftOf(heimdallJobId, signature.kind as "crash", heard, step),
    key,
    cause: signature.id,
    ...(signature.causeClass === undefined ? {} : { causeClass: signature.causeClass }),
    ...(signature.domain === undefined ? {} : { domain: signature.domain }),
    root: said.root,
    exitIndependent: said.root && signature.exitIndependent && ofNode?.isShared !== true,
    nodes: ofNode === undefined ? said.named : [ofNode.node],
    ...(said.rank === undefined ? {} : { rank: said.rank }),
    writtenAt: ofNode?.writtenAt,
  };
}

/** With the words of the line: a file that is emptied and written anew has other lines at the same offsets. */
export function keyOf({ path, inode, offset, bytes, from, to }: Line, what: string): string {
  return `${path}:${inode}:${offset}:${what}:${fnv1a(bytes, from, to)}`;
}
