/**
 * life: what a store under test is given: a clock that stands still, waits that only a stop ends, and a log for warnings.
 */
import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Life } from "@reprise/runtime/life.ts";

/** A whole second, as Slurm's times are. */
export const noon: Instant = Date.UTC(2026, 10, 29, 12);

export function stillLife(): Life {
  return {
    clock: {
      now: () => noon,
      elapsed: () => noon,
      sleep: (_ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted === true) return resolve();
          signal?.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
    chance: { uuid: randomUUID, number: () => 0.5 },
    log: { debug() {}, info() {}, warn: tell, error: tell },
    signal: new AbortController().signal,
  };
}

/** Nothing is expected to go wrong: what does is shown beside the test's result. */
function tell(fields: object, message: string): void {
  process.stderr.write(`${message}: ${inspect(fields)}\n`);
}
