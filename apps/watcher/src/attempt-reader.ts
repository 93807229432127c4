/**
 * attempt-reader: what the lines of one attempt say, as Signals.
 *
 * In the loop   lines of all its files → match → **what is worth telling** → ReportSignals
 * Takes         lines in order, file by file; replayed ones only teach (who is where, how far training came).
 * Gives         `take`: the signals of this pass, their times strictly rising in the order of the lines, so that "a step after
 *               the fatal line" can be told from "a step before it" although both were read at once.
 * Keeps         the same line gives the same key however often it is read. A step that was read but not yet told holds the
 *               file's position back (`heldAt`): a restart reads it again.
 * Bound         one progress signal in `progressEveryMs`, but every step while a fatal line waits for one; error lines as
 *               `detect/incident.ts` has it.
 * Source        design §6, "acting before the end".
 */
import { limits } from "@reprise/core/limits.ts";
import type { Evidence, Instant } from "@reprise/core/nouns.ts";
import { Incident } from "./detect/incident.ts";
import { Places } from "./detect/places.ts";
import { Steps } from "./detect/steps.ts";
import { Tracebacks } from "./detect/traceback.ts";
import { fnv1a } from "./mark.ts";
import { cutToBytes, type Speaker, speakerOf, textOf } from "./match/line-text.ts";
import { type Found, isCause, type Matcher } from "./match/matcher.ts";
import type { ReportedSignal } from "./server.ts";
import type { Line } from "./lines.ts";

const progressEveryMs = 2_000;

export interface ReaderOf {
  readonly heimdallJobId: string;
  readonly attemptIndex: number;
  readonly nodes: readonly string[];
  readonly gpuCountPerNode: number;
}

/** A signal without its time: that is given when the pass is over. */
type Draft = Omit<ReportedSignal, "at" | "evidence"> & { readonly evidence: Omit<Evidence, "at"> };

export class AttemptReader {
  private readonly of: ReaderOf;
  private readonly matcher: Matcher;
  private places: Places;
  private readonly steps = new Steps();
  private readonly tracebacks = new Map<string, Tracebacks>();
  private drafts: Draft[] = [];
  private held: { readonly draft: Draft; readonly path: string; readonly offset: number } | undefined;
  private progressAt = Number.NEGATIVE_INFINITY;
  private lastAt = Number.NEGATIVE_INFINITY;
  private loadedStep: number | undefined;
  private checkpointStep: number | undefined;
  private hasResumed = false;
  private hasFinished = false;
  private hasSucceeded = false;
  private readonly incident = new Incident();

  constructor(of: ReaderOf, matcher: Matcher) {
    this.of = of;
    this.matcher = matcher;
    this.places = new Places(of.nodes, of.gpuCountPerNode);
  }

  /** The nodes may become known only after the first look. What lines have taught of others is then void. */
  runsOn(nodes: readonly string[], gpuCountPerNode: number): void {
    if (!this.places.isOf(nodes)) this.places = new Places(nodes, gpuCountPerNode);
  }

  /** A fatal line was read, and no further steps since: whether one comes must be told at once. */
  get isFatalPending(): boolean {
    return this.incident.isFatal;
  }

  /** Signals that the next `take` would give. */
  get pending(): number {
    return this.drafts.length;
  }

  heldAt(path: string): number | undefined {
    return this.held?.path === path ? this.held.offset : undefined;
  }

  read(line: Line, now: Instant): void {
    const tracebacks = this.tracebacksOf(line.path);
    const match = this.matcher.match(line.bytes, line.from, line.to);
    if (match === undefined && !tracebacks.isOpen) return;
    const text = match?.text ?? textOf(line.bytes, line.from, line.to);
    const speaker = speakerOf(text);
    this.places.learnTask(speaker);

    const found = [...(match?.found ?? [])];
    if (match?.tracebackPrefix !== undefined) tracebacks.begin(match.tracebackPrefix);
    else if (tracebacks.isOpen) {
      const end = tracebacks.end(text);
      const cause = end === undefined ? undefined : this.matcher.matchTracebackEnd(end);
      // Over the whole line another signature may have spoken already; the exception counts only without one.
      if (cause !== undefined && !found.some((f) => isCause(f.signature))) found.push(cause);
    }
    for (const f of found) this.hear(f, line, text, speaker, now);
  }

  /** @param isLast The attempt is over: what was held back is told now. */
  take(now: Instant, isLast: boolean): readonly ReportedSignal[] {
    if (isLast || now - this.progressAt >= progressEveryMs) this.tellHeld(now);
    const drafts = this.drafts;
    this.drafts = [];
    return drafts.map((draft, index) => {
      const at = Math.max(this.lastAt + 1, now - (drafts.length - 1 - index));
      this.lastAt = at;
      return { ...draft, at, evidence: { ...draft.evidence, at } };
    });
  }

