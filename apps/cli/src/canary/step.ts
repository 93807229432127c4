/** step: one thing that a canary checks, and what is known of it. */
import type { Instant } from "@reprise/core/nouns.ts";

export interface CanaryStep {
  readonly name: string;
  /** `waits`: not seen yet. `would`: observe mode said so, and nothing was done. `unproven`: nobody has tried. */
  readonly verdict: "ok" | "fail" | "waits" | "would" | "unproven";
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
  /** When it was seen, in seconds since the job was submitted. */
  readonly seconds?: number;
}

/** What one look says of one step. */
export type Answer =
  | { readonly is: "ok"; readonly says: string; readonly at?: Instant | undefined }
  | { readonly is: "would"; readonly says: string }
  /** It will not come any more. */
  | { readonly is: "fail"; readonly says: string; readonly todo: string }
  /** It may come yet; once the time is up it is a failure. */
  | { readonly is: "waits"; readonly says: string; readonly todo: string };

export const ok = (says: string, at?: Instant): Answer => ({ is: "ok", says, at });
export const fail = (says: string, todo: string): Answer => ({ is: "fail", says, todo });
export const waits = (says: string, todo: string): Answer => ({ is: "waits", says, todo });
