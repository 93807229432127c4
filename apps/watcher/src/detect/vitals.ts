/**
 * vitals: whether one attempt is alive and as fast as it was.
 *
 * In the loop   what lines said (steps, saves, evaluations, loads) → **vitals** → hang and slowdown, as drafts of Signals
 * Takes         lines that are read for the first time; what was before comes from the memory of an earlier watcher.
 * Keeps         one signal a silence and one a change of speed, under the key of the line where it began: another watcher says the
 *               same again under the same key. Nothing is told of a training that has finished.
 * Bound         a line is remembered with `lineCharsMax` characters.
 */
import { limits as bounds } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Line } from "../lines.ts";
import { cutToBytes, textOf } from "../match/line-text.ts";
import { partsOf } from "../match/speaker.ts";
import type { LogPosition, SilenceLimits } from "../server.ts";
import { type Draft, type Heard, keyOf } from "./drafts.ts";
import { silenceOf } from "./hang.ts";
import { HostLoad } from "./host-load.ts";
import { readMemory, writeMemory } from "./memory.ts";
import { type LinePlace, Pulse } from "./pulse.ts";
import { Ranks } from "./ranks.ts";
import type { Change } from "./slowdown.ts";
import { printedMs, Speed } from "./speed.ts";
import { ofChange, ofSilence } from "./vital-words.ts";

/** What is watched for, and from where on. */
export interface Watched {
  /** Absent: silence is not told. */
  readonly silence?: SilenceLimits | undefined;
  /** How long a loss of throughput must have lasted to be told (ms). Absent: it is not told. */
  readonly slowdownLastsMs?: number | undefined;
  /** Of the attempt, in Slurm; or the first look. */
  readonly startedAt: Instant;
  /** When this reader begins. Its clock is set by nobody from here on; the one of the reader before it may have been another. */
  readonly beginsAt: Instant;
  /** Where the last reader of the attempt stood. */
  readonly positions: readonly Pick<LogPosition, "memory">[];
}

/** What a silence or a change of speed says; the rest of the signal is the attempt's. */
export type Vital = Pick<Draft, "kind" | "root" | "key" | "evidence"> &
  Required<Pick<Draft, "cause" | "causeClass" | "domain" | "detail">> & {
    /** Who is behind. */
    readonly ranks: readonly number[];
    /** Where a change of speed began. */
    readonly sinceStep?: number;
  };

const lineCharsMax = 500;
/** A reader writes down what it knows every two seconds: one that begins so soon after that has missed nothing. */
const handoverMs = 3_000;

export class Vitals {
  private readonly silence: SilenceLimits | undefined;
  private readonly startedAt: Instant;
  private readonly pulse: Pulse;
  private readonly speed: Speed | undefined;
  private readonly ranks = new Ranks();
  private readonly load = new HostLoad();
  /** When this reader, or one before it, saw the last step. */
  lastStepAt: Instant | undefined;
  private firstStepAt: Instant | undefined;
  private savedStepAt: Instant | undefined;
  private lastStep: number | undefined;
  private stepsTotal: number | undefined;
  private hasFinished = false;

  constructor({ silence, slowdownLastsMs, startedAt, beginsAt, positions }: Watched) {
    const memory = readMemory(positions);
    this.silence = silence;
    // The clock may have been set since, or be another host's.
    const unwatchedMs = beginsAt - (memory?.savedAt ?? beginsAt);
    const here = (at: Instant | undefined) => (at === undefined ? undefined : at + Math.min(0, unwatchedMs));
    this.startedAt = here(memory?.startedAt) ?? startedAt;
    this.firstStepAt = here(memory?.firstStepAt);
    this.savedStepAt = here(memory?.savedStepAt);
    this.lastStepAt = here(memory?.lastStepAt);
    this.lastStep = memory?.lastStep;
    this.pulse = new Pulse(memory?.pulse ?? beginsAt);
    if (unwatchedMs < 0 || unwatchedMs > handoverMs) this.pulse.unwatched(unwatchedMs);
    if (slowdownLastsMs !== undefined) this.speed = new Speed(slowdownLastsMs, memory?.speed);
  }

  /** The last line of one read of a file. Before the first step one that says something new is a sign of life. */
  said(line: Line, now: Instant): void {
    if (line.isReplay || this.pulse.isInLoop) return;
    const text = textOf(line.bytes, line.from, Math.min(line.to, line.from + lineCharsMax));
    this.pulse.said(now, partsOf(text).body, placeOf({ line, text }));
  }

  /** A step line of any rank, whether it brought the training further or not. */
  steppedAt(rank: number | undefined, captures: Readonly<Record<string, string>>): void {
    this.ranks.stepped(rank, Number(captures["step"]));
    const ms = printedMs(captures);
    if (ms !== undefined) this.ranks.timed(rank, ms);
  }