  private hear(found: Found, line: Line, text: string, speaker: Speaker, now: Instant): void {
    const { signature, captures } = found;
    switch (signature.kind) {
      case "progress":
        return this.hearStep(found, line, text, now);
      case "checkpoint-saved":
        return this.hearSaved(found, line, text, now);
      case "checkpoint-loaded":
        this.loadedStep =
          captures["firstStep"] === undefined ? Number(captures["step"]) : Number(captures["firstStep"]) - 1;
        return this.steps.restart();
      case "finished":
        return this.hearFinished(found, line, text, now);
      case "succeeded":
        this.hasSucceeded = true;
        return;
      case "host-address":
        return this.places.learnAddress(captures["address"] ?? "", captures["host"] ?? "");
      case "rank-host":
        return this.places.learnRank(Number(captures["rank"]), captures["host"] ?? "");
      case "world-size":
        return this.places.learnWorldSize(Number(captures["ranks"]));
      default:
        return this.hearCause(found, line, text, speaker, now);
    }
  }

  private hearStep({ signature, captures }: Found, line: Line, text: string, now: Instant): void {
    if (!this.steps.grew({ signature: signature.id, captures }, line.isReplay ? undefined : now)) return;
    this.incident.stepped();
    const step = this.steps.last!;
    const isFirst = this.of.attemptIndex > 0 && !this.hasResumed;
    this.hasResumed = true;
    if (line.isReplay) return;

    if (isFirst) {
      this.tell(this.draft("resumed", line, text, { step: this.loadedStep ?? step }));
    }
    const spacing = this.steps.spacingMs === undefined ? {} : { stepSpacingMs: this.steps.spacingMs };
    this.held = {
      draft: this.draft("progress", line, text, { step, ...spacing }),
      path: line.path,
      offset: line.offset,
    };
    if (this.incident.isFatal || now - this.progressAt >= progressEveryMs) this.tellHeld(now);
  }

  private hearSaved({ captures }: Found, line: Line, text: string, now: Instant): void {
    const step = captures["step"] === undefined ? this.steps.last : Number(captures["step"]);
    if (step === undefined || step === this.checkpointStep) return; // Every rank says so.
    this.checkpointStep = step;
    if (line.isReplay) return;
    this.tellHeld(now);
    this.tell(this.draft("checkpoint-saved", line, text, { step }));
  }

  private hearFinished({ captures }: Found, line: Line, text: string, now: Instant): void {
    if (this.hasFinished) return;
    this.hasFinished = true;
    this.hasSucceeded = true;
    if (line.isReplay) return;
    this.tellHeld(now);
    const step = captures["step"] === undefined ? this.steps.last : Number(captures["step"]);
    this.tell(this.draft("finished", line, text, step === undefined ? {} : { step }));
  }

  private hearCause(found: Found, line: Line, text: string, speaker: Speaker, now: Instant): void {
    const { signature, captures } = found;
    const rank = captures["rank"] === undefined ? speaker.rank : Number(captures["rank"]);
    const root = this.incident.hear(signature, this.hasSucceeded);
    if (!this.incident.mayTell(signature.id, rank) || line.isReplay) return;
    this.tellHeld(now);
    this.tell({
      ...this.draft(
        signature.kind as "crash",
        line,
        text,
        this.steps.last === undefined ? {} : { step: this.steps.last },
      ),
      key: keyOf(line, signature.id),
      cause: signature.id,
      ...(signature.causeClass === undefined ? {} : { causeClass: signature.causeClass }),
      ...(signature.domain === undefined ? {} : { domain: signature.domain }),
      root,
      exitIndependent: root && signature.exitIndependent,
      nodes: this.places.nodesOf(text, captures, speaker),
      ...(rank === undefined ? {} : { rank }),
    });
  }

  private draft(
    kind: ReportedSignal["kind"],
    line: Line,
    text: string,
    more: { readonly step?: number; readonly stepSpacingMs?: number },
  ): Draft {
    const { path, offset } = line;
    return {
      key: keyOf(line, kind),
      heimdallJobId: this.of.heimdallJobId,
      kind,
      evidence: { source: "log", line: cutToBytes(text.trim(), limits.evidenceLineBytesMax), path, offset },
      root: false,
      exitIndependent: false,
      nodes: [],
      ...more,
    };
  }

  /** Steps that follow each other in one pass are one: the last. */
  private tellHeld(now: Instant): void {
    if (this.held === undefined) return;
    if (this.drafts.at(-1)?.kind === "progress") this.drafts.pop();
    this.drafts.push(this.held.draft);
    this.held = undefined;
    this.progressAt = now;
  }

  private tell(draft: Draft): void {
    this.drafts.push(draft);
  }

  private tracebacksOf(path: string): Tracebacks {
    const known = this.tracebacks.get(path) ?? new Tracebacks();
    this.tracebacks.set(path, known);
    return known;
  }
}

/** With the words of the line: a file that is emptied and written anew has other lines at the same offsets. */
function keyOf({ path, inode, offset, bytes, from, to }: Line, what: string): string {
  return `${path}:${inode}:${offset}:${what}:${fnv1a(bytes.subarray(from, to))}`;
}
