/**
 * attempt-reader: what the lines of one attempt say, as Signals.
 *
 * In the loop   lines of all its files and of its nodes → match → **what is worth telling** → ReportSignals
 * Takes         lines in order, file by file; replayed ones only teach (who is where, how far training came).
 * Gives         `take`: the signals of this pass, their times strictly rising in the order of the lines.
 * Keeps         the same line gives the same key however often it is read. A step that was read but not yet told holds the
 *               file's position back (`heldAt`): a restart reads it again. A line of a node's own log is about that node.
 * Bound         one progress signal in two seconds (`detect/drafts.ts`), but every step while a fatal line waits for one;
 *               error lines as `detect/incident.ts` has it.
 * Source        design §6, "acting before the end".
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { causeDraft, Drafts, type Heard, type OfNode } from "./detect/drafts.ts";
import { Incident } from "./detect/incident.ts";
import { Places } from "./detect/places.ts";
import { Tracebacks } from "./detect/traceback.ts";
import { Training } from "./detect/training.ts";
import { type Vital, Vitals, type Watched } from "./detect/vitals.ts";
import { textOf } from "./match/line-text.ts";
import type { Found, Matcher } from "./match/matcher.ts";
import { messageLines } from "./match/message.ts";
import { isCause } from "./match/signature.ts";
import { partsOf, speakerOf } from "./match/speaker.ts";
import type { ReportedSignal } from "./server.ts";
import type { Line } from "./lines.ts";

export interface ReaderOf {
  readonly heimdallJobId: string;
  readonly attemptIndex: number;
  readonly nodes: readonly string[];
  readonly gpuCountPerNode: number;
}

export class AttemptReader {
  private readonly of: ReaderOf;
  private readonly matcher: Matcher;
  private places: Places;
  private readonly drafts = new Drafts();
  private readonly incident = new Incident();
  private readonly training: Training;
  private readonly tracebacks = new Map<string, Tracebacks>();
  private vitals: Vitals | undefined;

  constructor(of: ReaderOf, matcher: Matcher) {
    this.of = of;
    this.matcher = matcher;
    this.places = new Places(of.nodes, of.gpuCountPerNode);
    this.training = new Training(of, this.drafts, this.incident);
  }

  /** The nodes may become known only after the first look. What lines have taught of others is then void. */
  runsOn(nodes: readonly string[], gpuCountPerNode: number): void {
    if (!this.places.isOf(nodes)) this.places = new Places(nodes, gpuCountPerNode);
  }

  /** From here on silence and lost throughput are told too. */
  watch(watched: Watched): void {
    this.vitals = new Vitals(watched);
    this.training.goesOnFrom(this.vitals.lastStepAt);
  }

  /** A fatal line was read, and no further steps since: whether one comes must be told at once. */
  get isFatalPending(): boolean {
    return this.incident.isFatal;
  }

  /** A line that may be a root was read, and training has not gone on well past it: somebody may wait for silence. */
  get isRootPending(): boolean {
    return this.incident.isOpen;
  }

  /** As `isRootPending`, or a silence was told, and nothing has come since: somebody waits to hear how far was read. */
  get isAnswerPending(): boolean {
    return this.isRootPending || this.vitals?.isSilenceTold === true;
  }

  /** The last step that was read, and what one usually takes (ms); undefined: not known. */
  get pace() {
    return { lastStep: this.training.lastStep, baselineStepMs: this.vitals?.baselineStepMs };
  }

  /** Signals that the next `take` would give. */
  get pending(): number {
    return this.drafts.pending;
  }

  heldAt(path: string): number | undefined {
    return this.drafts.heldAt(path);
  }

  /** A traceback is open in this file: each of its lines counts, whether an anchor is in it or not. */
  wantsAll(path: string): boolean {
    return this.tracebacks.get(path)?.isOpen === true;
  }

  read(line: Line, now: Instant): void {
    const tracebacks = this.tracebacksOf(line.path);
    const match = this.matcher.match(line);
    if (match === undefined && !tracebacks.isOpen) return;
    const text = match?.text ?? textOf(line.bytes, line.from, line.to);
    const message = messageLines(text);
    if (message === undefined) {
      this.hearText(tracebacks, match?.found ?? [], { line, text, speaker: speakerOf(text), now });
      return;
    }
    for (const inner of message.lines) {
      const own = speakerOf(inner);
      const speaker = Object.keys(own).length === 0 ? message.speaker : own;
      this.hearText(tracebacks, this.matcher.matchText(inner), { line, text: inner, speaker, now });
    }
  }

  /** A line of a kernel log or a health probe of one of the attempt's nodes, within the attempt's own time. */
  readNode(ofNode: OfNode, line: Line, now: Instant): void {
    const match = this.matcher.match(line);
    const text = match?.text ?? "";
    for (const found of match?.found ?? []) {
      if (isCause(found.signature)) this.hearCause(found, { line, text, speaker: speakerOf(text), now, ofNode });
      else if (found.signature.kind === "host-load") this.vitals?.loadOf(ofNode.node, found.captures);
    }
  }

  /** The last line of one read of a file, whether it tells anything or not. */
  readLast(line: Line, now: Instant): void {
    this.vitals?.said(line, now);
  }

  /** @param readTo All files of the attempt were read to their end then: only up to there silence is silence. */
  judge(readTo: Instant, now: Instant): void {
    this.tellVital(this.vitals?.judge(readTo), now);
  }

  /** Nobody can know of a step up to now: the job was suspended, or its log was emptied before it was read. */
  excuse(now: Instant): void {
    this.vitals?.excused(now);
  }

  /** For the next reader of this attempt, beyond the offsets. */
  memory(now: Instant): string | undefined {
    return this.vitals?.memory(now);
  }

  /** @param isLast The attempt is over: what was held back is told now. */
  take(now: Instant, isLast: boolean): readonly ReportedSignal[] {
    return this.drafts.take(now, isLast);
  }

  private hearText(tracebacks: Tracebacks, matched: readonly Found[], heard: Heard): void {
    this.places.learnTask(heard.speaker);
    let found = matched;
    const header = this.matcher.tracebackAt(heard.text);
    if (header !== undefined) tracebacks.begin(header);
    else if (tracebacks.isOpen) {
      const end = tracebacks.end(heard.text, partsOf(heard.text).body);
      const cause = end === undefined ? undefined : this.matcher.matchTracebackEnd(end);
      // Over the whole line a signature that knows it better may have spoken already.
      const spoken = found.find((f) => isCause(f.signature));
      if (cause !== undefined && (spoken === undefined || cause.signature.precedence < spoken.signature.precedence))
        found = [...found.filter((f) => f !== spoken), cause];
    }
    for (const f of found) this.hear(f, heard);
  }

  private hear(found: Found, heard: Heard): void {
    const { signature, captures } = found;
    const vitals = heard.line.isReplay ? undefined : this.vitals; // What is read again is no sign of life.
    switch (signature.kind) {
      case "progress":
        return this.hearStep(found, heard);
      case "epoch-begins":
        return this.training.beginEpoch(found);
      case "checkpoint-saved":
        if (this.training.saved(found, heard)) vitals?.saved(heard);
        return;
      case "checkpoint-loaded":
        vitals?.loaded(heard);
        return this.training.loaded(found);
      case "checkpoint-begins":
      case "evaluation-begins":
        return vitals?.announced(signature.kind === "checkpoint-begins" ? "checkpoint" : "evaluation");
      case "evaluation-ended":
        return vitals?.evaluated(heard);
      case "host-load":
        return;
      case "finished":
        this.vitals?.finished();
        return this.training.finished(found, heard);
      case "succeeded":
        this.training.hasSucceeded = true;
        return this.vitals?.finished();
      case "host-address":
        return this.places.learnAddress(captures["address"] ?? "", captures["host"] ?? "");
      case "coordinator":
        return this.places.learnCoordinator(captures["host"], captures["address"]);
      case "rank-host":
        return this.places.learnRank(Number(captures["rank"]), captures["host"] ?? "");
      case "world-size":
        return this.places.learnWorldSize(Number(captures["ranks"]));
      default:
        return this.hearCause(found, heard);
    }
  }

  private hearStep(found: Found, heard: Heard): void {
    this.vitals?.steppedAt(heard.speaker.rank, found.captures);
    const step = this.training.stepped(found, heard);
    if (step !== undefined) this.tellVital(this.vitals?.stepped(step, found.captures, heard), heard.now);
  }

  private tellVital(vital: Vital | undefined, now: Instant): void {
    if (vital === undefined) return;
    const { ranks, ...said } = vital;
    const nodes = new Set(ranks.flatMap((rank) => this.places.nodesOf("", { rank: String(rank) }, {})));
    const step = this.training.lastStep;
    this.drafts.tell(
      {
        heimdallJobId: this.of.heimdallJobId,
        ...said,
        exitIndependent: false,
        // Ranks of several nodes that are behind point at none of them.
        nodes: nodes.size === 1 ? [...nodes] : [],
        ...(ranks.length === 1 ? { rank: ranks[0]! } : {}),
        ...(step === undefined ? {} : { step }),
      },
      now,
    );
  }

  private hearCause({ signature, captures }: Found, heard: Heard): void {
    const { line, text, speaker, now } = heard;
    const rank = captures["rank"] === undefined ? speaker.rank : Number(captures["rank"]);
    const behind = line.isReplay ? undefined : this.vitals?.complained(heard, rank);
    const root = this.incident.hear(signature, this.training.hasSucceeded);
    if (!this.incident.mayTell(signature.id, rank) || line.isReplay) return;
    const named = this.places.nodesOf(text, captures, speaker, signature.names);
    const { heimdallJobId } = this.of;
    this.drafts.tell(causeDraft(heimdallJobId, signature, heard, { root, named, rank }, this.training.lastStep), now);
    this.tellVital(behind, now);
  }

  private tracebacksOf(path: string): Tracebacks {
    const known = this.tracebacks.get(path);
    if (known !== undefined) return known;
    const first = new Tracebacks();
    this.tracebacks.set(path, first);
    return first;
  }
}