  /** A step that grew. @returns a change of speed that it proved. */
  stepped(step: number, captures: Readonly<Record<string, string>>, heard: Heard): Vital | undefined {
    const { now, text } = heard;
    this.firstStepAt ??= now;
    const isKnown = this.lastStep !== undefined && step <= this.lastStep; // Read again after a restart of the watcher.
    if (!isKnown) [this.lastStep, this.lastStepAt] = [step, now];
    const total = captures["total"] === undefined ? undefined : Number(captures["total"]);
    this.stepsTotal = total;
    const place = placeOf(heard);
    const isAfterPause = this.pulse.stepped(now, place, total !== undefined && Number(captures["step"]) >= total);
    if (isKnown || this.speed === undefined) return undefined;
    const change = this.speed.stepped({ step, at: now, text, captures, place, isAfterPause });
    return change === undefined ? undefined : this.ofChange(change, now);
  }

  saved(heard: Heard): void {
    this.savedStepAt = heard.now;
    this.pulse.saved(heard.now, placeOf(heard));
  }

  announced(kind: "evaluation" | "checkpoint"): void {
    this.pulse.announce(kind);
  }

  evaluated(heard: Heard): void {
    this.pulse.evaluated(heard.now, placeOf(heard));
  }

  loaded(heard: Heard): void {
    this.pulse.loaded(heard.now, placeOf(heard));
    this.lastStep = undefined;
    this.ranks.restart();
    this.speed?.restart();
  }

  finished(): void {
    this.hasFinished = true;
  }

  /** A line that speaks of an error. @returns the rank that a watchdog shows behind the others. */
  complained(heard: Heard, rank: number | undefined): Vital | undefined {
    this.pulse.complained(placeOf(heard));
    const ranks = this.ranks.gaveUp(rank, heard.text);
    if (ranks.length === 0) return undefined;
    const { line, text } = heard;
    return {
      kind: "hang",
      cause: "rank-behind",
      causeClass: "hang",
      domain: "unknown",
      root: true,
      key: keyOf(line, "rank-behind"),
      evidence: {
        source: "log",
        line: cutToBytes(text.trim(), bounds.evidenceLineBytesMax),
        path: line.path,
        offset: line.offset,
      },
      detail: `its collective is older than that of the other ranks`,
      ranks,
    };
  }

  loadOf(node: string, captures: Readonly<Record<string, string>>): void {
    this.load.heard(node, captures);
  }

  get baselineStepMs(): number | undefined {
    return this.speed?.baselineStepMs;
  }

  get isSilenceTold(): boolean {
    return this.pulse.state.isTold;
  }

  /** Nobody can know of a step up to now. */
  excused(now: Instant): void {
    this.pulse.excused(now);
  }

  /** @param readTo All files of the attempt were read to their end then. @returns a silence that is now too long. */
  judge(readTo: Instant): Vital | undefined {
    const { state } = this.pulse;
    if (this.silence === undefined || this.hasFinished || state.isTold) return undefined;
    const silence = silenceOf(this.pulse, this.silence, readTo);
    if (silence === undefined) return undefined;
    state.isTold = true;
    const cause = silence.isInLoop ? "no-further-step" : "no-first-step";
    const shown = state.complaint ?? state.place;
    const ranks = silence.isInLoop ? this.ranks.behind : [];
    return {
      kind: "hang",
      cause,
      causeClass: "hang",
      domain: "unknown",
      root: true,
      key: `${state.place?.key ?? "no-line"}:${cause}`,
      evidence: shown === undefined ? { source: "log", line: "(nothing was printed)" } : evidenceOf(shown),
      detail: ofSilence(silence, ranks),
      ranks,
    };
  }

  memory(now: Instant): string {
    const { startedAt, firstStepAt, savedStepAt, lastStep, lastStepAt } = this;
    return writeMemory({
      version: 1,
      savedAt: now,
      startedAt,
      ...(firstStepAt === undefined ? {} : { firstStepAt }),
      ...(savedStepAt === undefined ? {} : { savedStepAt }),
      ...(lastStep === undefined ? {} : { lastStep }),
      ...(lastStepAt === undefined ? {} : { lastStepAt }),
      pulse: this.pulse.state,
      ...(this.speed === undefined ? {} : { speed: this.speed.state }),
    });
  }

  private ofChange(change: Change, now: Instant): Vital {
    const { kind, since } = change;
    const startMs = this.firstStepAt === undefined ? undefined : this.firstStepAt - this.startedAt;
    const redoMs = now - (this.savedStepAt ?? this.firstStepAt ?? now);
    const cost = {
      stepsLeft: this.stepsTotal === undefined ? undefined : Math.max(0, this.stepsTotal - (this.lastStep ?? 0)),
      restartMs: startMs === undefined ? undefined : startMs + redoMs,
    };
    return {
      kind: "slowdown",
      cause: `throughput-${kind}`,
      causeClass: "slowdown",
      domain: kind === "lost" ? this.load.domain : "unknown",
      root: false,
      key: `${since.place.key}:throughput-${kind}`,
      evidence: evidenceOf(since.place),
      sinceStep: since.step,
      detail: ofChange(change, cost),
      ranks: kind === "lost" ? this.ranks.slower : [],
    };
  }
}

function evidenceOf({ line, path, offset }: LinePlace): Draft["evidence"] {
  return { source: "log", line, path, offset };
}

function placeOf({ line, text }: Pick<Heard, "line" | "text">): LinePlace {
  return { path: line.path, offset: line.offset, line: text.trim().slice(0, lineCharsMax), key: keyOf(line, "at") };
}
