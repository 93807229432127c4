/**
 * training: how far the training of one attempt came, as signals.
 *
 * In the loop   step, checkpoint and end lines → **training** → drafts
 * Takes         what was found in a line, in order; replayed lines only teach.
 * Keeps         progress is a step that grew. `resumed` is told with the first step of a later attempt, and again with the first
 *               step after a launcher has begun anew inside an attempt. Numbers that stay broken are told while it goes on.
 */
import type { Instant, Signal } from "@reprise/core/nouns.ts";
import type { Line } from "../lines.ts";
import type { Found } from "../match/matcher.ts";
import { type Draft, draftOf, type Drafts, type Heard, keyOf } from "./drafts.ts";
import type { Incident } from "./incident.ts";
import { lostAfterSteps, NotFinite, type Row } from "./not-finite.ts";
import { Steps } from "./steps.ts";

export class Training {
  private readonly heimdallJobId: string;
  private readonly drafts: Drafts;
  private readonly incident: Incident;
  private readonly steps = new Steps();
  private readonly notFinite = new NotFinite();
  private loadedStep: number | undefined;
  private checkpointStep: number | undefined;
  /** The next step is the first one of a resumed training. */
  private resumes: boolean;
  private hasStepped = false;
  private hasFinished = false;
  /** The workers, or the program, said that all went well: what fails after it is teardown. */
  hasSucceeded = false;

  constructor(of: { heimdallJobId: string; attemptIndex: number }, drafts: Drafts, incident: Incident) {
    this.heimdallJobId = of.heimdallJobId;
    this.resumes = of.attemptIndex > 0;
    this.drafts = drafts;
    this.incident = incident;
  }

  get lastStep(): number | undefined {
    return this.steps.last;
  }

  /** @param steppedAt When an earlier reader of this attempt saw its last step. */
  goesOnFrom(steppedAt: Instant | undefined): void {
    this.steps.goesOnFrom(steppedAt);
  }

  beginEpoch({ captures }: Found): void {
    this.steps.beginEpoch(captures["epoch"]);
  }

  /** @returns the step when it grew, and was not read before. */
  stepped({ signature, captures }: Found, heard: Heard): number | undefined {
    const { line, text, now } = heard;
    if (!this.steps.grew({ counts: signature.counts, captures }, line.isReplay ? undefined : now)) return undefined;
    const row = this.notFinite.stepped(line, text);
    // A step that is not finite is a step, but no sign that the program has survived.
    if (!this.notFinite.isBroken) this.incident.stepped();
    const step = this.steps.last!;
    const isFirst = this.resumes;
    this.resumes = false;
    this.hasStepped = true;
    if (line.isReplay) return undefined;

    if (isFirst) this.drafts.tell(this.draft("resumed", heard, this.loadedStep ?? step), now);
    const progress = (kept: Line) => {
      const { spacingMs } = this.steps;
      const draft = this.draft("progress", { line: kept, text }, step);
      return spacingMs === undefined ? draft : { ...draft, stepSpacingMs: spacingMs };
    };
    this.drafts.hold(progress, line, this.incident.isFatal || isFirst, now);
    if (row !== undefined) this.tellNotFinite(row, heard, step);
    return step;
  }

  /** @returns whether a further checkpoint was saved, and that was not read before. */
  saved({ captures }: Found, heard: Heard): boolean {
    const step = captures["step"] === undefined ? this.steps.last : Number(captures["step"]);
    if (step === undefined || step === this.checkpointStep) return false; // Every rank says so.
    this.checkpointStep = step;
    if (!heard.line.isReplay) this.drafts.tell(this.draft("checkpoint-saved", heard, step), heard.now);
    return !heard.line.isReplay;
  }

  /** Training goes on from a step that may be lower than the last one: at the start, or when a launcher begins again. */
  loaded({ captures: { step, firstStep } }: Found): void {
    if (step !== undefined || firstStep !== undefined)
      this.loadedStep = firstStep === undefined ? Number(step) : Number(firstStep) - 1;
    this.resumes ||= this.hasStepped;
    this.steps.restart();
    this.notFinite.restart();
    this.incident.restart();
  }

  finished({ captures }: Found, heard: Heard): void {
    if (this.hasFinished) return;
    this.hasFinished = true;
    this.hasSucceeded = true;
    if (heard.line.isReplay) return;
    const step = captures["step"] === undefined ? this.steps.last : Number(captures["step"]);
    this.drafts.tell(this.draft("finished", heard, step), heard.now);
  }

  private tellNotFinite({ steps, line, text }: Row, heard: Heard, step: number): void {
    const draft: Draft = {
      ...this.draft("numerics", { line, text }, step),
      key: keyOf(heard.line, "not-finite"),
      cause: "not-finite",
      causeClass: "numerics",
      domain: "unknown",
      root: true,
      exitIndependent: steps >= lostAfterSteps,
    };
    this.drafts.tell(draft, heard.now);
  }

  private draft(kind: Signal["kind"], heard: Pick<Heard, "line" | "text">, step: number | undefined): Draft {
    return draftOf(this.heimdallJobId, kind, heard, step);
  }
}
