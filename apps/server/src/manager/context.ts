/** context: what every route is given besides its request. */
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Site } from "./job-report.ts";
import type { Store } from "./store.ts";

/** Who calls. */
export interface Caller {
  readonly name: string;
  /** `owner` or roles. Absent: a call within this process. */
  readonly rights?: ReadonlySet<string>;
  /** Aborted when the caller hangs up or the server stops. */
  readonly signal: AbortSignal;
}

export interface Manager {
  readonly store: Store;
  readonly clock: Clock;
  readonly site: Site;
  /** A watcher that is silent for so long loses its targets to another (ms). Absent: as `routes/watching.ts` has it. */
  readonly targetLeaseMs?: number;
}
