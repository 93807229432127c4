/** wire-shadow: the server's answer about what would have been, as JSON. See `wire.ts`. */
import type { WireFigures } from "./wire-figures.ts";

export interface WireShadow {
  readonly from?: string;
  readonly to?: string;
  readonly counts?: readonly { readonly verdict?: string; readonly fate?: string; readonly count?: number }[];
  readonly saved?: WireFigures["saved"];
  readonly ownRestartSeconds?: number;
  readonly stories?: readonly WireShadowStory[];
  readonly leftOut?: number;
}

export interface WireShadowStory {
  readonly jobId?: string;
  readonly attemptIndex?: number;
  readonly jobName?: string;
  readonly desired?: string;
  readonly because?: string;
  readonly decidedAt?: string;
  readonly verdict?: string;
  readonly fate?: string;
  readonly resubmittedAs?: string;
  readonly savedHours?: number;
}
