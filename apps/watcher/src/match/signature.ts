/**
 * signature: a log pattern as data: what a line says, and what follows from it.
 *
 * In the loop   packs → `parse-pack.ts` → **Signature** → matcher → Signals
 */
import type { CauseClass, Domain } from "@reprise/core/nouns.ts";

/** What a line of this signature tells. The last five are no signals by themselves. */
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
  | "world-size";

/** Whether a line may be the root cause. */
export type Standing =
  | "root"
  /** Root unless an earlier line of the incident is one: a watchdog that fires because a rank has died. */
  | "root-if-first"
  /** Root only after training said that it had finished; before that a consequence. */
  | "root-after-success"
  | "consequence";

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
  readonly exitIndependent: boolean;
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
