/**
 * signature: a log pattern as data: what a line says, and what follows from it.
 *
 * In the loop   packs → `parse-pack.ts` → **Signature** → matcher → Signals
 */
import type { CauseClass, Domain } from "@reprise/core/nouns.ts";

/** What a line of this signature tells. From `checkpoint-loaded` on they are no signals by themselves. */
export type SignatureKind =
  | "crash"
  | "hang"
  | "numerics"
  | "progress"
  | "checkpoint-saved"
  | "finished"
  /** A checkpoint was loaded: `step` is where training goes on from. */
  | "checkpoint-loaded"
  /** The workers of one launcher ended well; what fails after it is teardown. */
  | "succeeded"
  /** `host` has `address`, so that a peer named by its address becomes a node. */
  | "host-address"
  /** `rank` runs on `host`. */
  | "rank-host"
  /** The job has `ranks` ranks in all. */
  | "world-size"
  /** Epoch `epoch` begins: step lines after it count within that epoch. */
  | "epoch-begins"
  /** What is long, and known to be: training pauses for it. */
  | "checkpoint-begins"
  | "evaluation-begins"
  | "evaluation-ended"
  /** A probe of the host: how busy its GPUs are, and whether it waits for storage. */
  | "host-load"
  /** All ranks meet at `host` or `address`. */
  | "coordinator";

/** It says what went wrong, and has a class. */
export function isCause({ kind }: { readonly kind: SignatureKind }): boolean {
  return kind === "crash" || kind === "hang" || kind === "numerics";
}

/** Whether a line may be the root cause. */
export type Standing =
  | "root"
  /** Root unless an earlier line of the incident is one: a watchdog that fires because a rank has died. */
  | "root-if-first"
  /** Root only after training said that it had finished; before that a consequence. */
  | "root-after-success"
  | "consequence";

/** Which node a line is about. */
export type Names =
  /** The one that it names, or else the one that printed it. */
  | "line"
  /** None: it is printed somewhere, and that place says nothing of who is to blame. */
  | "nobody"
  /** The one that it names, or else the one that all others wait for at the start. */
  | "coordinator";

/** What the number in a step line counts. */
export type Counts =
  /** Steps of the whole run. */
  | "run"
  /** Steps of one epoch: `epoch` and, where it is printed, the `total` of an epoch make a number that only grows. */
  | "epoch"
  /** A bar, of which there are others (an evaluation's): only bars with the first `total` count. */
  | "bar"
  /** Epochs and parts of them, in thousandths: for programs that print nothing better. */
  | "fraction";

export interface Signature {
  readonly id: string;
  readonly kind: SignatureKind;
  /** One of these literals is in every line of this signature. */
  readonly anchors: readonly string[];
  /** Confirms; its named groups are what is captured. */
  readonly expression: RegExp;
  /** `traceback-end`: tried on the last line of a Python traceback only, where it begins the text. */
  readonly where: "line" | "traceback-end";
  /** Of several signatures in one line the one with the lowest number speaks. */
  readonly precedence: number;
  readonly causeClass?: CauseClass;
  readonly domain?: Domain;
  readonly standing: Standing;
  /** True: no program goes on after such a line. False: only its end, or a long silence, confirms it. */
  readonly exitIndependent: boolean;
  readonly names: Names;
  /** Signatures whose lines only follow when they come after one of this in the same incident. */
  readonly explains: readonly string[];
  readonly counts: Counts;
  /** How we know that such lines exist and mean this. */
  readonly source: string;
  readonly yes: readonly Example[];
  readonly no: readonly string[];
}

export interface Example {
  readonly line: string;
  /** Captures that the line must give. */
  readonly gives: Readonly<Record<string, string>>;
}
